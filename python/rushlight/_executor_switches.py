"""Switches of the reference's executors and fusers in ``torch._C``. They keep what is set; results depend on none of them."""

from .jit import _executor

# What sets, what answers, what holds at first, and whether setting answers with what held before.
_ROWS = (
    ("_jit_set_profiling_executor", None, True, True),
    ("_jit_set_profiling_mode", None, True, True),
    ("_jit_set_autocast_mode", None, True, True),
    ("_jit_set_llga_enabled", "_jit_llga_enabled", False, True),
    ("_jit_set_te_generate_block_code", "_jit_get_te_generate_block_code", False, True),
    ("_jit_set_texpr_reductions_enabled", "_jit_texpr_reductions_enabled", False, True),
    ("_jit_override_can_fuse_on_cpu", "_jit_can_fuse_on_cpu", False, False),
    ("_jit_override_can_fuse_on_cpu_legacy", "_jit_can_fuse_on_cpu_legacy", False, False),
    ("_jit_override_can_fuse_on_gpu", "_jit_can_fuse_on_gpu", True, False),
    ("_jit_set_te_must_use_llvm_cpu", "_jit_get_te_must_use_llvm_cpu", True, False),
    ("_jit_set_texpr_dynamic_shape_enabled", "_jit_texpr_dynamic_shape_enabled", False, False),
    ("_jit_cat_wo_conditionals", None, False, False),
    ("_jit_opt_conditionals", None, False, False),
    ("_jit_set_onnx_log_enabled", "_jit_is_onnx_log_enabled", False, False),
    ("_jit_set_utf8_decoding_ignore", None, False, False),
    ("_jit_texpr_set_fallback_allowed", "_jit_texpr_fallback_allowed", False, True),
)
# Fusers that the reference has removed too.
_REMOVED = ("_jit_set_nvfuser_enabled", "_jit_set_nvfuser_guard_mode", "_jit_set_nvfuser_horizontal_mode", "_jit_set_nvfuser_single_node_mode")


def _switch(setter, getter, held, answers):
    def set_to(value):
        nonlocal held
        before, held = held, type(held)(value)
        return before if answers else None

    TABLE[setter] = set_to
    if getter is not None:
        TABLE[getter] = lambda: held


# The functions by name.
TABLE = {"_jit_set_fusion_strategy": _executor.keep_strategy, "_llvm_enabled": lambda: False}
for _row in _ROWS:
    _switch(*_row)
for _name in _REMOVED:
    TABLE[_name] = lambda on=None: None
