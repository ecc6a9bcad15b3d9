"""Example inputs inside of scripted modules: how they are kept and made, asked for, saved, and what is refused."""

import io
from typing import Dict, List, Optional

import torch
from torch import Tensor, nn
from torch.utils import bundled_inputs as bundled


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x, times: int = 1):
        return self.linear(x) * times

    @torch.jit.export
    def pick(self, parts: List[Tensor], names: Dict[str, int], place: Optional[int] = None):
        return parts[0 if place is None else place]


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error)[:300])


net = torch.jit.script(Net())
copy = bundled.bundle_inputs(net, [(torch.ones(1, 2), 3), (torch.zeros(50, 2), 1)], info=["ones", "zeros"])
print(copy._c._method_names(), hasattr(net, "get_all_bundled_inputs"))
print(copy.get_num_bundled_inputs(), [x.shape for x, _ in copy.get_all_bundled_inputs()], copy.get_bundled_inputs_functions_and_info())
for name in ("get_all_bundled_inputs_for_forward", "get_bundled_inputs_functions_and_info"):
    print(getattr(copy, name).code)
loaded = torch.jit.load(io.BytesIO(copy.save_to_buffer()))
print(loaded.get_num_bundled_inputs(), torch.equal(loaded(*loaded.get_all_bundled_inputs()[0]), net(torch.ones(1, 2), 3)))
again = bundled.bundle_inputs(copy, [(torch.ones(2), 1)])
print(again.get_num_bundled_inputs(), copy.get_num_bundled_inputs(), again.get_all_bundled_inputs())

picked = {net.pick: [([torch.ones(2)], {"a": 1}, None), ([torch.ones(1), torch.zeros(1)], {}, 1)], net.forward: [(torch.ones(2), 1)]}
both = bundled.bundle_inputs(net, picked, {net.pick: ["first"]})
print(both.get_all_bundled_inputs_for_pick(), both.get_bundled_inputs_functions_and_info())
print([both.pick(*given) for given in both.get_all_bundled_inputs_for_pick()])

expressions = []
made = bundled.bundle_inputs(
    net,
    [
        (bundled.bundle_randn(3, 2), 1), (bundled.bundle_large_tensor(torch.arange(40.0).reshape(20, 2)), 1),
        (bundled.InflatableArg(torch.tensor(3), "torch.ones({}.item(), 2)"), 1),
        (bundled.InflatableArg(torch.tensor(4), fmt_fn="""
        def {}(self, value: Tensor):
            return torch.ones(int(value.item()), 2)
        """), 2),
        (torch.rand(100)[:2], 1), (torch.full((1, 3, 4, 2), 7.0).contiguous(memory_format=torch.channels_last), 1),
    ],
    _receive_inflate_expr=expressions,
)
print(expressions[0])
print([(x.shape, x.stride()) for x, _ in made.get_all_bundled_inputs()], made.get_all_bundled_inputs()[2])

weight = net.linear.weight
bundled.augment_model_with_bundled_inputs(net, [(torch.ones(2), 2)])
with torch.no_grad():
    weight.fill_(1.0)
print(net.get_all_bundled_inputs(), torch.equal(net(torch.ones(2)), 2 + net.linear.bias), net.linear.weight.requires_grad)

fresh = torch.jit.script(nn.Sequential(nn.Linear(2, 2)))
traced = torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2))
print(bundled.bundle_inputs(traced, [(torch.ones(1, 2),)]).get_all_bundled_inputs())
for call in (
    lambda: bundled.augment_model_with_bundled_inputs(net, [(torch.ones(2), 2)]), lambda: bundled.bundle_inputs(Net(), [(1,)]),
    lambda: bundled.bundle_inputs(fresh, None), lambda: bundled.bundle_inputs(fresh, []), lambda: bundled.bundle_inputs(fresh, {}),
    lambda: bundled.bundle_inputs(fresh, 3), lambda: bundled.bundle_inputs(fresh, [torch.ones(2)]),
    lambda: bundled.bundle_inputs(fresh, {"forward": [(torch.ones(2),)]}),
    lambda: bundled.bundle_inputs(fresh, [(torch.rand(10000),)]),
    lambda: bundled.bundle_inputs(fresh, [(torch.ones(2),)], info={fresh.forward: ["a"]}),
):
    show(call)
