"""State of modules as dictionaries: ``state_dict`` and ``load_state_dict``."""

import itertools
import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from ...autograd import no_grad
from ..._once import outside
from ..._rushlight import Tensor
from ..parameter import Parameter, is_lazy

__all__ = ["StateDicts"]

_EXTRA = "_extra_state"


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What did not match between a module and a dictionary."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _quoted(keys):
    return ", ".join(f'"{key}"' for key in keys)


class StateDicts:
    """The part of ``Module`` that gives and takes its state."""

    def get_extra_state(self):
        """State beyond tensors, for subclasses to give."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def set_extra_state(self, state):
        """Takes what ``get_extra_state`` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def _has_extra(self, direction):
        return getattr(type(self), direction) is not getattr(StateDicts, direction)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Adds the module's own tensors, without those of its children."""
        buffers = ((n, b) for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set)
        for name, tensor in itertools.chain(self._parameters.items(), buffers):
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()
        if self._has_extra("get_extra_state"):
            destination[prefix + _EXTRA] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """Parameters and persistent buffers by path, detached unless ``keep_vars``."""
        if args:
            destination, prefix, keep_vars = (*args, *(destination, prefix, keep_vars)[len(args):])
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        own = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = own
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=prefix + name + ".", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, own)
            if getattr(hook, "_from_public_api", False):
                if changed is not None:
                    raise RuntimeError("state_dict post-hook must return None")
            elif changed is not None:
                destination = changed
        return destination

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Takes the module's own tensors, without those of its children."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = dict(self._parameters)
        own.update((n, b) for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set)
        for name, current in own.items():
            if current is None:
                continue
            if prefix + name in state_dict:
                self._take(name, current, prefix + name, state_dict[prefix + name], assign, error_msgs)
            elif strict:
                missing_keys.append(prefix + name)
        self._take_extra(state_dict, prefix, strict, missing_keys, unexpected_keys)
        if strict:
            unexpected_keys.extend(self._unknown(state_dict, prefix, own))

    def _take(self, name, current, key, given, assign, error_msgs):
        if not isinstance(given, Tensor):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
            return
        if is_lazy(current):
            if is_lazy(given):
                return
            current.materialize(given.shape)
        if current.dim() == 0 and given.dim() == 1 and given.shape[0] == 1:
            given = given[0]  # scalars were once stored as tensors of one element
        if given.shape != current.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {current.shape}."
            )
            return
        if current.is_meta and not given.is_meta and not assign:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
                "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in the "
                "module instead of copying them in place?)",
                stacklevel=outside(),
            )
        try:
            with no_grad():
                if assign:
                    if isinstance(current, Parameter) and not isinstance(given, Parameter):
                        given = Parameter(given, requires_grad=current.requires_grad)
                    setattr(self, name, given)
                else:
                    current.copy_(given)
        except Exception as error:
            error_msgs.append(
                f'While {"swapping" if assign else "copying"} the parameter named "{key}", whose dimensions in the '
                f"model are {current.size()} and whose dimensions in the checkpoint are {given.size()}, an exception "
                f"occurred : {error.args}."
            )

    def _take_extra(self, state_dict, prefix, strict, missing_keys, unexpected_keys):
        key = prefix + _EXTRA
        if self._has_extra("set_extra_state"):
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)

    def _unknown(self, state_dict, prefix, own):
        """Keys under the prefix that name nothing of this module."""
        for key in state_dict:
            if not key.startswith(prefix) or key == prefix + _EXTRA:
                continue
            first, *rest = key[len(prefix):].split(".", 1)
            if rest:
                if first not in self._modules:
                    yield key
            elif first not in own:
                yield key

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies parameters and buffers from a dictionary; with ``strict``, its keys must be the module's."""
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata
        _load(self, state_dict, "", metadata, assign, missing, unexpected, errors)
        if strict:
            if unexpected:
                errors.insert(0, f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
            if missing:
                errors.insert(0, f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        return _IncompatibleKeys(missing, unexpected)


def _load(module, state_dict, prefix, metadata, assign, missing, unexpected, errors):
    """Loads a module and its children."""
    own = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        own["assign_to_params_buffers"] = True
    module._load_from_state_dict(state_dict, prefix, own, True, missing, unexpected, errors)
    parts = {}
    for key, value in state_dict.items():
        name, dot, _ = key[len(prefix) :].partition(".")
        if dot and key.startswith(prefix):
            parts.setdefault(name, {})[key] = value
    for name, child in module._modules.items():
        if child is not None:
            _load(child, parts.get(name, {}), f"{prefix}{name}.", metadata, assign, missing, unexpected, errors)
    keys = _IncompatibleKeys(missing, unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not"
                "expected to return new values, if incompatible_keys need to be modified,"
                "it should be done inplace."
            )
