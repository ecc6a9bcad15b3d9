"""What all optimisers share: groups of parameters, state, saving and loading."""

import copy
import functools
import types
import warnings
from collections import OrderedDict, defaultdict

import rushlight as torch

from .. import _rushlight
from ..utils.hooks import RemovableHandle

Tensor = torch.Tensor


# Hooks around the steps of all optimisers.
ALL_BEFORE, ALL_AFTER = OrderedDict(), OrderedDict()


def _add_hook(hooks, hook, prepend=False):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def check_not_negative(**values):
    """Refuses negative options, by the name that messages give them."""
    for name, value in values.items():
        if not 0.0 <= value:
            raise ValueError(f"Invalid {name.replace('__', ' ')}: {value}")


def check_single(lr):
    """Refuses a learning rate that is a tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_rate(lr):
    """Refuses a learning rate that is negative, or a tensor of several."""
    check_single(lr)
    if not 0.0 <= lr:
        raise ValueError(f"Invalid learning rate: {lr}")


def check_betas(betas):
    """Refuses decays of moments that do not lie between 0 and 1."""
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def check_decay(weight_decay):
    """Refuses a negative weight decay."""
    if not 0.0 <= weight_decay:
        raise ValueError(f"Invalid weight_decay value: {weight_decay}")


_UNORDERED = (
    "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets will change between runs. "
    "Please use a list instead."
)


class Optimizer:
    """Base of optimisers: ``param_groups`` with their options, and ``state`` by parameter.

    Args:
        params: parameters, named parameters, or dictionaries with ``params`` and options of their own.
        defaults: the options of groups that do not give them.
    """

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
        from ..utils._foreach_utils import _group_tensors_by_device_and_dtype

        return _group_tensors_by_device_and_dtype(tensorlistlist, with_indices)

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._without_hooks()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params.type()
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        if isinstance(params, set):
            warnings.warn(f"{_UNORDERED} This will be an error in a future release.", FutureWarning, stacklevel=3)
        groups = list(params)
        if len(groups) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _without_hooks(self):
        for what in ("step", "state_dict", "load_state_dict"):
            for when in ("pre", "post"):
                setattr(self, f"_optimizer_{what}_{when}_hooks", OrderedDict())

    @staticmethod
    def profile_hook_step(func):
        """A step that calls the hooks around it, and that a profile shows."""

        @functools.wraps(func)
        def wrapped(self, *args, **kwargs):
            args = (self, *args)
            for hook in [*ALL_BEFORE.values(), *self._optimizer_step_pre_hooks.values()]:
                result = hook(self, args, kwargs)
                if result is not None:
                    if not (isinstance(result, tuple) and len(result) == 2):
                        raise RuntimeError(
                            f"{func} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                        )
                    args, kwargs = result
            self._opt_called = True
            if _rushlight.is_profiling():
                with torch.autograd.profiler.record_function(f"Optimizer.step#{type(self).__name__}.step"):
                    out = func(*args, **kwargs)
            else:
                out = func(*args, **kwargs)
            self._optimizer_step_code()
            for hook in [*self._optimizer_step_post_hooks.values(), *ALL_AFTER.values()]:
                hook(self, args, kwargs)
            return out

        return wrapped

    def _patch_step_function(self):
        """Gives the class a step that calls hooks, once."""
        cls = type(self)
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{cls.__name__}.zero_grad"
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)
            cls.step.hooked = True

    def _optimizer_step_code(self):
        """What observers of the process put something else in the place of: it is called after each step."""

    def add_param_group(self, param_group):
        """Adds a group of parameters with options of its own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        params = group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError(_UNORDERED)
        params = list(params)
        named = [isinstance(p, tuple) for p in params]
        if any(named):
            if not all(named):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            group["param_names"] = [p[0] for p in params]
            params = [p[1] for p in params]
        group["params"] = params
        if self.param_groups and ("param_names" in group) != ("param_names" in self.param_groups[0]):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if 'param_names' in group else 'without'} names to the optimizer"
            )
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is " + type(param).__name__
                )
            if not self.defaults.get("differentiable", None) and not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        keys = [id(p) for p in params]
        if len(keys) != len(set(keys)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        known = {id(p) for g in self.param_groups for p in g["params"]}
        if known & set(keys):
            raise ValueError("some parameters appear in more than one parameter group")
        param_group.update(group)
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none=True):
        """Forgets all gradients, or sets them to zero."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    if p.grad.grad_fn is not None:
                        p.grad = p.grad.detach()
                    p.grad.zero_()

    def step(self, closure=None):
        """Changes the parameters once; ``closure`` evaluates the model again and returns the loss."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook):
        """Calls ``hook(optimizer, args, kwargs)`` before each step."""
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Calls ``hook(optimizer, args, kwargs)`` after each step."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer)`` before each ``state_dict()``."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer, state_dict)`` on each state that is given; what it returns takes the place of the state."""
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer, state_dict)`` before a state is loaded; what it returns is loaded instead."""
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Calls ``hook(optimizer)`` after a state was loaded."""
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def state_dict(self):
        """Options and state, with numbers in the place of parameters."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers = {}

        def packed(group):
            out = {k: v for k, v in group.items() if k != "params"}
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            out["params"] = [numbers[id(p)] for p in group["params"]]
            return out

        groups = [packed(group) for group in self.param_groups]
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, result)
            result = result if replaced is None else replaced
        return result

    def load_state_dict(self, state_dict):
        """Takes over options and state that ``state_dict`` gave."""
        state_dict = dict(state_dict)
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        groups, saved = self.param_groups, state_dict["param_groups"]
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        numbers = [n for s in saved for n in s["params"]]
        params = [p for g in groups for p in g["params"]]
        by_number = dict(zip(numbers, params))
        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = {k: _taken(v, by_number[key], k) for k, v in value.items()}
            else:
                state[key] = copy.copy(value)
        self.state = state
        self.param_groups = [
            {**copy.deepcopy({k: v for k, v in s.items() if k != "params"}), "params": g["params"]}
            for g, s in zip(groups, saved)
        ]
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._without_hooks()
        self._patch_step_function()

    def __repr__(self):
        text = self.__class__.__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"


def _taken(value, param, key):
    if isinstance(value, Tensor):
        if key == "step" or not param.is_floating_point():
            return value
        return value.to(param.dtype)
    if isinstance(value, dict):
        return {k: _taken(v, param, k) for k, v in value.items()}
    return value


def _no_sparse(name, is_fused):
    if is_fused and name == "SGD":
        return "`_fused_sgd` does not support sparse gradients"
    if is_fused and name == "Adagrad":
        return "`fused` does not support sparse grad or complex param"
    if name in ("Adam", "AdamW"):
        return "Adam does not support sparse gradients, please consider SparseAdam instead"
    return f"{name} does not support sparse gradients"


def refuse_fused(defaults):
    """Refuses options that cannot be asked for together with ``fused``."""
    if defaults.get("fused"):
        if defaults.get("differentiable"):
            raise RuntimeError("`fused` does not support `differentiable`")
        if defaults.get("foreach"):
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def _step(self, closure=None):
    """Changes the parameters once; ``closure`` evaluates the model again and returns the loss."""
    with torch.set_grad_enabled(bool(self.defaults.get("differentiable"))):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    change(self, p, p.grad, _started(self, p, group), group)
    return loss


def _started(self, p, group):
    """The state of a parameter, with what the first step finds in it."""
    if p.grad.is_sparse and (group.get("fused") or not self._takes_sparse):
        raise RuntimeError(_no_sparse(type(self).__name__, group.get("fused")))
    state = self.state[p] if p in self.state else {}
    if not state:
        first = self._first(p, p.grad, group)
        if first:
            state = self.state[p]
            state.update(first)
    return state


def _init_group(self, group, params_with_grad, grads, *lists):
    """Collects the parameters of a group that have gradients, those, and their state in a list for each of its names."""
    has_complex = has_sparse = False
    for p in group["params"]:
        if p.grad is None:
            continue
        has_complex |= p.is_complex()
        has_sparse |= p.grad.is_sparse
        params_with_grad.append(p)
        grads.append(p.grad)
        state = _started(self, p, group)
        for name, into in zip(self._lists, lists):
            if name in state or self._lists_are_full:
                into.append(state.get(name))
    return (has_sparse, has_complex)[self._tells_of] if isinstance(self._tells_of, int) else (has_sparse, has_complex)


def per_parameter(*lists, takes_sparse=False, as_reals=True, lists_are_full=False, tells_of=1, capturable="params and state_steps", places=", 'xla'"):
    """Makes a class an optimiser that changes each parameter by itself: ``_first(p, gradient, group)`` is its state before the
    first step, and ``_update(p, gradient, state, group)`` changes it.

    Args:
        lists: the names in the state, in the order in which ``_init_group`` wants lists for them.
        takes_sparse: whether gradients may be sparse.
        as_reals: whether complex parameters are seen as pairs of real ones.
        lists_are_full: whether ``_init_group`` lists None for what a state does not have.
        tells_of: whether ``_init_group`` tells of sparse gradients (0), complex parameters (1) or both (None).
        capturable: what devices would have to have for ``capturable``.
        places: the last of those devices.
    """

    def made(cls):
        cls.step, cls._init_group = _copied(_step, cls, "step"), _copied(_init_group, cls, "_init_group")
        cls._lists, cls._takes_sparse, cls._as_reals, cls._lists_are_full = lists, takes_sparse, as_reals, lists_are_full
        cls._tells_of, cls._capturable = tells_of, f"{capturable} {_DEVICES}{places}]."
        return cls

    return made


def _copied(function, cls, name):
    """A function of its own for each class: what hooks wrap around one is not around the others."""
    copied = types.FunctionType(function.__code__, globals(), name, function.__defaults__)
    copied.__doc__, copied.__qualname__, copied.__module__ = function.__doc__, f"{cls.__name__}.{name}", cls.__module__
    return copied


_DEVICES = "must be on supported devices: ['cuda', 'xpu', 'hpu', 'privateuseone'"


def change(rule, p, gradient, state, group):
    """One step of a parameter; ``rule`` is an optimiser that changes each parameter by itself, or its class."""
    if group.get("capturable"):
        raise AssertionError(f"If capturable=True, {rule._capturable}")
    if group.get("foreach") and group.get("differentiable"):
        raise AssertionError("_foreach ops don't support autograd")
    if group.get("maximize"):
        gradient = -gradient
    if rule._as_reals and p.is_complex():
        p, gradient = torch.view_as_real(p), torch.view_as_real(gradient)
        state = {
            name: torch.view_as_real(value) if isinstance(value, Tensor) and value.is_complex() else value
            for name, value in state.items()
        }
    rule._update(p, gradient, state, group)


def zeros(p, *names):
    """A state that counts steps and has zeros under the names."""
    return {"step": torch.tensor(0.0), **{name: torch.zeros_like(p, memory_format=torch.preserve_format) for name in names}}


def counted(state):
    """The number of a step that begins."""
    state["step"] += 1
    return state["step"].item()


def rate_of(group):
    """The learning rate of a group as a number, or as a tensor where gradients of it are recorded."""
    lr = group["lr"]
    if isinstance(lr, Tensor) and not (lr.requires_grad and torch.is_grad_enabled()):
        return lr.item()
    return lr


def plus(tensor, number):
    """A result and a number: the result may be kept for gradients."""
    return tensor.add(number) if torch.is_grad_enabled() else tensor.add_(number)


def kept(tensor):
    """A tensor as gradients may keep it, although later steps change it."""
    return tensor.clone() if torch.is_grad_enabled() else tensor


def back(p, direction, size):
    """Moves a parameter against a direction."""
    if isinstance(size, Tensor):
        p.addcmul_(direction, size, value=-1)
    else:
        p.add_(direction, alpha=-size)


def back_by_ratio(p, over, under, size):
    """Moves a parameter against the ratio of two tensors."""
    if isinstance(size, Tensor):
        p.addcdiv_(kept(over) * size, under, value=-1)
    else:
        p.addcdiv_(kept(over), under, value=-size)
