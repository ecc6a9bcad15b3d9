"""The package ``functorch``: names from before ``torch.func``, which warn."""

import functools
import warnings

from . import apis, eager_transforms
from . import make_functional as _make
from .make_functional import FunctionalModule, FunctionalModuleWithBuffers  # noqa: F401

_TEXT = (
    "We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{}` is deprecated as of PyTorch 2.0 and "
    "will be deleted in a future version of PyTorch >= 2.3. Please use `{}` instead; see the PyTorch 2.0 release notes and/or the "
    "`torch.func` migration guide for more details https://pytorch.org/docs/main/func.migrating.html"
)


def _old(function, now):
    @functools.wraps(function)
    def call(*args, **kwargs):
        warnings.warn(_TEXT.format(function.__name__, now), FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return call


vmap = _old(apis.vmap, "torch.vmap")
for _name in ("grad", "grad_and_value"):
    globals()[_name] = _old(getattr(apis, _name), "torch.func." + _name)
for _name in ("vjp", "jvp", "jacrev", "jacfwd", "hessian", "functionalize"):
    globals()[_name] = _old(getattr(eager_transforms, _name), "torch.func." + _name)
make_functional = _old(_make.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _old(_make.make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = _old(_make.combine_state_for_ensemble, "torch.func.stack_module_state")


def __getattr__(name):
    if name == "__version__":
        from ..version import __version__

        return __version__
    raise AttributeError(f"module 'functorch' has no attribute '{name}'")
