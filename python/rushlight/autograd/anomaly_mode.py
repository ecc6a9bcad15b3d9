"""``torch.autograd.anomaly_mode``: where the switches of anomalies live."""

from . import detect_anomaly, set_detect_anomaly  # noqa: F401
