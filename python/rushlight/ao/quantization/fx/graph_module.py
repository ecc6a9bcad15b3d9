"""Which recorded models have been observed, and those that hold packed weights."""

from ....fx import GraphModule
from ...._library import publish

__all__ = ["FusedGraphModule", "ObservedGraphModule", "ObservedStandaloneGraphModule", "QuantizedGraphModule"]

_OBSERVED = "_observed_graph_module_attrs"
_PACKED = "_packed_weight_"


class FusedGraphModule(GraphModule):
    """A recorded model whose sequences of modules are one, with attributes of the model that it was made of."""

    def __init__(self, root, graph, preserved_attr_names: set[str]):
        kept = {name: getattr(root, name) for name in preserved_attr_names if hasattr(root, name)}
        self.preserved_attr_names = preserved_attr_names
        super().__init__(root, graph)
        for name, value in kept.items():
            setattr(self, name, value)


class ObservedGraphModule(GraphModule):
    """A recorded model with observers; what is known of its parts is in ``meta``."""


class ObservedStandaloneGraphModule(ObservedGraphModule):
    """A recorded module with observers that is called by a recorded model."""


class QuantizedGraphModule(GraphModule):
    """A quantized model with packed weights of functions among its attributes: they are entries of its state."""

    def __init__(self, root, graph, class_name="GraphModule"):
        super().__init__(root, graph, class_name)
        self._register_state_dict_hook(_add_packed_weights)

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        for name in self._packed_names():
            if prefix + name in state_dict:
                setattr(self, name, state_dict.pop(prefix + name))
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def _packed_names(self) -> list[str]:
        return [name for name in self.__dict__ if _PACKED in name]


def _add_packed_weights(module, state_dict, prefix, local_metadata):
    """Puts packed weights behind the other entries of the state."""
    state_dict.update({prefix + name: getattr(module, name) for name in module._packed_names()})


def _is_observed_module(module) -> bool:
    """Whether a model has been prepared."""
    return hasattr(module, "meta") and _OBSERVED in module.meta


def _get_observed_graph_module_attr(model, attr_name: str):
    """A part of what is known of a prepared model, by name; None where it has not been prepared."""
    return getattr(model.meta[_OBSERVED], attr_name) if _is_observed_module(model) else None


def _is_observed_standalone_module(module) -> bool:
    """Whether a module has been prepared by itself."""
    return _is_observed_module(module) and module.meta[_OBSERVED].is_observed_standalone_module


publish(globals())
