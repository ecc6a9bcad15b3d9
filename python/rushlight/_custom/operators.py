"""Calling operators that programs define: which kernel, what is recorded for gradients, what a trace keeps."""

import threading

from .. import _rushlight
from ..autograd.function import FunctionCtx
from . import registry
from .arguments import as_dtypes, bind

Tensor = _rushlight.Tensor


class _Thread(threading.local):
    # Whether calls pass by kernels for autograd, because one of these is making them.
    below_autograd = False
    # Takes the exceptions of kernels while a call is traced.
    raised = None


_thread = _Thread()


class below_autograd:
    """Within, operators call their kernels below those for autograd."""

    def __enter__(self):
        self.before = _thread.below_autograd
        _thread.below_autograd = True

    def __exit__(self, *_):
        _thread.below_autograd = self.before


def _tensors(values):
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


class _Kind(type):
    """The type of classes of operators: built-in ones count as instances."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        is_builtin = isinstance(instance, _rushlight.Builtin) and instance.path.startswith("torch.ops.")
        return is_builtin and (instance.path.count(".") > 3) == (cls.__name__ == "OpOverload")


class OpOverload(metaclass=_Kind):
    """One overload of an operator: ``torch.ops.ns.name.default``."""

    def __init__(self, packet, defined):
        self._defined = defined
        self._overloadpacket = packet
        self._schema = _Schema(defined)
        self._name = defined.full
        self._qualified_op_name = defined.qualified
        self._overloadname = defined.schema.overload_name or "default"
        self.namespace, self._opname = defined.qualified.split("::")
        self.__name__ = f"{self._opname}.{self._overloadname}"
        self.__qualname__ = self.__name__
        self.__module__ = f"torch._ops.{self.namespace}"
        self._rushlight_defined = defined

    @property
    def overloadpacket(self):
        """The operator with all its overloads."""
        return self._overloadpacket

    @property
    def op(self):
        """The operator with all its overloads."""
        return self._overloadpacket

    @property
    def tags(self):
        """What the definition says of the operator."""
        return self._defined.tags

    @property
    def is_view(self):
        """Whether results share memory with arguments that are not written."""
        infos = [a.alias_info for a in self._defined.arguments]
        return any(i is not None and not i.is_write for i in infos)

    def name(self):
        """``ns::name.overload``."""
        return self._name

    def decompose(self, *args, **kwargs):
        """What the operator does, made of others: the kernel for all devices if there is one."""
        kernel = self._defined.kernels.get("CompositeImplicitAutograd")
        return NotImplemented if kernel is None else kernel(*args, **kwargs)

    def has_kernel_for_dispatch_key(self, key):
        """Whether there is a kernel for a key."""
        return str(key).removeprefix("DispatchKey.") in self._defined.kernels

    def __call__(self, *args, **kwargs):
        return call(self._defined, args, kwargs)

    def __str__(self):
        return f"{self.namespace}.{self._opname}.{self._overloadname}"

    def __repr__(self):
        return f"<OpOverload(op='{self.namespace}.{self._opname}', overload='{self._overloadname}')>"

    def __deepcopy__(self, memo):
        return self


class _Schema:
    """The schema of an operator, as its definition spelt it."""

    def __init__(self, defined):
        self._defined = defined

    def __getattr__(self, name):
        return getattr(self._defined.schema, name)

    def __str__(self):
        return self._defined.text

    __repr__ = __str__

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(str(self))


class OpOverloadPacket(metaclass=_Kind):
    """An operator with all its overloads: ``torch.ops.ns.name``."""

    def __init__(self, qualified):
        self._qualified_op_name = qualified
        self._namespace, self.__name__ = qualified.split("::")
        self.__module__ = f"torch.ops.{self._namespace}"
        self._made = {}

    def _all(self):
        return registry.overloads(self._qualified_op_name) or {}

    def overloads(self):
        """The names of the overloads."""
        return [name or "default" for name in self._all()]

    def __iter__(self):
        return iter(self.overloads())

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        defined = self._all().get("" if name == "default" else name)
        if defined is None:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        made = self._made.get(name)
        if made is None or made._defined is not defined:
            made = self._made[name] = OpOverload(self, defined)
        return made

    @property
    def op(self):
        """What is called."""
        return self

    def __call__(self, *args, **kwargs):
        every = list(self._all().values())
        if not every:
            raise AttributeError(f"'_OpNamespace' '{self._namespace}' object has no attribute '{self.__name__}'")
        if len(every) == 1:
            return call(every[0], args, kwargs, packet=True)
        refusals = []
        for defined in every:
            try:
                bind(defined, args, kwargs)
            except RuntimeError as error:
                refusals.append(str(error))
                continue
            return call(defined, args, kwargs, packet=True)
        raise RuntimeError("Overloaded torch operator invoked from Python failed to match any schema:\n" + "\n\n".join(refusals) + "\n\n")

    def __str__(self):
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"

    def __deepcopy__(self, memo):
        return self


for _class in (OpOverload, OpOverloadPacket):
    _class.__module__ = "torch._ops"


def path_of(operator):
    """By which path scripts know an operator, one of its overloads, or a function that became one."""
    if isinstance(operator, OpOverloadPacket):
        return "torch.ops." + operator._qualified_op_name.replace("::", ".")
    path = "torch.ops." + operator._defined.qualified.replace("::", ".")
    return f"{path}.{operator._overloadname}" if isinstance(operator, OpOverload) else path


def call(defined, args, kwargs, packet=False):
    """Calls an overload with arguments as a program gives them; `packet` says that it was chosen among all of the operator."""
    values = as_dtypes(defined, bind(defined, args, kwargs))
    if defined.vmap is not None or "rushlight._functorch._levels" in _loaded():
        found = _for_samples(defined, values)
        if found is not _NO_SAMPLES:
            return found
    if not _rushlight.is_tracing():
        return _run(defined, values)
    return _traced(defined, values, packet)


_NO_SAMPLES = object()


def _loaded():
    import sys

    return sys.modules


def _for_samples(defined, values):
    from .._functorch import _levels
    from .._functorch._batched import batched_at, highest
    from .._functorch._dispatch import one_by_one

    if not _levels.current():
        return _NO_SAMPLES
    level = highest(values)
    if level is None:
        return _NO_SAMPLES
    if defined.vmap is None:
        name = defined.full.split(".")[0] + ("_" if defined.mutated else "")
        return one_by_one(level, name, lambda *given: call(defined, *_split(defined, given)), values, {})
    from .._functorch.autograd_function import VmapInfo, _wrapped

    plain = [v.value if batched_at(v, level) else _listed(v, level) for v in values]
    dims = tuple(v.bdim if batched_at(v, level) else _dims(v, level) for v in values)
    args, kwargs = _kernel_arguments(defined, plain)
    kept = dims[: len(args)]
    result, out_dims = defined.vmap(VmapInfo(level.batch_size, level.randomness), kept, *args, **kwargs)
    return _wrapped(result, out_dims, level)


def _listed(value, level):
    from .._functorch._batched import batched_at

    if isinstance(value, list):
        return [v.value if batched_at(v, level) else v for v in value]
    return value


def _dims(value, level):
    from .._functorch._batched import batched_at

    if isinstance(value, list) and any(batched_at(v, level) for v in value):
        return [v.bdim if batched_at(v, level) else None for v in value]
    return None


def _split(defined, values):
    """The values of all arguments as those given by place and those given by name."""
    args, kwargs = [], {}
    for argument, value in zip(defined.arguments, values):
        if argument.kwarg_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    return tuple(args), kwargs


def _kernel_arguments(defined, values):
    """As :func:`_split`, without what is as it would be without being given: kernels have defaults of their own."""
    args, kwargs = _split(defined, values)
    places = [a for a in defined.arguments if not a.kwarg_only]
    while args and _is_default(places[len(args) - 1], args[-1]):
        args = args[:-1]
    by_name = {a.name: a for a in defined.arguments}
    return args, {k: v for k, v in kwargs.items() if not _is_default(by_name[k], v)}


def _is_default(argument, value):
    if not argument.has_default_value() or isinstance(value, Tensor):
        return False
    default = argument.default_value
    return value is default or type(value) is type(default) and not isinstance(value, list) and value == default or (
        isinstance(value, list) and isinstance(default, list) and not any(isinstance(v, Tensor) for v in value) and value == default
    )


def _traced(defined, values, packet):
    """The call as a trace keeps it: an operator. An exception of the program's kernel stays what it is."""
    path = f"torch.ops.{defined.qualified.replace('::', '.')}"
    if not packet:
        path = f"{path}.{defined.schema.overload_name or 'default'}"
    args, kwargs = _split(defined, values)
    _thread.raised = []
    try:
        return _rushlight.overload_named(defined.full, path)(*args, **kwargs)
    except RuntimeError:
        if _thread.raised:
            raise _thread.raised.pop() from None
        raise
    finally:
        _thread.raised = None


def kernel_of(defined):
    """What the table of operators calls: a function of all arguments of the schema, by position."""

    def run(*values):
        try:
            result = _run(defined, list(values))
        except Exception as error:
            if _thread.raised is not None:
                _thread.raised.append(error)
            raise
        return tuple(result) if len(defined.returns) > 1 and isinstance(result, list) else result

    return run


def _run(defined, values):
    tensors = list(_tensors(values))
    if defined.autocast:
        wanted = _cast_to(defined)
        if wanted is not None:
            from ..amp import autocast

            values = [_cast(v, wanted) for v in values]
            with autocast("cpu", enabled=False):
                return _run_cast(defined, values, list(_tensors(values)))
    return _run_cast(defined, values, tensors)


def _cast_to(defined):
    import rushlight

    return defined.autocast.get("cpu") if rushlight.is_autocast_enabled("cpu") else None


def _cast(value, dtype):
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    return [_cast(v, dtype) for v in value] if isinstance(value, list) else value


def _run_cast(defined, values, tensors):
    if not _thread.below_autograd:
        for key in ("AutogradCPU", "Autograd"):
            kernel = defined.kernels.get(key)
            if kernel is not None:
                args, kwargs = _kernel_arguments(defined, values)
                return kernel(*args, **kwargs)
    wants = _rushlight.is_grad_enabled() and any(t.requires_grad for t in tensors)
    if wants and (defined.backward is not None or defined.definition is not None) and not defined.mutated:
        return _recorded(defined, values)
    if defined.definition is not None or defined.backward is not None:
        before = _rushlight.set_grad_enabled(False)
        try:
            return _kernel_call(defined, values, tensors)
        finally:
            _rushlight.set_grad_enabled(before)
    return _kernel_call(defined, values, tensors)


def _kernel_call(defined, values, tensors):
    args, kwargs = _kernel_arguments(defined, values)
    dispatching = _loaded().get("rushlight.utils._python_dispatch")
    if dispatching is not None and dispatching.looks_at(defined):
        return dispatching.hand_over(_overload_of(defined), values)
    if any(t.is_meta for t in tensors):
        return _fake_call(defined, args, kwargs)
    kernels = defined.kernels
    if "CPU" in kernels and "CPU" not in defined.disabled:
        result = kernels["CPU"](*args, **kwargs)
    else:
        kernel = kernels.get("CompositeExplicitAutograd") or kernels.get("CompositeImplicitAutograd") or kernels.get("BackendSelect")
        if kernel is None:
            _no_kernel(defined)
        result = kernel(*args, **kwargs)
    if defined.definition is not None:
        _check_aliases(defined, result, tensors)
        for i in defined.mutated:
            for tensor in _tensors([values[i]]):
                # Whoever kept the tensor for gradients finds it changed, however the kernel wrote it.
                tensor.detach().as_strided((0,), (1,)).zero_()
    return list(result) if isinstance(result, tuple) and len(defined.returns) == 1 else result


def _overload_of(defined):
    from .._namespaces import NAMESPACES

    space, name = defined.qualified.split("::")
    return getattr(getattr(getattr(NAMESPACES["ops"], space), name), defined.schema.overload_name or "default")


def _no_kernel(defined):
    raise NotImplementedError(
        f"Could not run '{defined.full}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for "
        "this backend, or was omitted during the selective/custom build process (if using custom build). If you are a Facebook employee "
        "using PyTorch on mobile, please visit https://fburl.com/ptmfixes for possible resolutions. "
        f"'{defined.full}' is only available for these backends: [{', '.join(sorted(defined.kernels)) or 'Meta'}]."
    )


def no_fake(defined):
    """The error of an operator without an implementation for shapes."""
    if defined.definition is None:
        return NotImplementedError(
            f"{defined.full}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. "
            "You may have run into this message while using an operator with PT2 compilation APIs (torch.compile/torch.export); in "
            "order to use this operator with those APIs you'll need to add a fake impl. Please see the following for next steps:  "
            "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
        )
    return RuntimeError(
        f"There was no fake impl registered for {defined.definition}. This is necessary for torch.compile/export/fx tracing to work. "
        f"Please use `{defined.definition._init_fn.__name__}.register_fake` to add an fake impl."
    )


def _fake_call(defined, args, kwargs):
    """Sizes and dtypes alone: what says them is called with tensors of the same sizes, and its results lose their elements."""
    fake = defined.fake or defined.kernels.get("Meta")
    if fake is None:
        if defined.definition is not None and defined.mutated and not defined.returns:
            # What only writes has nothing to say of sizes.
            return None
        composite = defined.kernels.get("CompositeExplicitAutograd") or defined.kernels.get("CompositeImplicitAutograd")
        if defined.definition is None and composite is not None:
            return composite(*args, **kwargs)
        raise no_fake(defined)

    def with_elements(value):
        if isinstance(value, Tensor) and value.is_meta:
            import rushlight

            return rushlight.empty_strided(value.shape, value.stride(), dtype=value.dtype)
        return [with_elements(v) for v in value] if isinstance(value, list) else value

    def without(value):
        if isinstance(value, Tensor):
            return _rushlight.to_meta(value)
        return type(value)(without(v) for v in value) if isinstance(value, (list, tuple)) else value

    return without(fake(*[with_elements(a) for a in args], **{k: with_elements(v) for k, v in kwargs.items()}))


def _memory(tensor):
    if tensor.is_meta or tensor.numel() == 0:
        return None
    return tensor.untyped_storage().data_ptr()


def _check_aliases(defined, result, inputs):
    seen = {_memory(t) for t in inputs} - {None}
    for tensor in _tensors([result] if not isinstance(result, (list, tuple)) else result):
        place = _memory(tensor)
        if place is None:
            continue
        if place in seen:
            import inspect

            function = defined.definition._init_fn
            raise RuntimeError(
                f"{defined.qualified.split('::')[1]} (with implementation in {inspect.getmodule(function)}): The output of this custom "
                "operator (1) must not also be an input to this custom operator and (2) may not alias any inputs to this custom operator "
                "or other returns. The most common way to trigger this error is if we have y = custom_op(x) and y and x are the same "
                "Tensor. Please instead return a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor the custom "
                "operator to not return y."
            )
        seen.add(place)


def _recorded(defined, values):
    """A call whose derivative the program has given, or is asked for when it has not."""
    from ..utils._pytree import tree_flatten

    args, kwargs = _split(defined, values)
    before = _rushlight.set_grad_enabled(False)
    try:
        given = list(_tensors(values))
        result = _own(_kernel_call(defined, values, given), given)
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(_wants(a) for a in args)
        if defined.setup_context is not None:
            if kwargs:
                defined.setup_context(ctx=ctx, inputs=args, keyword_only_inputs=kwargs, output=result)
            else:
                defined.setup_context(ctx=ctx, inputs=args, output=result)
    finally:
        _rushlight.set_grad_enabled(before)
    outputs = list(result) if isinstance(result, tuple) else [result]
    leaves, spec = tree_flatten(outputs)
    tensors = [o for o in leaves if isinstance(o, Tensor) and (o.is_floating_point() or o.is_complex())]
    if not tensors:
        return result
    inputs = [v if isinstance(v, Tensor) else None for v in tree_flatten(list(args))[0]]

    def run(gradients):
        known = iter(gradients)
        full = []
        for leaf in leaves:
            gradient = next(known) if any(leaf is t for t in tensors) else None
            if gradient is None and isinstance(leaf, Tensor) and ctx.materialize:
                gradient = leaf.detach().new_zeros(leaf.shape)
            full.append(gradient)
        if defined.backward is None:
            raise RuntimeError(
                f"Trying to backward through {defined.dotted} but no autograd formula was registered. Please use register_autograd to "
                "add one."
            )
        found = defined.backward(ctx, *spec.unflatten(full))
        # One list may stand for the only argument.
        if not isinstance(found, tuple):
            found = (found,)
        if len(found) != len(args):
            raise RuntimeError(
                f"The backward formula for {defined.dotted} returned an incorrect number of gradients (expected {len(args)}, got "
                f"{len(found)}). Expected one gradient for each forward input, or for each positional input to the operator. Use None "
                "for inputs that do not require a gradient."
            )
        flat = []
        for gradient, arg in zip(found, args):
            if isinstance(arg, (list, tuple)):
                flat += list(gradient) if gradient is not None else [None] * len(arg)
            else:
                flat.append(gradient)
        return flat

    label = "GeneratedBackwardFor_" + defined.dotted.replace(".", "_")
    _rushlight.record_custom(label + "Backward", inputs, tensors, run)
    return result


def _own(result, given):
    """Results as tensors of their own: an argument that comes back is another variable now."""
    if isinstance(result, Tensor):
        return result.detach() if any(result is g or result._same(g) for g in given) else result
    return type(result)(_own(r, given) for r in result) if isinstance(result, (list, tuple)) else result


def _wants(value):
    if isinstance(value, Tensor):
        return value.requires_grad
    return [_wants(v) for v in value] if isinstance(value, (list, tuple)) else False
