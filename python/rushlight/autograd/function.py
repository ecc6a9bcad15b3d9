"""``torch.autograd.Function``: differentiation that a program defines."""

import contextlib
import functools
import sys
import warnings
import weakref

from .. import _rushlight
from . import _engine
from .grad_mode import no_grad

Tensor = _rushlight.Tensor
# Which transforms run; not loaded before the first.
_LEVELS = __name__.removesuffix("autograd.function") + "_functorch._levels"
# Whether traces take what a call does in place of the call.
_taken_apart = [False]


@contextlib.contextmanager
def taken_apart():
    """Traces that are made inside have what ``forward`` does where a function is called: for models that cannot call Python."""
    before, _taken_apart[0] = _taken_apart[0], True
    try:
        yield
    finally:
        _taken_apart[0] = before


# What ``forward`` left, by the hash of the node that was recorded, which keeps it.
_contexts = weakref.WeakValueDictionary()


class _ContextKind(type):
    """Nodes are the contexts that calls of a Function left."""

    def __instancecheck__(cls, obj):
        if isinstance(obj, _rushlight.GradientNode):
            ctx = _contexts.get(hash(obj))
            return ctx is not None and ctx._name == obj.name() and issubclass(type(ctx), cls)
        return super().__instancecheck__(obj)


class FunctionCtx(metaclass=_ContextKind):
    """What ``forward`` leaves for ``backward``."""

    def __init__(self):
        self.to_save = ()
        self.saved_for_forward = ()
        # Whether ``jvp`` runs, which has what was kept for it.
        self.in_jvp = False
        self.needs_input_grad = ()
        self.materialize = True
        self.dirty = ()
        self.non_differentiable = ()
        self.freed = False
        # Where a program keeps what is saved: functions that give it again.
        self.packed = None
        # What refuses tensors that were written since they were kept, each with which result of the call it is.
        self.kept = ()
        self.metadata = {}

    def save_for_backward(self, *tensors):
        """Keeps tensors for ``backward``."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keeps tensors for ``jvp``."""
        if not all(tensor is None or isinstance(tensor, Tensor) for tensor in tensors):
            raise AssertionError(
                "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes on ctx."
            )
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors):
        """Says which arguments were written."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors):
        """Says which results have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Whether missing gradients are zeros instead of None."""
        self.materialize = value

    @property
    def saved_tensors(self):
        """The tensors that were kept; an error once a run backwards has given them up."""
        if self.in_jvp:
            return tuple(self.saved_for_forward)
        if self.freed and self.to_save is None:
            raise RuntimeError(_engine.FREED)
        if self.packed is not None:
            return tuple(unpack() for unpack in self.packed)
        for kept, result in self.kept:
            kept.check(result, self._name)
        return tuple(self.to_save)

    saved_variables = saved_tensors

    def name(self):
        """What the node of the call is called."""
        return self._name

    def _used(self):
        """A run has used what was kept; one that retains nothing gives it up."""
        run = _engine.current()
        if run is not None and not run.retains and self.to_save:
            self.freed, self.to_save, self.packed, self.kept = True, None, None, ()


class BackwardCFunction(FunctionCtx):
    """The context of a call: each Function has a class of its own."""


def _new_context(function):
    kind = vars(function).get("_backward_cls")
    if kind is None:
        names = {"__module__": "torch.autograd.function", "_forward_cls": function}
        kind = function._backward_cls = _ContextKind(function.__name__ + "Backward", (BackwardCFunction,), names)
    return kind()


class Function:
    """A pair of ``forward`` and ``backward`` that a program defines; called through ``apply``."""

    @staticmethod
    def forward(*args, **kwargs):
        """The results."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Keeps what ``backward`` needs, where ``forward`` takes no context."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of the arguments from those of the results."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
        )

    # The other name of ``backward``: a program defines one of the two.
    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The directions of the results from those of the arguments."""
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with forward mode AD.")

    # Whether ``vmap`` makes a rule of its own from ``forward`` and ``backward``.
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, *args):
        """The results for all samples and where they are counted in these: a rule for ``torch.vmap``."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set generate_vmap_rule=True."
        )

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the "
            "class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with static "
            "forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @classmethod
    def apply(cls, *args, **kwargs):
        """Calls ``forward`` and records ``backward`` for its results; a trace keeps the call as it is."""
        if kwargs or cls.setup_context is not Function.setup_context:
            args, kwargs = _in_order(cls, args, kwargs)
        levels = sys.modules.get(_LEVELS)
        if levels is not None and levels.current():
            from .._functorch import autograd_function

            return autograd_function.apply(cls, args, kwargs)
        if _taken_apart[0] or not _rushlight.is_tracing():
            return cls._call(_new_context(cls), args, kwargs)
        tensors = [a for a in args if isinstance(a, Tensor)]
        scalars = [a for a in args if not isinstance(a, Tensor)]
        call = _rushlight.begin_traced_call(cls.__name__, cls.__module__, scalars, tensors)
        ctx = _new_context(cls)
        result = cls._call(ctx, args, kwargs)
        call.end(result, functools.partial(_call_again, cls, args, kwargs), bool(ctx.dirty))
        return result

    @classmethod
    def _call(cls, ctx, args, kwargs):
        wants = [isinstance(a, Tensor) and a.requires_grad for a in args]
        ctx.needs_input_grad, ctx._name = tuple(wants), cls.__name__ + "Backward"
        recording = any(wants) and _rushlight.is_grad_enabled()
        with no_grad():
            if cls.setup_context is not Function.setup_context:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args, **kwargs)
        _check_context(ctx, recording)
        single = not isinstance(result, tuple)
        results = [result] if single else list(result)
        written = {id(t) for t in ctx.dirty}
        plain = {id(t) for t in ctx.non_differentiable}
        for i, r in enumerate(results):
            # An argument that comes back is another variable now.
            if isinstance(r, Tensor) and id(r) not in written and any(r is a for a in args):
                results[i] = _alias(r) if recording and id(r) not in plain else r.detach()
                if id(r) in plain:
                    plain.add(id(results[i]))
        if not all(any(d is r for r in results) for d in ctx.dirty):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
                "inplace must all be outputs of the Function."
            )
        for dirty in ctx.dirty:
            from .graph import increment_version

            if recording and dirty.requires_grad and dirty.is_leaf:
                raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
            increment_version(dirty)
        if not recording:
            return results[0] if single else tuple(results)
        if ctx.to_save:
            from .graph import packed

            ctx.packed = packed(ctx.to_save)
            if ctx.packed is not None:
                ctx.to_save = (None,) * len(ctx.to_save)
        differentiable = [
            r for r in results if isinstance(r, Tensor) and id(r) not in plain and (r.is_floating_point() or r.is_complex())
        ]
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if len(written) == 1:
            # A view that was written comes first: what it was a view of gets the gradients of all others.
            places.sort(key=lambda i: id(args[i]) not in written)

        following = _follows_directions(cls, args)

        def run(grads):
            known = iter(grads)
            full = []
            for r in results:
                if any(r is d for d in differentiable):
                    grad = next(known)
                    if grad is None and ctx.materialize:
                        grad = _zeros_like(r)
                    full.append(grad)
                else:
                    full.append(_zeros_like(r) if ctx.materialize and isinstance(r, Tensor) else None)
            if following:
                from ._directions import turned

                found = turned(cls, ctx, args, results, full)
            else:
                found = _backward_of(cls)(ctx, *full)
            ctx._used()
            found = found if isinstance(found, tuple) else (found,)
            if len(found) < len(args) or any(grad is not None for grad in found[len(args) :]):
                raise RuntimeError(
                    f"function {cls.__name__}Backward returned an incorrect number of gradients (expected {len(args)}, got {len(found)})"
                )
            found = found[: len(args)]
            for i, grad in enumerate(found):
                if grad is not None and not isinstance(grad, Tensor):
                    raise RuntimeError(f"expected Variable or None (got {_rushlight.shown_type(grad)})")
                if grad is not None and not isinstance(args[i], Tensor):
                    raise RuntimeError(
                        f"function {cls.__name__}Backward returned a gradient different than None at position {i + 1}, "
                        "but the corresponding forward input was not a Variable"
                    )
                if grad is not None and grad.is_complex() and not args[i].is_complex():
                    raise RuntimeError(
                        "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but got false.  "
                        "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"
                    )
            return [found[i] for i in places]

        if ctx.to_save and ctx.packed is None:
            numbers = {id(r): i for i, r in enumerate(results)}
            ctx.kept = [(_rushlight.KeptTensor(t), numbers.get(id(t))) for t in ctx.to_save if t is not None]
        _rushlight.record_custom(cls.__name__ + "Backward", [args[i] for i in places], differentiable, run, list(ctx.dirty))
        _show_context(ctx, differentiable)
        return results[0] if single else tuple(results)


@functools.lru_cache(maxsize=256)
def _signature(function):
    import inspect

    return inspect.signature(function)


def _in_order(cls, args, kwargs):
    """The arguments of a call with those that are named in their places, for gradients are counted by places.

    A Function with ``setup_context`` has all of its arguments in there, also those that were left out.
    """
    if cls.setup_context is not Function.setup_context:
        bound = _signature(cls.forward).bind(*args, **kwargs)
        bound.apply_defaults()
        args, kwargs = bound.args, bound.kwargs
        if kwargs:
            raise TypeError(f"forward() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return args, kwargs
    given = _signature(cls.forward).parameters.values()
    names = [one.name for one in given if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)][1:]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    for name in names[: len(args)]:
        if name in kwargs:
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    last = max(map(names.index, kwargs))
    for place, name in enumerate(names[len(args) : last + 1], len(args)):
        if name not in kwargs:
            raise TypeError(f"forward() missing required argument: '{name}' (position {place})")
        args += (kwargs[name],)
    return args, {}


def _check_context(ctx, recording):
    """Refuses what ``forward`` said of other things than tensors."""
    for i, written in enumerate(ctx.dirty):
        if not isinstance(written, Tensor):
            raise RuntimeError(f"mark_dirty can only accept variables, but argument {i} is of type {_rushlight.shown_type(written)}")
    for plain in ctx.non_differentiable:
        if not isinstance(plain, Tensor):
            raise RuntimeError(f"mark_non_differentiable only accepts variable arguments, but got {_rushlight.shown_type(plain)}")
    if ctx.to_save is None:
        ctx.to_save = ()
    if not isinstance(ctx.to_save, tuple):
        raise RuntimeError(f"autograd internal error: to_save attribute is expected to be a tuple but is {_rushlight.shown_type(ctx.to_save)}")
    for i, saved in enumerate(ctx.to_save if recording else ()):
        if saved is not None and not isinstance(saved, Tensor):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {_rushlight.shown_type(saved)}")


def _backward_of(cls):
    """What a Function defines to run backwards."""
    if cls.vjp is Function.vjp:
        return cls.backward
    if cls.backward is not Function.backward:
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of them."
        )
    return cls.vjp


def _follows_directions(cls, args):
    """Whether a call is made to follow directions, as ``jvp`` says: the innermost transform does, or arguments are dual tensors.

    Raises:
        NotImplementedError: where the Function defines no ``jvp``.
    """
    levels, dual = sys.modules.get(_LEVELS), sys.modules.get(__name__.removesuffix("function") + "forward_ad")
    if (levels is None or not levels.current()) and (dual is None or not dual.is_on()):
        return False
    from ._directions import has_direction

    if not any(isinstance(a, Tensor) and a.requires_grad and has_direction(a) for a in args):
        return False
    if cls.jvp is Function.jvp:
        cls.jvp(None)
    return True


class InplaceFunction(Function):
    """A function that may write to its argument. Of older programs."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A function whose arguments and results were containers of tensors. Of older programs: its methods are not static, so that it
    cannot be called any more."""

    def forward_extended(self, *input):
        """The results."""
        raise NotImplementedError

    def backward_extended(self, *grad_output):
        """The gradients of the arguments from those of the results."""
        raise NotImplementedError


def _show_context(ctx, results):
    """Lets ``result.grad_fn`` have the attributes of the context."""
    nodes = (_rushlight.grad_fn(result) for result in results)
    node = next((node for node in nodes if node is not None and node.name() == ctx._name), None)
    if node is None:
        return
    _contexts[hash(node)] = ctx


def _context(node, attribute):
    ctx = _contexts.get(hash(node))
    # The place of a node that is gone may have another since.
    if ctx is None or ctx._name != node.name():
        kind = type(node).__name__
        raise AttributeError(f"'{kind}' object has no attribute '{attribute}'", name=attribute, obj=node)
    return ctx


def _get_of_context(self, name):
    ctx = _context(self, name)
    try:
        return getattr(ctx, name)
    except AttributeError as problem:
        text = str(problem).replace(type(ctx).__name__, type(self).__name__, 1)
        raise AttributeError(text, name=name, obj=self) from None


def _set_of_context(self, name, value):
    setattr(_context(self, name), name, value)


def _delete_of_context(self, name):
    delattr(_context(self, name), name)


def _metadata(self):
    """What programs write down about a call of a Function."""
    ctx = _contexts.get(hash(self))
    return _own_metadata.__get__(self) if ctx is None or ctx._name != self.name() else ctx.metadata


_Node = _rushlight.GradientNode
_own_metadata = _Node.metadata
_Node.__getattr__, _Node.__setattr__, _Node.__delattr__ = _get_of_context, _set_of_context, _delete_of_context
_Node.metadata = property(_metadata)


def _alias(tensor):
    with no_grad():
        return tensor.view_as(tensor)


def _call_again(cls, args, kwargs, *tensors):
    """Makes a call of a trace again on other tensors."""
    given = iter(tensors)
    return cls.apply(*(next(given) if isinstance(a, Tensor) else a for a in args), **kwargs)


def _zeros_like(tensor):
    from .. import zeros_like

    return zeros_like(tensor)


def once_differentiable(function):
    """A ``backward`` that has no gradient of its own: what it returns refuses to be differentiated."""

    @functools.wraps(function)
    def wrapper(ctx, *args):
        with no_grad():
            found = function(ctx, *args)
        if not _rushlight.is_grad_enabled() or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return found
        grads = found if isinstance(found, tuple) else (found,)
        guarded = tuple(g.detach() if isinstance(g, Tensor) else g for g in grads)
        differentiable = [g for g in guarded if isinstance(g, Tensor) and (g.is_floating_point() or g.is_complex())]
        if differentiable:
            # A node behind which there is nothing but the refusal.
            end = differentiable[0].new_empty(0).requires_grad_()
            _rushlight.record_custom("Error", [end], differentiable, _refuse_twice, [])
        return guarded if isinstance(found, tuple) else guarded[0]

    return wrapper


def _refuse_twice(grads):
    raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def _nested_map(condition, fn, condition_msg=None):
    """A function that applies ``fn`` to what fulfils ``condition`` inside lists, tuples and dictionaries."""

    def walk(obj):
        if condition(obj):
            return fn(obj)
        if obj is None:
            return None
        if isinstance(obj, (list, tuple)):
            parts = [walk(part) for part in obj]
            return type(obj)(*parts) if hasattr(obj, "_fields") else type(obj)(parts)
        if isinstance(obj, dict):
            return {key: walk(part) for key, part in obj.items()}
        raise ValueError(
            f"Auto nesting doesn't know how to process an input object of type {_type_of(obj)}"
            + (f". Accepted types: {condition_msg}, or lists/tuples of them" if condition_msg else "")
        )

    return walk


def _type_of(obj):
    from .._functions import typename

    return typename(obj)
