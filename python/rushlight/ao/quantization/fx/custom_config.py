"""What programs may say of recording, preparing and converting besides configurations of parts."""

import dataclasses
from typing import Any, Optional

from ...._library import publish
from ..backend_config import BackendConfig
from ..qconfig_mapping import QConfigMapping
from ..quant_type import QuantType, _get_quant_type_to_str, _quant_type_from_str

__all__ = ["ConvertCustomConfig", "FuseCustomConfig", "PrepareCustomConfig", "StandaloneModuleConfigEntry"]

# Keys of dictionaries of the older form.
_NAMES, _CLASSES, _OBSERVED, _QUANTIZED = (
    "standalone_module_name", "standalone_module_class", "float_to_observed_custom_module_class",
    "observed_to_quantized_custom_module_class",
)
_PRESERVED = "preserved_attributes"
# Lists that have keys of their own, with the names of their attributes.
_LISTS = {
    "non_traceable_module_name": "non_traceable_module_names",
    "non_traceable_module_class": "non_traceable_module_classes",
    "input_quantized_idxs": "input_quantized_indexes",
    "output_quantized_idxs": "output_quantized_indexes",
    _PRESERVED: _PRESERVED,
}


@dataclasses.dataclass
class StandaloneModuleConfigEntry:
    """How a module that is quantized by itself is prepared."""

    qconfig_mapping: Optional[QConfigMapping]
    example_inputs: tuple[Any, ...]
    prepare_custom_config: Optional["PrepareCustomConfig"]
    backend_config: Optional[BackendConfig]


def _by_text(mapping: dict[QuantType, dict[type, type]]) -> dict[str, dict[type, type]]:
    return {_get_quant_type_to_str(kind): dict(classes) for kind, classes in mapping.items()}


def _by_kind(mapping: dict[str, dict[type, type]]) -> dict[QuantType, dict[type, type]]:
    return {_quant_type_from_str(text): dict(classes) for text, classes in mapping.items()}


def _of(value: Any, kind: type, key: str, where: str) -> Any:
    """A part of a dictionary, which is None, of a class, or the dictionary of one."""
    if isinstance(value, kind) or value is None:
        return value
    if isinstance(value, dict):
        return kind.from_dict(value)
    raise ValueError(f"Expected {kind.__name__} in {where}[\"{key}\"], got '{type(value)}'")


class _Shown:
    def __repr__(self) -> str:
        held = {name: value for name, value in self.__dict__.items() if len(value) > 0}
        return f"{type(self).__name__}({held})"


class PrepareCustomConfig(_Shown):
    """What programs may say of preparing.

    Attributes:
        standalone_module_names, standalone_module_classes: modules that are quantized by themselves.
        float_to_observed_mapping: classes of modules that know how they are observed, by the kind of quantization.
        non_traceable_module_names, non_traceable_module_classes: modules that are not looked into.
        input_quantized_indexes, output_quantized_indexes: which arguments and results are quantized already.
        preserved_attributes: attributes of the model that stay.
    """

    def __init__(self) -> None:
        self.standalone_module_names: dict[str, StandaloneModuleConfigEntry] = {}
        self.standalone_module_classes: dict[type, StandaloneModuleConfigEntry] = {}
        self.float_to_observed_mapping: dict[QuantType, dict[type, type]] = {}
        self.non_traceable_module_names: list[str] = []
        self.non_traceable_module_classes: list[type] = []
        self.input_quantized_indexes: list[int] = []
        self.output_quantized_indexes: list[int] = []
        self.preserved_attributes: list[str] = []

    def set_standalone_module_name(
        self, module_name, qconfig_mapping, example_inputs, prepare_custom_config, backend_config
    ) -> "PrepareCustomConfig":
        """The module under a path is quantized by itself."""
        self.standalone_module_names[module_name] = StandaloneModuleConfigEntry(
            qconfig_mapping, example_inputs, prepare_custom_config, backend_config
        )
        return self

    def set_standalone_module_class(
        self, module_class, qconfig_mapping, example_inputs, prepare_custom_config, backend_config
    ) -> "PrepareCustomConfig":
        """Modules of a class are quantized by themselves."""
        self.standalone_module_classes[module_class] = StandaloneModuleConfigEntry(
            qconfig_mapping, example_inputs, prepare_custom_config, backend_config
        )
        return self

    def set_float_to_observed_mapping(
        self, float_class: type, observed_class: type, quant_type: QuantType = QuantType.STATIC
    ) -> "PrepareCustomConfig":
        """Modules of a class become others to be observed; these have ``from_float``.

        Raises:
            ValueError: for other kinds of quantization than static.
        """
        if quant_type != QuantType.STATIC:
            raise ValueError("set_float_to_observed_mapping is currently only supported for static quantization")
        self.float_to_observed_mapping.setdefault(quant_type, {})[float_class] = observed_class
        return self

    def set_non_traceable_module_names(self, module_names: list[str]) -> "PrepareCustomConfig":
        """Modules that are not looked into, by path."""
        self.non_traceable_module_names = module_names
        return self

    def set_non_traceable_module_classes(self, module_classes: list[type]) -> "PrepareCustomConfig":
        """Modules that are not looked into, by class."""
        self.non_traceable_module_classes = module_classes
        return self

    def set_input_quantized_indexes(self, indexes: list[int]) -> "PrepareCustomConfig":
        """Which arguments are quantized already."""
        self.input_quantized_indexes = indexes
        return self

    def set_output_quantized_indexes(self, indexes: list[int]) -> "PrepareCustomConfig":
        """Which results stay quantized."""
        self.output_quantized_indexes = indexes
        return self

    def set_preserved_attributes(self, attributes: list[str]) -> "PrepareCustomConfig":
        """Attributes of the model that stay, though nothing calls them."""
        self.preserved_attributes = attributes
        return self

    @classmethod
    def from_dict(cls, prepare_custom_config_dict: dict[str, Any]) -> "PrepareCustomConfig":
        """What a dictionary of the older form says."""
        made = cls()
        for key, put in ((_NAMES, made.set_standalone_module_name), (_CLASSES, made.set_standalone_module_class)):
            for which, qconfigs, inputs, custom, backend in prepare_custom_config_dict.get(key, []):
                where = "prepare_custom_config_dict"
                put(
                    which, _of(qconfigs, QConfigMapping, key, where), inputs, _of(custom, PrepareCustomConfig, key, where),
                    _of(backend, BackendConfig, key, where),
                )
        for kind, classes in _by_kind(prepare_custom_config_dict.get(_OBSERVED, {})).items():
            for plain, observed in classes.items():
                made.set_float_to_observed_mapping(plain, observed, kind)
        for key, attribute in _LISTS.items():
            setattr(made, attribute, prepare_custom_config_dict.get(key, []))
        return made

    def to_dict(self) -> dict[str, Any]:
        """What was said, as a dictionary of the older form."""

        def entry(which, held):
            parts = (held.qconfig_mapping, held.prepare_custom_config, held.backend_config)
            qconfigs, custom, backend = (None if part is None else part.to_dict() for part in parts)
            return which, qconfigs, held.example_inputs, custom, backend

        found: dict[str, Any] = {}
        for key, entries in ((_NAMES, self.standalone_module_names), (_CLASSES, self.standalone_module_classes)):
            if entries:
                found[key] = [entry(which, held) for which, held in entries.items()]
        if self.float_to_observed_mapping:
            found[_OBSERVED] = _by_text(self.float_to_observed_mapping)
        found.update({key: getattr(self, attribute) for key, attribute in _LISTS.items() if getattr(self, attribute)})
        return found


class ConvertCustomConfig(_Shown):
    """What programs may say of converting.

    Attributes:
        observed_to_quantized_mapping: classes of observed modules that know how they are quantized, by the kind.
        preserved_attributes: attributes of the model that stay.
    """

    def __init__(self) -> None:
        self.observed_to_quantized_mapping: dict[QuantType, dict[type, type]] = {}
        self.preserved_attributes: list[str] = []

    def set_observed_to_quantized_mapping(
        self, observed_class: type, quantized_class: type, quant_type: QuantType = QuantType.STATIC
    ) -> "ConvertCustomConfig":
        """Observed modules of a class become others, which have ``from_observed``."""
        self.observed_to_quantized_mapping.setdefault(quant_type, {})[observed_class] = quantized_class
        return self

    def set_preserved_attributes(self, attributes: list[str]) -> "ConvertCustomConfig":
        """Attributes of the model that stay, though nothing calls them."""
        self.preserved_attributes = attributes
        return self

    @classmethod
    def from_dict(cls, convert_custom_config_dict: dict[str, Any]) -> "ConvertCustomConfig":
        """What a dictionary of the older form says."""
        made = cls()
        for kind, classes in _by_kind(convert_custom_config_dict.get(_QUANTIZED, {})).items():
            for observed, quantized in classes.items():
                made.set_observed_to_quantized_mapping(observed, quantized, kind)
        return made.set_preserved_attributes(convert_custom_config_dict.get(_PRESERVED, []))

    def to_dict(self) -> dict[str, Any]:
        """What was said, as a dictionary of the older form."""
        found: dict[str, Any] = {}
        if self.observed_to_quantized_mapping:
            found[_QUANTIZED] = _by_text(self.observed_to_quantized_mapping)
        if self.preserved_attributes:
            found[_PRESERVED] = self.preserved_attributes
        return found


class FuseCustomConfig(_Shown):
    """What programs may say of fusing.

    Attributes:
        preserved_attributes: attributes of the model that stay.
    """

    def __init__(self) -> None:
        self.preserved_attributes: list[str] = []

    def set_preserved_attributes(self, attributes: list[str]) -> "FuseCustomConfig":
        """Attributes of the model that stay, though nothing calls them."""
        self.preserved_attributes = attributes
        return self

    @classmethod
    def from_dict(cls, fuse_custom_config_dict: dict[str, Any]) -> "FuseCustomConfig":
        """What a dictionary of the older form says."""
        return cls().set_preserved_attributes(fuse_custom_config_dict.get(_PRESERVED, []))

    def to_dict(self) -> dict[str, Any]:
        """What was said, as a dictionary of the older form."""
        return {_PRESERVED: self.preserved_attributes} if self.preserved_attributes else {}


publish(globals())
