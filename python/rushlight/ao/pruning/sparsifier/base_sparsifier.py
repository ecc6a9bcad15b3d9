"""What all sparsifiers do: put masks before tensors, renew them step by step, and make the zeros lasting."""

import abc
import collections
import copy
from typing import Any, Optional

import rushlight as torch

from ...._library import publish
from ....nn import Module
from ....nn.utils import parametrize
from ....nn.utils.parametrize import type_before_parametrizations
from .utils import FakeSparsity, get_arg_info_from_tensor_fqn, module_contains_param, module_to_fqn, swap_module

__all__ = ["BaseSparsifier"]

SUPPORTED_MODULES = {torch.nn.Linear}


class BaseSparsifier(abc.ABC):
    """Chooses which elements of tensors are zeros; subclasses say how by :meth:`update_mask`.

    Args:
        defaults: what is said of sparsity where a configuration does not.

    Attributes:
        groups: for every tensor where it is and what is said of its sparsity.
        state: for every tensor its mask.
        enable_mask_update: whether steps renew masks.
    """

    def __init__(self, defaults: Optional[dict[str, Any]] = None):
        super().__init__()
        self.defaults: dict[str, Any] = defaults or {}
        self.state: dict[str, dict] = collections.defaultdict(dict)
        self.groups: list[dict[str, Any]] = []
        self.enable_mask_update = True

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "groups": self.groups}

    def __setstate__(self, state: dict[str, dict[str, Any]]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for index, group in enumerate(self.groups):
            text += f"\n\tGroup {index}\n"
            text += "".join(f"\t    {key}: {group[key]}\n" for key in sorted(group, key=lambda key: (key != "module", key)))
        return text + ")"

    def state_dict(self) -> dict[str, Any]:
        """The masks, and the groups without their modules."""
        left_out = ("module", "module_fqn", "tensor_name")
        groups = [{key: value for key, value in group.items() if key not in left_out} for group in self.groups]
        return {"state": self.state, "groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> None:
        """Takes up masks and groups; the model has been prepared.

        Args:
            state_dict: what :meth:`state_dict` gave.
            strict: refuses groups whose tensors are not there.
        """
        groups = copy.deepcopy(state_dict["groups"])
        states = state_dict["state"]
        for path, state in states.items():
            place = get_arg_info_from_tensor_fqn(self.model, path)
            module, name = place["module"], place["tensor_name"]
            if strict and module is None:
                raise RuntimeError(f"Error loading {path} into the model")
            parts = getattr(getattr(module, "parametrizations", None), name, ())
            mask = next((part for part in parts if isinstance(part, FakeSparsity)), None)
            if mask is None:
                mask = FakeSparsity(torch.ones_like(getattr(module, name)))
                parametrize.register_parametrization(module, name, mask)
            mask.mask = state["mask"]
        for group in groups:
            place = get_arg_info_from_tensor_fqn(self.model, group["tensor_fqn"])
            if strict and place["module"] is None:
                raise RuntimeError(f"Error loading {place['tensor_fqn']} into the model")
            group.update(place)
        self.__setstate__({"state": states, "groups": groups})

    def make_config_from_model(self, model: Module, SUPPORTED_MODULES: set[type[Module]] = SUPPORTED_MODULES) -> None:
        """Takes the weights of all modules of certain classes."""
        self.config = []
        waiting = [model]
        while waiting:
            for _, child in waiting.pop().named_children():
                if type(child) in SUPPORTED_MODULES:
                    self.config.append({"tensor_fqn": module_to_fqn(model, child) + ".weight"})
                else:
                    waiting.append(child)

    def prepare(self, model: Module, config: Optional[list[dict[str, Any]]]) -> None:
        """Puts masks before tensors of a model.

        Args:
            model: the model; it is changed.
            config: for every tensor its path under ``tensor_fqn``, and what is said of its sparsity; None takes the weights
                of all linear maps.
        """
        self.model = model
        self.config = config
        if self.config is None:
            self.make_config_from_model(model)
        for held in self.config:
            if not isinstance(held, dict):
                raise AssertionError(
                    "config elements should be dicts not modules i.e.:"
                    "[{`tensor_fqn`: `foo.bar.weight`}, {`tensor_fqn`: ... }, ...]"
                )
            path = held.get("tensor_fqn", None)
            if path is None:
                raise AssertionError(
                    "tensor_fqn is a required argument in the sparsity config which replaces previous `module` and "
                    "[module]`fqn` arguments"
                )
            group = copy.deepcopy(self.defaults)
            group.update(held)
            for key, value in get_arg_info_from_tensor_fqn(model, path).items():
                if key in group and not (group[key] is value or key != "module" and group[key] == value):
                    raise AssertionError(f"Given both `{key}` and `tensor_fqn` in the config, it is expected them to agree!")
                group[key] = value
            self.groups.append(group)
        self._prepare()

    def _prepare(self, *args, **kwargs) -> None:
        for group in self.groups:
            module, name = group["module"], group["tensor_name"]
            made = group.get("parametrization", FakeSparsity)
            mask = group.get("mask", torch.ones_like(getattr(module, name)))
            self.state[group["tensor_fqn"]]["mask"] = mask
            parametrize.register_parametrization(module, name, made(mask))

    def squash_mask(
        self,
        params_to_keep: Optional[tuple[str, ...]] = None,
        params_to_keep_per_layer: Optional[dict[str, tuple[str, ...]]] = None,
        *args,
        **kwargs,
    ) -> None:
        """Makes the zeros lasting, and takes the masks away.

        Args:
            params_to_keep: what is said of sparsity that modules keep under ``sparse_params``.
            params_to_keep_per_layer: the same for modules by path.
        """
        for group in self.groups:
            module = group["module"]
            parametrize.remove_parametrizations(module, group["tensor_name"], leave_parametrized=True)
            kept: dict[str, Any] = {}
            if params_to_keep is not None:
                kept.update({name: group[name] for name in params_to_keep})
            if params_to_keep_per_layer is not None:
                names = params_to_keep_per_layer.get(group["module_fqn"], None)
                if names is not None:
                    kept.update({name: group[name] for name in names})
            if kept:
                module.sparse_params = kept

    def convert(
        self,
        module: Module,
        mapping: Optional[dict[type[Module], type[Module]]] = None,
        inplace: bool = False,
        parameterization: type[Module] = FakeSparsity,
    ) -> Module:
        """A model where masked modules are those that a mapping has for them, made by ``from_dense``.

        Args:
            module: the model.
            mapping: which class takes the place of which.
            inplace: changes the model itself.
            parameterization: the class of masks.
        """
        if mapping is None:
            raise NotImplementedError("Need to auto generate mapping ")
        if not inplace:
            module = copy.deepcopy(module)
        found = {}
        for name, child in module.named_children():
            if module_contains_param(child, parameterization) and type_before_parametrizations(child) in mapping:
                found[name] = swap_module(child, mapping)
            else:
                found[name] = self.convert(child, mapping=mapping, inplace=True, parameterization=parameterization)
        for name, child in found.items():
            module._modules[name] = child
        return module

    def step(self, use_path: bool = True) -> None:
        """Renews all masks."""
        if not self.enable_mask_update:
            return
        with torch.no_grad():
            for group in self.groups:
                self.update_mask(**group)

    @abc.abstractmethod
    def update_mask(self, module: Module, tensor_name: str, **kwargs) -> None:
        """Renews the mask of a tensor; besides its place, arguments are what is said of its sparsity."""


publish(globals())
