"""``torch.library.opcheck``: whether an operator does what it says."""

from .. import _rushlight

Tensor = _rushlight.Tensor
_ALL = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_static", "test_aot_dispatch_dynamic")
_USUAL = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


class OpCheckError(Exception):
    """An operator that does not do what it says."""


OpCheckError.__module__ = "torch.testing._internal.optests.generate_tests"


def opcheck(op, args, kwargs=None, *, test_utils=_USUAL, raise_exception=True, atol=None, rtol=None):
    """Tries an operator with arguments.

    ``test_schema`` looks whether it writes or returns arguments against its schema; ``test_faketensor`` whether the function for
    sizes is right; ``test_autograd_registration`` whether gradients are recorded; the others, which are about compilers in the
    reference, whether gradients can be found. Returns a dictionary of ``"SUCCESS"`` or errors.
    """
    from ..library import _operator

    kinds = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if not set(kinds) <= set(_ALL):
        raise ValueError(f"opcheck(op, ..., test_utils={test_utils}), expected test_utils to be subset of {_ALL} but it was not")
    defined = _operator(op)
    found = {}
    for kind in kinds:
        try:
            _TESTS[kind](defined, args, kwargs or {})
            found[kind] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {kind} failed with {error} (scroll up for stack trace)") from error
            found[kind] = error
    return found


def _copied(value):
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad) if value.is_floating_point() else value.clone()
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(v) for v in value)
    return {k: _copied(v) for k, v in value.items()} if isinstance(value, dict) else value


def _schema(defined, args, kwargs):
    from .arguments import as_dtypes, bind
    from .operators import _memory, _run, _tensors

    import rushlight

    with rushlight.no_grad():
        values = as_dtypes(defined, bind(defined, _copied(args), _copied(kwargs)))
        before = [_copied(v) for v in values]
        result = _run(defined, values)
    for i, argument in enumerate(defined.arguments):
        for was, now in zip(_tensors([before[i]]), _tensors([values[i]])):
            if i not in defined.mutated and not rushlight.allclose(was, now, equal_nan=True):
                raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")
    if not any(r.alias_info is not None for r in defined.returns):
        places = {_memory(t): a.name for v, a in zip(values, defined.arguments) for t in _tensors([v])}
        for tensor in _tensors([result] if isinstance(result, Tensor) else result or ()):
            name = places.get(_memory(tensor)) if _memory(tensor) is not None else None
            if name is not None:
                raise RuntimeError(f"Argument {name} is not defined to alias output but was aliasing")


def _sizes(defined, args, kwargs):
    from .operators import _kernel_call, _split, _tensors, no_fake
    from .arguments import as_dtypes, bind

    fake = defined.fake or defined.kernels.get("Meta")
    if fake is None:
        if "CompositeImplicitAutograd" in defined.kernels or not defined.returns:
            return
        raise no_fake(defined)
    import rushlight

    with rushlight.no_grad():
        values = as_dtypes(defined, bind(defined, _copied(args), _copied(kwargs)))
        given, named = _split(defined, _copied(values))
        real, said = _kernel_call(defined, values, list(_tensors(values))), fake(*given, **named)
    both = ([found] if isinstance(found, Tensor) else found or () for found in (real, said))
    for one, two in zip(*map(_tensors, both)):
        if one.shape != two.shape:
            raise AssertionError(f"Shapes {one.shape} and {two.shape} are not equal!")
        if one.dtype != two.dtype:
            raise AssertionError(f"Dtypes {one.dtype} and {two.dtype} are not equal!")


def _records(defined, args, kwargs):
    from .operators import call

    call(defined, _copied(args), _copied(kwargs))


def _differentiates(defined, args, kwargs):
    from .operators import _tensors, call

    _sizes(defined, args, kwargs)
    args, kwargs = _copied(args), _copied(kwargs)
    wanted = [t for t in _tensors([*args, *kwargs.values()]) if t.requires_grad]
    result = call(defined, args, kwargs)
    outputs = [t for t in _tensors([result] if isinstance(result, Tensor) else result or ()) if t.requires_grad]
    if wanted and outputs:
        from ..autograd import grad

        grad(outputs, wanted, [o.detach().clone() for o in outputs], allow_unused=True)


_TESTS = {
    "test_schema": _schema, "test_autograd_registration": _records, "test_faketensor": _sizes,
    "test_aot_dispatch_static": _differentiates, "test_aot_dispatch_dynamic": _differentiates,
}
