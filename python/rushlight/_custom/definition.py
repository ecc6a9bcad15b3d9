"""``torch.library.custom_op``: an operator from a function with annotations."""

import contextlib
import functools

from . import registry
from .infer import infer_schema
from .keys import key_of_device


class CustomOpDef:
    """An operator that a program made from a function; it is called as the function."""

    def __init__(self, namespace, name, schema, fn, tags=None):
        from ..library import Library

        self._namespace, self._name, self._schema, self._init_fn = namespace, name, schema, fn
        self._qualname_text = f"{namespace}::{name}"
        self.__name__ = None
        _forget_earlier(self._qualname_text)
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema, tags=tags or ())
        self._defined = registry.find(self._qualname_text)
        if self._defined is None:
            raise AttributeError(f"'_OpNamespace' '{namespace}' object has no attribute '{name}'")
        self._defined.definition = self

    @property
    def _qualname(self):
        return self._qualname_text

    @property
    def _opoverload(self):
        from .. import _namespaces

        return getattr(getattr(_namespaces.NAMESPACES["ops"], self._namespace), self._name).default

    def __repr__(self):
        return f"<CustomOpDef({self._qualname_text})>"

    def __call__(self, *args, **kwargs):
        from .operators import call

        return call(self._defined, args, kwargs)

    def register_kernel(self, device_types, fn=None, /):
        """The function for a kind of devices; None for all."""

        def add(function):
            kinds = [None] if device_types is None else [device_types] if isinstance(device_types, str) else list(device_types)
            for kind in kinds:
                key = "CompositeExplicitAutograd" if kind is None else key_of_device(kind)
                self._defined.kernels[key] = function
            return function

        return add if fn is None else add(fn)

    def register_fake(self, fn, /):
        """The function that says sizes and dtypes of results."""
        self._defined.fake = fn
        return fn

    def register_autograd(self, backward, /, *, setup_context=None):
        """The derivative: ``backward(ctx, *gradients)``, and what keeps things for it."""
        register_autograd(self._defined, backward, setup_context, self)

    def register_vmap(self, func=None):
        """The rule for ``vmap``: ``func(info, in_dims, *args)`` returns results and where samples are counted in them."""

        def add(function):
            self._defined.vmap = function

        return add if func is None else add(func)

    def register_autocast(self, device_type, cast_inputs):
        """The dtype that floating point arguments are cast to where autocast is on."""
        self._defined.autocast[device_type] = cast_inputs

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """Refused: classes of tensors do not take calls over here."""
        raise NotImplementedError("register_torch_dispatch: tensor subclasses with __torch_dispatch__ are not supported")

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type, enabled=True):
        """Within, the kernel of a kind of devices is used or passed by."""
        key = key_of_device(device_type)
        before = set(self._defined.disabled)
        (self._defined.disabled.discard if enabled else self._defined.disabled.add)(key)
        try:
            yield
        finally:
            self._defined.disabled = before


CustomOpDef.__module__ = "torch._library.custom_ops"


def _forget_earlier(qualified):
    """A second definition of the same name takes the place of the first."""
    found = registry.find(qualified)
    if found is not None and found.definition is not None:
        registry.remove(found)


def register_autograd(defined, backward, setup_context, shown):
    """Gives an operator its derivative."""
    if defined.mutated or any(r.alias_info is not None for r in defined.returns):
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {shown} with schema {defined.text}. Please create a "
            "functional operator and register an autograd formula for that."
        )
    if any(a.kwarg_only and "Tensor" in str(a.type) for a in defined.arguments):
        raise NotImplementedError(
            f"register_autograd with kwarg-only Tensor args. In the original definition of the op, please make your tensors not "
            f"kwarg-only. Got: {defined.text}"
        )
    defined.backward = backward
    defined.setup_context = setup_context


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Makes a function an operator ``ns::name``; its annotations are the schema. A decorator where no function is given.

    Args:
        name: the namespace and the name, ``"mylib::norm"``.
        mutates_args: the names of the arguments that the function writes, or ``"unknown"``.
        device_types: the kinds of devices that the function is for; all unless given.
        schema: the schema, where the annotations do not say it.

    The function must not return its arguments or views of them.
    """

    def make(function):
        text = schema
        if text is None:
            text = infer_schema(function, mutates_args=mutates_args)
        namespace, base = name.split("::")
        result = CustomOpDef(namespace, base, text, function, tags)
        if schema is not None:
            said = {result._defined.arguments[i].name for i in result._defined.mutated}
            if mutates_args != "unknown" and set(mutates_args) != said:
                registry.remove(result._defined)
                raise ValueError(
                    f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema suggests that "
                    f"the op mutates {said}which is different from what was provided to us in `mutates_args`. Please make these "
                    "consistent."
                )
        result.register_kernel(device_types)(function)
        functools.update_wrapper(result, function, assigned=("__doc__", "__name__", "__module__"), updated=())
        return result

    return make if fn is None else make(fn)
