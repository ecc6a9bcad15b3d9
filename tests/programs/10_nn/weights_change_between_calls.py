# Weights that change between calls: in place, through a view, through numpy, by load_state_dict, by assignment.
import torch
import torch.nn.functional as F


def show(name, y):
    print(name, tuple(y.shape), round(float(y.double().sum()), 3), round(float(y[-1].double().abs().sum()), 3))


x = torch.arange(20 * 40, dtype=torch.float32).reshape(20, 40) % 7 - 3
linear = torch.nn.Linear(40, 24)
conv = torch.nn.Conv2d(2, 8, 3)
image = torch.arange(2 * 12 * 12, dtype=torch.float32).reshape(1, 2, 12, 12) % 5 - 2
with torch.no_grad():
    linear.weight.copy_((torch.arange(960).reshape(24, 40) % 5 - 2).float())
    linear.bias.fill_(0.5)
    conv.weight.copy_((torch.arange(144).reshape(8, 2, 3, 3) % 3 - 1).float())
    conv.bias.zero_()


@torch.jit.script
def apply(x, w, b):
    return F.linear(x, w, b)


@torch.no_grad()
def all_ways(name):
    for _ in range(3):
        y = linear(x)
    z = apply(x, linear.weight, linear.bias)
    m = torch.addmm(linear.bias, x, linear.weight.t())
    print(torch.equal(y, z), torch.allclose(y, m))
    show(name, y)
    for _ in range(3):
        c = conv(image)
    show(name + " conv", c[0])


all_ways("first")
with torch.no_grad():
    linear.weight.add_(1)
    conv.weight.mul_(2)
all_ways("in place")
with torch.no_grad():
    linear.weight[3].zero_()
    conv.weight.view(-1)[5] = 10.0
all_ways("through a view")
linear.weight.detach().numpy()[0, :] = 4
conv.weight.detach().numpy()[1] = -3
all_ways("through numpy")
linear.weight.detach().numpy()[1, :] = -4
conv.weight.detach().numpy()[2] = 7
all_ways("through numpy again")
state = {"weight": torch.ones(24, 40), "bias": torch.zeros(24)}
print(linear.load_state_dict(state))
all_ways("loaded")
linear.weight = torch.nn.Parameter(torch.full((24, 40), 2.0))
conv.weight = torch.nn.Parameter(torch.ones(8, 2, 3, 3))
all_ways("assigned")
with torch.no_grad():
    joint = torch.arange(72 * 40, dtype=torch.float32).reshape(72, 40) % 11 - 5
    for _ in range(3):
        parts = [F.linear(x, w) for w in joint.chunk(3)]
    for i, part in enumerate(parts):
        show(f"part {i}", part)
    joint[30] = 0
    show("part 1 changed", F.linear(x, joint[24:48]))
