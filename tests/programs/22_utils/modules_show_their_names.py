# Modules of the library print under the names by which they are imported, also once they are loaded again
import importlib
import torch
import torch.distributed.rpc as rpc
def shown(module): return repr(module).split(" from ")[0]
for name in (
    "torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.jit", "torch.utils.data", "torch.nn.utils.prune", "torch.autograd",
    "torch.fx", "torch.distributed.rpc", "torch.ao.quantization", "torch.nn.init", "torch.cuda",
):
    module = importlib.import_module(name)
    print(shown(module), module.__name__)
print(f"{torch.nn}".split(" from ")[0], [shown(m) for m in vars(torch.nn).values() if getattr(m, "__name__", "") == "torch.nn.parameter"])
print(importlib.reload(torch.nn.init) is torch.nn.init, shown(torch.nn.init))
print(rpc.rpc_sync.__module__, rpc.remote.__module__, rpc.get_worker_info.__module__, rpc.RRef.__module__)
