"""Backends of ``torch.compile``: the names that programs give, and those that they register."""

from . import exc

_NAMED = ("cudagraphs", "inductor", "openxla", "tvm")
# For looking for mistakes, and for experiments.
_OTHERS = (
    "aot_eager", "aot_eager_decomp_partition", "aot_eager_decomp_partition_with_mode", "aot_eager_default_partitioner", "aot_ts", "eager",
    "eager_debug", "eager_noexcept", "openxla_eval", "pre_dispatch_eager", "ts",
)  # fmt: skip
_registered = {}
_MISSING = {
    "tvm": "Please install apache-tvm to use the tvm backend. See https://tvm.apache.org/docs/install/index.html for instructions.",
    "openxla": "Please follow the instruction in https://github.com/pytorch/xla#pytorchxla to install torch_xla",
}


def register_backend(compiler_fn=None, name=None, tags=()):
    """Gives a backend a name; a decorator where only the name is given."""
    if compiler_fn is None:
        return lambda compiler_fn: register_backend(compiler_fn, name, tags)
    assert callable(compiler_fn)
    name = name or compiler_fn.__name__
    assert name not in _registered, f"duplicate name: {name}"
    _registered[name] = (compiler_fn, tuple(tags))
    return compiler_fn


def list_backends(exclude_tags=("debug", "experimental")):
    """The names of backends. What is compiled for those that are not registered runs as it is."""
    own = [name for name, (_, tags) in _registered.items() if not set(tags) & set(exclude_tags or ())]
    return sorted({*_NAMED, *own, *(() if exclude_tags else _OTHERS)})


def _missing(name):
    def backend(graph_module, examples):
        raise ImportError(_MISSING[name])

    backend.__name__ = name
    return backend


def lookup_backend(backend):
    """The function behind a name, or the name where what is compiled runs as it is."""
    if callable(backend):
        return backend
    if backend in _registered:
        return _registered[backend][0]
    if backend in _MISSING:
        return _missing(backend)
    if backend in _NAMED or backend in _OTHERS:
        return backend
    raise exc.InvalidBackend(f"Invalid backend: {backend!r}. See `torch._dynamo.list_backends()` for available backends.")
