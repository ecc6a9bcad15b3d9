"""``torch.autograd.anomaly_mode``: runs backwards that look for what is not a number and say where its call was made."""

import os
import sys
import traceback
import warnings

from .. import _rushlight

__all__ = ["detect_anomaly", "set_detect_anomaly"]


def is_anomaly_enabled():
    """Whether anomalies are looked for."""
    return _rushlight.anomaly_mode()[0]


def is_anomaly_check_nan_enabled():
    """Whether runs backwards look (or would look) for what is not a number."""
    return _rushlight.anomaly_mode()[1]


def set_anomaly_enabled(mode, check_nan=True):
    """Switches the search for anomalies."""
    _rushlight.set_anomaly_mode(bool(mode), bool(check_nan))


class set_detect_anomaly:
    """Switches the search for anomalies, at once and until the end of the ``with`` if there is one."""

    def __init__(self, mode, check_nan=True):
        self.prev, self.prev_check_nan = _rushlight.anomaly_mode()
        _rushlight.set_anomaly_mode(bool(mode), bool(check_nan))

    def __enter__(self):
        return None

    def __exit__(self, *_):
        _rushlight.set_anomaly_mode(self.prev, self.prev_check_nan)


class detect_anomaly:
    """Looks for anomalies until the end of the ``with``."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        self.prev, self.prev_check_nan = _rushlight.anomaly_mode()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        self.prev, self.prev_check_nan = _rushlight.anomaly_mode()
        _rushlight.set_anomaly_mode(True, bool(self.check_nan))

    def __exit__(self, *_):
        _rushlight.set_anomaly_mode(self.prev, self.prev_check_nan)


_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _place():
    """The calls of the program that are running, as a traceback: nodes remember it."""
    calls = traceback.extract_stack(sys._getframe(1))
    return "".join(traceback.format_list([c for c in calls if not c.filename.startswith((_OWN, "<frozen "))]))


_rushlight.register("anomaly_place", _place)
