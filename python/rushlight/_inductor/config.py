"""``torch._inductor.config``: switches of a compiler that is not there. They keep what is set."""

from .._switches import make

coordinate_descent_tuning = False
epilogue_fusion = True
fx_graph_cache = True
max_autotune = False
force_fuse_int_mm_with_mul = False

make(globals())
