"""Names that projects take from modules that have them only since they import them, and switches of executors."""
import torch
import torch.autograd.forward_ad as forward_ad
import torch.backends.cudnn.rnn as rnn
import torch.nn.modules.conv as conv
from torch.nn.modules.activation import NonDynamicallyQuantizableLinear, constant_, xavier_uniform_
from torch.nn.modules.conv import _ConvNd, _pair, _size_1_t, _size_2_t
from torch.nn.modules.module import RemovableHandle, T, Union
from torch.nn.modules.pooling import _ratio_2_t, _size_any_t
from torch.nn.utils.rnn import Iterable, Tensor
from torch.optim.optimizer import Callable, ParamsT, chain
from torch.utils.data.dataloader import _T_co, _collate_fn_t
from torch.utils.data.dataset import Generator, randperm

print(_size_2_t, _size_1_t, _size_any_t, _ratio_2_t, _pair(3), issubclass(torch.nn.Conv2d, _ConvNd), T, _T_co)
print(NonDynamicallyQuantizableLinear is torch.nn.modules.linear.NonDynamicallyQuantizableLinear, RemovableHandle, Callable, Iterable, chain)
print(Union, Tensor is torch.Tensor, Generator is torch.Generator, randperm(1), constant_(torch.zeros(2), 3.0), xavier_uniform_.__name__)
print([hasattr(conv, name) for name in ("Union", "UninitializedParameter", "_pair", "nothing")])
try:
    conv.nothing
except AttributeError as error:
    print(error)

C = torch._C
print(C._jit_set_fusion_strategy([("STATIC", 1)]), C._jit_set_fusion_strategy([("STATIC", 2), ("DYNAMIC", 10)]))
try:
    C._jit_set_fusion_strategy([("SOMETIMES", 1)])
except ValueError as error:
    print(error)
for setter, getter in (
    ("_jit_set_texpr_fuser_enabled", "_jit_texpr_fuser_enabled"),
    ("_jit_set_texpr_reductions_enabled", "_jit_texpr_reductions_enabled"),
    ("_jit_set_te_must_use_llvm_cpu", "_jit_get_te_must_use_llvm_cpu"),
    ("_set_graph_executor_optimize", "_get_graph_executor_optimize"),
    ("_jit_override_can_fuse_on_cpu", "_jit_can_fuse_on_cpu"),
):
    before = getattr(C, getter)()
    said = getattr(C, setter)(not before)
    print(setter, before, said, getattr(C, getter)(), getattr(C, setter)(before), getattr(C, getter)() == before)
print(C._jit_set_num_profiled_runs(3), C._jit_get_num_profiled_runs(), C._jit_set_num_profiled_runs(1))
print(C._jit_set_profiling_mode(False), C._jit_set_profiling_mode(True), C._jit_set_profiling_executor(True))

print(rnn.__name__, forward_ad._current_level)
with forward_ad.dual_level():
    print(forward_ad._current_level)
print(forward_ad._current_level)
