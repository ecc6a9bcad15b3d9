# nn.init: every filler under a seed, gains, truncated normals of wide and narrow ranges
import torch
import torch.nn as nn
import torch.nn.init as init

for name, args in (
    ("uniform_", (0.1, 0.3)), ("normal_", (1.0, 2.0)), ("xavier_uniform_", (2.0,)), ("xavier_normal_", ()),
    ("kaiming_uniform_", (0.1, "fan_out", "relu")), ("kaiming_normal_", (0, "fan_in", "tanh")), ("orthogonal_", (2.0,)),
    ("sparse_", (0.3,)), ("dirac_", (2,)), ("eye_", ()), ("constant_", (0.3,)),
):
    for shape in ((3, 5), (4, 2, 3)):
        torch.manual_seed(1)
        w = torch.empty(shape)
        try:
            getattr(init, name)(w, *args)
        except ValueError as e:
            print(name, e)
            continue
        print(name, shape, [round(v, 4) + 0.0 for v in w.flatten().tolist()])
for options in (
    {}, {"std": 0.02}, {"a": -0.1, "b": 0.1}, {"mean": 1.0, "std": 2.0}, {"a": 2.0, "b": 8.0},
    {"mean": 0.5, "std": 1.5, "a": -4.0, "b": -1.0},
):
    torch.manual_seed(0)
    w = torch.empty(20)
    init.trunc_normal_(w, **options)
    print(options, [round(v, 5) for v in w.tolist()], torch.rand(1))
print([round(init.calculate_gain(n, p), 5) for n, p in (("tanh", None), ("relu", None), ("leaky_relu", 0.2), ("selu", None))])
