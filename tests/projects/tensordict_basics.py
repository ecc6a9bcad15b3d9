"""tensordict: dictionaries of tensors, modules over them."""
# packages: tensordict
# needs: numpy cloudpickle orjson packaging pyvers importlib_metadata
import torch
from show import show
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential

torch.manual_seed(0)
data = TensorDict({"a": torch.randn(4, 3), "b": {"c": torch.randn(4, 2)}}, batch_size=[4])
print(data.shape, sorted(map(str, data.keys(True))))
show("stack", torch.stack([data, data], 0)["a"])
show("index", data[1:3]["b", "c"])
show("apply", data.apply(lambda t: t + 1)["a"])
net = TensorDictSequential(TensorDictModule(torch.nn.Linear(3, 5), ["a"], ["h"]), TensorDictModule(torch.nn.Linear(5, 1), ["h"], ["out"]))
show("net", net(data)["out"])
params = TensorDict.from_module(net)
print(sorted(map(str, params.keys(True, True))))
