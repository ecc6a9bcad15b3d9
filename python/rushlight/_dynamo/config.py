"""``torch._dynamo.config``: switches of a compiler that is not there. They keep what is set."""

from .._switches import make

suppress_errors = False
cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
verbose = False
assume_static_by_default = True
automatic_dynamic_shapes = True
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
optimize_ddp = True
allow_unspec_int_on_nn_module = False
compiled_autograd = False
skip_fwd_side_effects_in_bwd_under_checkpoint = False

make(globals())
