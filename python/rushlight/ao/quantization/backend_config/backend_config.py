"""The classes that say what a backend can do: dtypes, patterns of operations with them, and all patterns of a backend."""

import dataclasses
import enum
from typing import Any, Callable, Optional, Union

import rushlight as torch

from ...._library import publish

__all__ = ["BackendConfig", "BackendPatternConfig", "DTypeConfig", "DTypeWithConstraints", "ObservationType"]

# The keys of dictionaries with the dtypes of a pattern.
_INPUT, _OUTPUT, _WEIGHT, _BIAS, _DYNAMIC = "input_dtype", "output_dtype", "weight_dtype", "bias_dtype", "is_dynamic"


class ObservationType(enum.Enum):
    """How the results of an operation are observed."""

    OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT = 0
    OUTPUT_SHARE_OBSERVER_WITH_INPUT = 1
    INPUT_OUTPUT_NOT_OBSERVED = 2


@dataclasses.dataclass
class DTypeWithConstraints:
    """A dtype, and what its range, scale and zero point have to be."""

    dtype: Optional[torch.dtype] = None
    quant_min_lower_bound: Union[int, float, None] = None
    quant_max_upper_bound: Union[int, float, None] = None
    scale_min_lower_bound: Union[int, float, None] = None
    scale_max_upper_bound: Union[int, float, None] = None
    scale_exact_match: Optional[float] = None
    zero_point_exact_match: Optional[int] = None


def _constrained(dtype: Union[torch.dtype, DTypeWithConstraints, None]) -> DTypeWithConstraints:
    return dtype if isinstance(dtype, DTypeWithConstraints) else DTypeWithConstraints(dtype=dtype)


@dataclasses.dataclass
class DTypeConfig:
    """The dtypes of everything around an operation; None is any."""

    input_dtype_with_constraints: DTypeWithConstraints
    output_dtype_with_constraints: DTypeWithConstraints
    weight_dtype_with_constraints: DTypeWithConstraints
    bias_dtype: Optional[torch.dtype]
    is_dynamic: Optional[bool]

    def __init__(self, input_dtype=None, output_dtype=None, weight_dtype=None, bias_dtype=None, is_dynamic=None):
        self.input_dtype_with_constraints = _constrained(input_dtype)
        self.output_dtype_with_constraints = _constrained(output_dtype)
        self.weight_dtype_with_constraints = _constrained(weight_dtype)
        self.bias_dtype = bias_dtype
        self.is_dynamic = is_dynamic

    @property
    def input_dtype(self) -> Optional[torch.dtype]:
        """The dtype of inputs."""
        return self.input_dtype_with_constraints.dtype

    @property
    def output_dtype(self) -> Optional[torch.dtype]:
        """The dtype of results."""
        return self.output_dtype_with_constraints.dtype

    @property
    def weight_dtype(self) -> Optional[torch.dtype]:
        """The dtype of weights."""
        return self.weight_dtype_with_constraints.dtype

    @classmethod
    def from_dict(cls, dtype_config_dict: dict[str, Any]) -> "DTypeConfig":
        """The dtypes that a dictionary says."""
        for key in (_INPUT, _OUTPUT, _WEIGHT):
            held = dtype_config_dict.get(key)
            if held is not None and not isinstance(held, (torch.dtype, DTypeWithConstraints)):
                raise ValueError(
                    f"Expected dtype_config_dict['{key}'] to be a torch.dtype or DTypeWithConstraints, got {type(held)}"
                )
        return cls(*(dtype_config_dict.get(key) for key in (_INPUT, _OUTPUT, _WEIGHT, _BIAS, _DYNAMIC)))

    def to_dict(self) -> dict[str, Any]:
        """The dtypes that are said, as a dictionary."""
        found = {}
        for key in (_INPUT, _OUTPUT, _WEIGHT):
            if getattr(self, key) is not None:
                found[key] = getattr(self, key + "_with_constraints")
        if self.bias_dtype is not None:
            found[_BIAS] = self.bias_dtype
        if self.is_dynamic is not None:
            found[_DYNAMIC] = self.is_dynamic
        return found


# Attributes of pattern configurations with the keys that dictionaries have for them, where they are set.
_PARTS = {
    "pattern": "pattern",
    "root_module": "root_module",
    "qat_module": "qat_module",
    "reference_quantized_module": "reference_quantized_module_for_root",
    "fused_module": "fused_module",
    "fuser_method": "fuser_method",
    "_root_node_getter": "root_node_getter",
    "_extra_inputs_getter": "extra_inputs_getter",
    "_num_tensor_args_to_observation_type": "num_tensor_args_to_observation_type",
    "_input_type_to_index": "input_type_to_index",
    "_pattern_complex_format": "pattern_complex_format",
}


class BackendPatternConfig:
    """What a backend does with a pattern: a class of modules, a function, the name of a method, or a tuple of them.

    Args:
        pattern: what the configuration is for.
    """

    def __init__(self, pattern: Any = None):
        self.pattern = pattern
        self.observation_type = ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
        self.dtype_configs: list[DTypeConfig] = []
        self.root_module = None
        self.qat_module = None
        self.reference_quantized_module = None
        self.fused_module = None
        self.fuser_method = None
        self._root_node_getter = None
        self._extra_inputs_getter = None
        self._num_tensor_args_to_observation_type: dict[int, ObservationType] = {}
        self._input_type_to_index: dict[str, int] = {}
        self._pattern_complex_format = None

    def __repr__(self) -> str:
        shown = {name: value for name, value in self.__dict__.items() if not (isinstance(value, (list, dict)) and not value)}
        return f"BackendPatternConfig({ {name: value for name, value in shown.items() if value is not None} })"

    def set_pattern(self, pattern: Any) -> "BackendPatternConfig":
        """What the configuration is for, in the order of the program."""
        if self._pattern_complex_format is not None:
            raise ValueError("Only one of 'pattern' or 'pattern_complex_format' can be set")
        self.pattern = pattern
        return self

    def set_observation_type(self, observation_type: ObservationType) -> "BackendPatternConfig":
        """How results are observed."""
        self.observation_type = observation_type
        return self

    def add_dtype_config(self, dtype_config: DTypeConfig) -> "BackendPatternConfig":
        """One more combination of dtypes."""
        self.dtype_configs.append(dtype_config)
        return self

    def set_dtype_configs(self, dtype_configs: list[DTypeConfig]) -> "BackendPatternConfig":
        """All combinations of dtypes."""
        self.dtype_configs = dtype_configs
        return self

    def set_root_module(self, root_module: type) -> "BackendPatternConfig":
        """The class of the module with the weights."""
        self.root_module = root_module
        return self

    def set_qat_module(self, qat_module: type) -> "BackendPatternConfig":
        """The class that takes the pattern's place for training."""
        self.qat_module = qat_module
        return self

    def set_reference_quantized_module(self, reference_quantized_module: type) -> "BackendPatternConfig":
        """The class that takes the root's place, with its weights quantized and unpacked."""
        self.reference_quantized_module = reference_quantized_module
        return self

    def set_fused_module(self, fused_module: type) -> "BackendPatternConfig":
        """The class that stands for the whole pattern."""
        self.fused_module = fused_module
        return self

    def set_fuser_method(self, fuser_method: Callable) -> "BackendPatternConfig":
        """The function that makes one module of the pattern's modules."""
        self.fuser_method = fuser_method
        return self

    def _set_root_node_getter(self, root_node_getter: Callable) -> "BackendPatternConfig":
        self._root_node_getter = root_node_getter
        return self

    def _set_extra_inputs_getter(self, extra_inputs_getter: Callable) -> "BackendPatternConfig":
        self._extra_inputs_getter = extra_inputs_getter
        return self

    def _set_num_tensor_args_to_observation_type(self, by_count: dict[int, ObservationType]) -> "BackendPatternConfig":
        self._num_tensor_args_to_observation_type = by_count
        return self

    def _set_input_type_to_index(self, input_type_to_index: dict[str, int]) -> "BackendPatternConfig":
        self._input_type_to_index = input_type_to_index
        return self

    def _set_pattern_complex_format(self, pattern: Any) -> "BackendPatternConfig":
        if self.pattern is not None:
            raise ValueError("Only one of 'pattern' or 'pattern_complex_format' can be set")
        self._pattern_complex_format = pattern
        return self

    @classmethod
    def from_dict(cls, backend_pattern_config_dict: dict[str, Any]) -> "BackendPatternConfig":
        """The configuration that a dictionary says."""
        made = cls()
        for attribute, key in _PARTS.items():
            if key in backend_pattern_config_dict:
                setattr(made, attribute, backend_pattern_config_dict[key])
        if "observation_type" in backend_pattern_config_dict:
            made.set_observation_type(backend_pattern_config_dict["observation_type"])
        for held in backend_pattern_config_dict.get("dtype_configs", []):
            if not isinstance(held, (dict, DTypeConfig)):
                raise ValueError(
                    f"Expected backend_pattern_config_dict['dtype_configs'] to contain DTypeConfig or dict, got {type(held)}"
                )
            made.add_dtype_config(DTypeConfig.from_dict(held) if isinstance(held, dict) else held)
        return made

    def to_dict(self) -> dict[str, Any]:
        """The configuration as a dictionary."""
        found = {"observation_type": self.observation_type, "dtype_configs": [held.to_dict() for held in self.dtype_configs]}
        for attribute, key in _PARTS.items():
            value = getattr(self, attribute)
            if value is not None and value != {}:
                found[key] = value
        return found


class BackendConfig:
    """What a backend does, pattern by pattern.

    Args:
        name: of the backend.
    """

    def __init__(self, name: str = ""):
        self.name = name
        self._pattern_complex_format_to_config: dict[Any, BackendPatternConfig] = {}

    def __repr__(self) -> str:
        return f"BackendConfig({self.__dict__})"

    def set_name(self, name: str) -> "BackendConfig":
        """The name of the backend."""
        self.name = name
        return self

    def set_backend_pattern_config(self, config: BackendPatternConfig) -> "BackendConfig":
        """Adds a pattern, or replaces what was said of it."""
        key = config._pattern_complex_format
        self._pattern_complex_format_to_config[_nested(config.pattern) if key is None else key] = config
        return self

    def set_backend_pattern_configs(self, configs: list[BackendPatternConfig]) -> "BackendConfig":
        """Adds patterns."""
        for config in configs:
            self.set_backend_pattern_config(config)
        return self

    @property
    def configs(self) -> list[BackendPatternConfig]:
        """All patterns."""
        return list(self._pattern_complex_format_to_config.values())

    @classmethod
    def from_dict(cls, backend_config_dict: dict[str, Any]) -> "BackendConfig":
        """The backend that a dictionary says."""
        made = cls(backend_config_dict.get("name", ""))
        for held in backend_config_dict.get("configs", []):
            if not isinstance(held, (dict, BackendPatternConfig)):
                raise ValueError(
                    f"Expected backend_config_dict['configs'] to contain BackendPatternConfig or dict, got {type(held)}"
                )
            made.set_backend_pattern_config(BackendPatternConfig.from_dict(held) if isinstance(held, dict) else held)
        return made

    def to_dict(self) -> dict[str, Any]:
        """The backend as a dictionary."""
        return {"name": self.name, "configs": [held.to_dict() for held in self.configs]}


def _nested(pattern: Any) -> Any:
    """A pattern from its last operation backwards, as pairs within pairs: the older form, and the key of patterns."""
    if not isinstance(pattern, tuple):
        return pattern
    if len(pattern) not in (2, 3):
        raise ValueError("Expected a tuple with 2 or 3 elements, got: ", pattern)
    found = pattern[0]
    for operation in pattern[1:]:
        found = operation, found
    return found


publish(globals())
