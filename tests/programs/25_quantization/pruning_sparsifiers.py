# Sparsifiers of torch.ao.pruning: masks by norms of blocks and near the diagonal, their state, and zeros that stay.
import copy

import torch
from torch import nn
from torch.ao.pruning import (
    BaseSparsifier, FakeSparsity, NearlyDiagonalSparsifier, WeightNormSparsifier, fqn_to_module, get_arg_info_from_tensor_fqn, module_to_fqn,
)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seq = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Sequential(nn.Linear(8, 4)))
        self.last = nn.Linear(4, 8, bias=False)

    def forward(self, x):
        return self.last(self.seq(x))


def net():
    torch.manual_seed(0)
    return Net()


def refused(function):
    try:
        function()
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


model = net()
sparsifier = WeightNormSparsifier(sparsity_level=0.5, sparse_block_shape=(1, 4), zeros_per_block=2)
sparsifier.prepare(model, config=None)
print(sparsifier)
print(model)
print(sparsifier.config, sparsifier.defaults)
print(list(model.state_dict()))
sparsifier.step()
print(model.last.parametrizations.weight[0].mask, model.last.weight)
state = sparsifier.state_dict()
print(list(state), [sorted(group) for group in state["groups"]])
other = net()
again = WeightNormSparsifier()
again.prepare(other, None)
again.load_state_dict(copy.deepcopy(state))
print(again.groups[0]["zeros_per_block"], torch.equal(other.last.weight, model.last.weight))
x = torch.randn(2, 8)
before = model(x)
sparsifier.squash_mask(params_to_keep=("sparsity_level",), params_to_keep_per_layer={"last": ("zeros_per_block",)})
print(torch.equal(before, model(x)), model.last, model.last.sparse_params, model.seq[0].sparse_params)
for options in (
    {"sparsity_level": 0.3}, {"sparsity_level": 0.75, "sparse_block_shape": (1, 1)}, {"sparse_block_shape": (2, 2)}, {"sparse_block_shape": (3, 3)},
    {"sparsity_level": 1.0}, {"sparsity_level": 0.0}, {"norm": 1}, {"norm": torch.abs}, {"sparse_block_shape": (2, 4), "zeros_per_block": 3},
    {"sparsity_level": 0.4, "sparse_block_shape": (4, 1), "zeros_per_block": 1}, {"sparse_block_shape": (5, 8), "sparsity_level": 0.6},
):
    model, sparsifier = net(), WeightNormSparsifier(**options)
    sparsifier.prepare(model, [{"tensor_fqn": "seq.0.weight"}])
    sparsifier.step()
    print(model.seq[0].parametrizations.weight[0].mask.int().tolist())
for nearliness in (1, 3, 5, 0):
    model, sparsifier = net(), NearlyDiagonalSparsifier(nearliness)
    sparsifier.prepare(model, [{"tensor_fqn": "last.weight"}, {"tensor_fqn": "seq.0.weight", "nearliness": 7}])
    sparsifier.step()
    print([model.last.parametrizations.weight[0].mask.int().tolist(), int(model.seq[0].parametrizations.weight[0].mask.sum())])


class First(BaseSparsifier):
    def __init__(self, **defaults):
        super().__init__(defaults=defaults)

    def update_mask(self, module, tensor_name, rows, **kwargs):
        module.parametrizations[tensor_name][0].mask[:rows] = 0


model, sparsifier = net(), First(rows=2)
sparsifier.prepare(model, [{"tensor_fqn": "seq.2.0.weight", "rows": 1}, {"tensor_fqn": "last.weight"}])
sparsifier.enable_mask_update = False
sparsifier.step()
print((model.last.weight == 0).sum())
sparsifier.enable_mask_update = True
sparsifier.step()
print((model.last.weight == 0).sum(), (model.seq[2][0].weight == 0).sum(), sparsifier.groups[0]["rows"])
print(module_to_fqn(model, model.seq[2]), module_to_fqn(model, nn.ReLU()), fqn_to_module(model, "seq.9"), get_arg_info_from_tensor_fqn(model, "last.weight")["module_fqn"])
print(FakeSparsity(torch.tensor([1.0, 0.0]))(torch.tensor([3.0, 4.0])), FakeSparsity(torch.ones(1)).state_dict())
refused(lambda: WeightNormSparsifier(norm="l1"))
refused(lambda: WeightNormSparsifier().prepare(net(), [{"module": 1}]))
refused(lambda: WeightNormSparsifier().prepare(net(), [nn.Linear(1, 1)]))
refused(lambda: WeightNormSparsifier().convert(net()))
refused(lambda: BaseSparsifier())
for sparsifier in (WeightNormSparsifier(zeros_per_block=5), NearlyDiagonalSparsifier(2), NearlyDiagonalSparsifier(99)):
    sparsifier.prepare(net(), [{"tensor_fqn": "last.weight"}])
    refused(sparsifier.step)
