"""``torch.utils.model_zoo``: the earlier name of what is in ``torch.hub`` now."""

from ..hub import load_state_dict_from_url as load_url, tqdm  # noqa: F401
