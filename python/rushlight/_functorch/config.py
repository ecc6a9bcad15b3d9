"""``torch._functorch.config``: switches of a compiler that is not part of Rushlight. They keep what is set."""

from .._switches import make

functionalize_rng_ops = fake_tensor_allow_meta = debug_assert = debug_partitioner = False
donated_buffer = False
activation_memory_budget = 1.0
make(globals())
