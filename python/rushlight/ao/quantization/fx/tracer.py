"""Records models for quantization."""

from ....fx import Tracer
from ....fx.proxy import Scope, ScopeContextManager
from ...._library import publish
from ....nn import Sequential
from ...nn.intrinsic import _FusedModule

__all__ = ["QuantizationTracer", "ScopeContextManager", "Scope"]


class QuantizationTracer(Tracer):
    """As every tracer; besides, modules that were fused and those that programs name are not looked into.

    Args:
        skipped_module_names: paths of modules.
        skipped_module_classes: classes of modules.
    """

    def __init__(self, skipped_module_names: list[str], skipped_module_classes: list[type]):
        super().__init__()
        self.skipped_module_names = skipped_module_names
        self.skipped_module_classes = skipped_module_classes
        self.scope = Scope("", None)
        self.record_stack_traces = True

    def is_leaf_module(self, m, module_qualified_name: str) -> bool:
        """Whether a module is recorded as a call of itself."""
        home = m.__module__
        of_library = home.startswith(("torch.nn", "torch.ao.nn", "rushlight.nn", "rushlight.ao.nn"))
        return (
            of_library and not isinstance(m, Sequential)
            or module_qualified_name in self.skipped_module_names
            or type(m) in self.skipped_module_classes
            or isinstance(m, _FusedModule)
        )


publish(globals())
