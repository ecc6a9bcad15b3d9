"""Hooks of modules: what runs around ``forward``, and the tables they are kept in."""

import functools
from collections import OrderedDict

from ...utils.hooks import RemovableHandle

__all__ = [
    "HookTables", "register_module_backward_hook", "register_module_buffer_registration_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]

# Hooks of every module of the process.
_global_forward_hooks = OrderedDict()
_global_forward_pre_hooks = OrderedDict()
_global_forward_hooks_always_called = OrderedDict()
_global_forward_hooks_with_kwargs = OrderedDict()
_global_backward_hooks = OrderedDict()
_global_backward_pre_hooks = OrderedDict()
_global_parameter_registration_hooks = OrderedDict()
_global_buffer_registration_hooks = OrderedDict()
_global_module_registration_hooks = OrderedDict()
# Whether the hooks of all modules that see gradients are full ones; None before the first of them.
_global_is_full_backward_hook = None


def register_module_forward_pre_hook(hook):
    """Runs ``hook(module, args)`` before the forward of every module."""
    handle = RemovableHandle(_global_forward_pre_hooks)
    _global_forward_pre_hooks[handle.id] = hook
    return handle


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Runs ``hook(module, args, output)`` after the forward of every module."""
    handle = RemovableHandle(
        _global_forward_hooks, extra_dict=[_global_forward_hooks_always_called, _global_forward_hooks_with_kwargs]
    )
    _global_forward_hooks[handle.id] = hook
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        _global_forward_hooks_always_called[handle.id] = True
    return handle


def _put_global(table, hook):
    handle = RemovableHandle(table)
    table[handle.id] = hook
    return handle


def register_module_parameter_registration_hook(hook):
    """Runs ``hook(module, name, parameter)`` when any module gets a parameter; what it returns replaces that."""
    return _put_global(_global_parameter_registration_hooks, hook)


def register_module_buffer_registration_hook(hook):
    """Runs ``hook(module, name, buffer)`` when any module gets a buffer; what it returns replaces that."""
    return _put_global(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook):
    """Runs ``hook(module, name, submodule)`` when any module gets a submodule; what it returns replaces that."""
    return _put_global(_global_module_registration_hooks, hook)


def registered(table, module, name, value):
    """What a module gets under a name, after the hooks for it."""
    for hook in list(table.values()):
        changed = hook(module, name, value)
        if changed is not None:
            value = changed
    return value


def _put_backward(hook, is_full):
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook not in (None, is_full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them."
        )
    _global_is_full_backward_hook = is_full
    return _put_global(_global_backward_hooks, hook)


def register_module_backward_hook(hook):
    """The older name of :func:`register_module_full_backward_hook`; a program may use one of the two."""
    return _put_backward(hook, False)


def register_module_full_backward_hook(hook):
    """Runs ``hook(module, grad_input, grad_output)`` for every module when both are known; what it returns replaces the first."""
    return _put_backward(hook, True)


def register_module_full_backward_pre_hook(hook):
    """Runs ``hook(module, grad_output)`` for every module when that is known; what it returns replaces it."""
    return _put_global(_global_backward_pre_hooks, hook)


# What forwards of modules go through while a trace is recorded.
call_forward = None


def any_for(module):
    """Whether hooks, or a trace, want to know of a call of a module."""
    return bool(
        call_forward is not None
        or module._backward_hooks
        or module._backward_pre_hooks
        or module._forward_pre_hooks
        or module._forward_hooks
        or _global_forward_hooks
        or _global_forward_pre_hooks
        or _global_backward_hooks
        or _global_backward_pre_hooks
    )


def run_with_hooks(module, args, kwargs):
    """The forward of a module between its hooks."""
    pending = {**module._forward_hooks_always_called, **_global_forward_hooks_always_called}
    # Bound before the hooks run, which may change the module's class.
    forward = module.forward
    try:
        args, kwargs = _before(module, args, kwargs)
        watch = None
        if module._backward_hooks or module._backward_pre_hooks or _global_backward_hooks or _global_backward_pre_hooks:
            from ._backward_hooks import Watch

            watch = Watch(module)
            args = watch.arguments(args)
        result = forward(*args, **kwargs) if call_forward is None else call_forward(module, forward, args, kwargs)
        result = _after(module, args, kwargs, result, pending)
        return result if watch is None else watch.results(result, args)
    except Exception:
        _always(module, args, kwargs, pending)
        raise


def _before(module, args, kwargs):
    for number, hook in [*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()]:
        if number in module._forward_pre_hooks_with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is None:
                continue
            if not (isinstance(changed, tuple) and len(changed) == 2):
                raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}.")
            args, kwargs = changed
            continue
        changed = hook(module, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    return args, kwargs


def _after(module, args, kwargs, result, pending):
    for number, hook in [*_global_forward_hooks.items(), *module._forward_hooks.items()]:
        pending.pop(number, None)
        changed = _call_after(module, number, hook, args, kwargs, result)
        if changed is not None:
            result = changed
    return result


def _call_after(module, number, hook, args, kwargs, result):
    if number in module._forward_hooks_with_kwargs or number in _global_forward_hooks_with_kwargs:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _always(module, args, kwargs, pending):
    """After a failure, the hooks that asked for it still run; their own failures become warnings."""
    import warnings

    for table in (_global_forward_hooks, module._forward_hooks):
        for number, hook in table.items():
            if number not in pending:
                continue
            try:
                _call_after(module, number, hook, args, kwargs, None)
            except Exception as error:
                origin = "global module " if table is _global_forward_hooks else "module "
                warnings.warn(
                    f"{origin}forward hook with ``always_call=True`` raised an exception that was silenced as another "
                    f"error was raised in forward: {error}",
                    stacklevel=3,
                )


class _WithModule:
    """A hook that gets its module first, without keeping it alive."""

    def __init__(self, hook, module):
        import weakref

        functools.update_wrapper(self, hook)
        self.hook = hook
        self.module = None if module is None else weakref.ref(module)
        self.with_module = module is not None

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        return {"hook": self.hook, "with_module": self.with_module, "module": self.module and self.module()}

    def __setstate__(self, state):
        import weakref

        self.hook, self.with_module = state["hook"], state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


# What a new module starts with; modules unpickled from before a table existed get it too.
TABLES = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


class HookTables:
    """The part of ``Module`` that registers hooks."""

    def _put_hook(self, table, hook, *marks, prepend=False):
        """Adds a hook to a table and, for each mark, its number to that table."""
        table = getattr(self, table)
        marks = [getattr(self, mark) for mark in marks]
        handle = RemovableHandle(table, extra_dict=marks)
        table[handle.id] = hook
        if prepend:
            table.move_to_end(handle.id, last=False)
        for mark in marks:
            mark[handle.id] = True
            if prepend:
                mark.move_to_end(handle.id, last=False)
        return handle

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Runs ``hook(module, args)`` before ``forward``; what it returns replaces the arguments."""
        marks = ["_forward_pre_hooks_with_kwargs"] if with_kwargs else []
        return self._put_hook("_forward_pre_hooks", hook, *marks, prepend=prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Runs ``hook(module, args, output)`` after ``forward``; what it returns replaces the output."""
        marks = ["_forward_hooks_with_kwargs"] if with_kwargs else []
        marks += ["_forward_hooks_always_called"] if always_call else []
        return self._put_hook("_forward_hooks", hook, *marks, prepend=prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Runs ``hook(module, grad_input, grad_output)`` when both are known; what it returns replaces the first."""
        self._backward_hooks_are(full=True)
        return self._put_hook("_backward_hooks", hook, prepend=prepend)

    def _backward_hooks_are(self, full):
        if self._is_full_backward_hook not in (None, full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = full

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Runs ``hook(module, grad_output)`` when the gradients of the results are known; what it returns replaces them."""
        return self._put_hook("_backward_pre_hooks", hook, prepend=prepend)

    def register_backward_hook(self, hook):
        """Runs ``hook(module, grad_input, grad_output)`` at the node that makes the result, with what that node sees; a module has hooks of
        one of the two kinds."""
        self._backward_hooks_are(full=False)
        return self._put_hook("_backward_hooks", hook)

    def register_state_dict_pre_hook(self, hook):
        """Runs ``hook(module, prefix, keep_vars)`` before ``state_dict``."""
        return self._put_hook("_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook):
        """Runs ``hook(module, state_dict, prefix, local_metadata)`` after ``state_dict``."""
        hook._from_public_api = True
        return self._put_hook("_state_dict_hooks", hook)

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return self._put_hook("_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Runs ``hook(module, state_dict, prefix, ...)`` before the module's own part is loaded."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return self._put_hook("_load_state_dict_pre_hooks", _WithModule(hook, self if with_module else None))

    def register_load_state_dict_post_hook(self, hook):
        """Runs ``hook(module, incompatible_keys)`` after ``load_state_dict``."""
        return self._put_hook("_load_state_dict_post_hooks", hook)
