"""Private training and differentiable optimisation: opacus, torchopt."""
# packages: opacus torchopt
# needs: numpy scipy opt_einsum optree graphviz typing_extensions
import torch
import torchopt
from opacus import PrivacyEngine
from opacus.accountants import RDPAccountant
from opacus.grad_sample import GradSampleModule
from opacus.layers import DPGRU, DPLSTM, DPMultiheadAttention
from opacus.validators import ModuleValidator
from show import show, steps
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x, y = torch.randn(24, 3, 8, 8), torch.arange(24) % 4
net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 4))
print(
    [str(error)[:40] for error in ModuleValidator.validate(nn.Sequential(nn.BatchNorm2d(4)), strict=False)],
    ModuleValidator.fix(nn.Sequential(nn.BatchNorm2d(4))),
)
sampled = GradSampleModule(net)
nn.functional.cross_entropy(sampled(x[:6]), y[:6]).backward()
for name, parameter in sampled.named_parameters():
    show(name, parameter.grad_sample)
sampled.zero_grad()
sampled.remove_hooks()
torch.manual_seed(1)
net = nn.Sequential(nn.Flatten(), nn.Linear(192, 8), nn.Tanh(), nn.Linear(8, 4))
engine = PrivacyEngine()
private, optimizer, loader = engine.make_private(
    module=net,
    optimizer=torch.optim.SGD(net.parameters(), lr=0.1),
    data_loader=DataLoader(TensorDataset(x, y), batch_size=8),
    noise_multiplier=1.1,
    max_grad_norm=1.0,
    poisson_sampling=False,
    noise_generator=torch.Generator().manual_seed(3),
)
for _ in range(2):
    for given, wanted in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(private(given), wanted)
        loss.backward()
        optimizer.step()
        show("private", float(loss.detach()))
show("epsilon", float(engine.get_epsilon(1e-5)))
for layer, given in ((DPLSTM(4, 5, batch_first=True), torch.randn(2, 6, 4)), (DPGRU(4, 5, batch_first=True), torch.randn(2, 6, 4))):
    wrapped = GradSampleModule(layer)
    wrapped(given)[0].sum().backward()
    show(type(layer).__name__, [p.grad_sample for p in wrapped.parameters()])
wrapped = GradSampleModule(DPMultiheadAttention(8, 2))
words = torch.randn(5, 2, 8)
wrapped(words, words, words)[0].sum().backward()
show("attention", [p.grad_sample for p in wrapped.parameters()][:2])

torch.manual_seed(4)
inputs, targets = torch.randn(16, 4), torch.randn(16, 1)
for name in ("sgd", "adam", "adamw", "rmsprop", "adagrad", "adadelta", "radam", "adamax"):
    model = nn.Linear(4, 1)
    with torch.no_grad():
        model.weight.fill_(0.3), model.bias.fill_(0.1)
    call, parameters = torch.func.functional_call, {k: v.detach().clone().requires_grad_() for k, v in model.named_parameters()}
    rule = getattr(torchopt, name)(lr=0.1)
    state = rule.init(parameters)
    for _ in range(3):
        loss = (call(model, parameters, (inputs,)) - targets).square().mean()
        grads = dict(zip(parameters, torch.autograd.grad(loss, list(parameters.values()))))
        updates, state = rule.update(grads, state, params=parameters, inplace=False)
        parameters = torchopt.apply_updates(parameters, updates, inplace=False)
        parameters = {k: v.detach().requires_grad_() for k, v in parameters.items()}
    show(name, parameters["weight"])
model = nn.Linear(4, 1)
inner = torchopt.MetaAdam(model, lr=0.1)
meta = torch.tensor(1.0, requires_grad=True)
for _ in range(3):
    inner.step((model(inputs) * meta - targets).square().mean())
outer = (model(inputs) - targets).square().mean()
show("meta", [outer, *torch.autograd.grad(outer, meta)])


@torchopt.diff.implicit.custom_root(lambda w, t: 2 * (w - t) + 0.2 * w**3, argnums=1)
def solved(w, t):
    for _ in range(50):
        w = w - 0.1 * (2 * (w - t) + 0.2 * w**3)
    return w


t = torch.tensor([1.0, 2.0], requires_grad=True)
found = solved(torch.zeros(2), t)
show("implicit", [found, *torch.autograd.grad(found.sum(), t)])
