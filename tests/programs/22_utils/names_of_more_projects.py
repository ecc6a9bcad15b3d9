"""Names of modules and functions that libraries take: fillers, groups of tensors, switches, what belongs to devices."""
import torch
import torch.backends.xnnpack
import torch.cuda.amp.common
import torch.cuda.comm
import torch.distributed.autograd
import torch.distributed.distributed_c10d
import torch.nn.parallel.comm
import torch.profiler.profiler
import torch.utils.data._utils
from torch.nn.utils.stateless import _reparametrize_module

torch.manual_seed(0)
filled = torch.empty(3)
init = torch.nn.init
for fill, arguments in ((init._no_grad_fill_, (2.0,)), (init._no_grad_zero_, ()), (init._no_grad_normal_, (0.0, 1.0)), (init._no_grad_uniform_, (-1.0, 1.0)), (init._no_grad_trunc_normal_, (0.0, 1.0, -1.0, 1.0))):
    print(fill(filled.requires_grad_(), *arguments))
one, two, three = torch.ones(1), torch.ones(2, dtype=torch.float64), torch.ones(3)
grouped = torch.optim.Optimizer._group_tensors_by_device_and_dtype([[one, two, three], [one * 2, two * 2, None]], with_indices=True)
print(sorted((str(key), found) for key, found in grouped.items()))
layer = torch.nn.Linear(1, 1, bias=False)
with _reparametrize_module(layer, {"weight": torch.full((1, 1), 5.0)}):
    print(layer(torch.ones(1)))
print(layer(torch.ones(1)).item() == 5.0)
print(torch.autograd.kineto_available(), torch.autograd.DeviceType.CUDA, torch.profiler.profiler._default_schedule_fn(1))
print(torch.backends.fp32_precision, torch.backends.xnnpack.enabled, torch.backends.cuda.matmul.fp32_precision, torch.backends.cudnn.fp32_precision)
print(torch.cuda.amp.common.amp_definitely_not_available(), torch.cuda.default_generators, torch.distributed.distributed_c10d._pg_map)
print(torch.utils.data._utils.HAS_NUMPY, torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL)
torch.cuda._lazy_call(lambda: print("never"))
for call in (lambda: torch.cuda.comm.broadcast(one, [0]), lambda: torch.nn.parallel.comm.scatter(one, [0]), lambda: torch.cuda.memory._record_memory_history(), lambda: torch.backends.mps.is_macos_or_newer(13, 0), lambda: torch.cuda._lazy_init()):
    try:
        call()
    except RuntimeError as error:
        print(error)
