# Tensors and submodules of modules, read and swapped by their paths.
import sys

import torch
from torch.nn.utils import _named_member_accessor as members


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


net = torch.nn.Sequential(torch.nn.Linear(2, 2))
with torch.no_grad():
    net[0].weight.fill_(0.5)
    net[0].bias.fill_(0.25)
layer = net[0]
attempt(lambda: members.swap_tensor(net, "weight", torch.ones(2)))
attempt(lambda: members.swap_tensor(layer, "weight", torch.ones(2)))
attempt(lambda: members.swap_tensor(layer, "a.b", torch.ones(2)))
attempt(lambda: members.swap_tensor(layer, "new", torch.ones(2)))
attempt(lambda: members.swap_tensor(layer, "new", 3))
attempt(lambda: members.swap_tensor(layer, "in_features", torch.ones(2)))
attempt(lambda: members.set_tensor(layer, "bias", torch.ones(1)))
accessor = members.NamedMemberAccessor(net)
attempt(lambda: accessor.get_tensor("0.bias"))
attempt(lambda: accessor.get_tensor("1.bias"))
attempt(lambda: accessor.swap_tensors_dict({"0.bias": torch.zeros(1)}))
attempt(lambda: accessor.check_keys(["0.bias", "z"]))
attempt(lambda: accessor.get_tensors(["0.bias", "0.weight"]))
attempt(lambda: accessor.del_tensor("0.bias"))
attempt(lambda: type(accessor.swap_submodule("0", torch.nn.ReLU())).__name__)
attempt(lambda: net)
storage = torch.ones(1000).untyped_storage()
print(sys.getsizeof(storage) - sys.getsizeof(torch.ones(0).untyped_storage()))
