# Fake quantizers: numbers rounded to those of integers, gradients through them, switched on and off, their state.
import warnings

import torch
import torch.ao.quantization as Q

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = torch.tensor([[-2.0, -0.26, 0.1], [0.4, 1.3, 5.0]], requires_grad=True)


def grad_of(y):
    return torch.autograd.grad(y.sum(), x)[0].tolist()


y = torch.fake_quantize_per_tensor_affine(x, 0.25, 3, 0, 15)
print(y.tolist(), grad_of(y))
y = torch.fake_quantize_per_tensor_affine(x, torch.tensor(0.25), torch.tensor(3, dtype=torch.int32), 0, 15)
print(y.tolist(), grad_of(y))
y = torch.fake_quantize_per_channel_affine(x, torch.tensor([0.25, 0.5]), torch.tensor([3, 0], dtype=torch.int32), 0, 0, 7)
print(y.tolist(), grad_of(y))
y = torch.fake_quantize_per_channel_affine(x, torch.tensor([0.25, 0.5, 1.0]), torch.tensor([0.5, 0.0, 1.5]), 1, -8, 7)
print(y.tolist(), grad_of(y))
for make in (
    lambda: Q.FakeQuantize(),
    lambda: Q.FakeQuantize(observer=Q.MinMaxObserver, quant_min=0, quant_max=15),
    lambda: Q.FakeQuantize(observer=Q.PerChannelMinMaxObserver, dtype=torch.qint8, qscheme=torch.per_channel_symmetric, quant_min=-8, quant_max=7, ch_axis=1),
    lambda: Q.default_fused_act_fake_quant(),
    lambda: Q.default_fused_per_channel_wt_fake_quant(),
    lambda: Q.fused_wt_fake_quant_range_neg_127_to_127(),
    lambda: Q.default_fixed_qparams_range_0to1_fake_quant(),
    lambda: Q.default_fixed_qparams_range_neg1to1_fake_quant(),
    lambda: Q.default_embedding_fake_quant(),
    lambda: Q.default_histogram_fake_quant(),
):
    fake = make()
    y = fake(x)
    print(fake)
    print([[round(v, 5) for v in row] for row in y.tolist()], grad_of(y))
    fake(x * 2)
    print([round(v, 7) for v in fake.scale.tolist()], fake.zero_point.tolist())
    scale, zero_point = fake.calculate_qparams()
    print([round(v, 7) for v in scale.tolist()], zero_point.tolist())
    fake.disable_observer()
    before = fake.scale.clone()
    fake(x * 100)
    print(torch.equal(before, fake.scale))
    fake.disable_fake_quant()
    print(torch.equal(fake(x), x), fake.fake_quant_enabled, fake.observer_enabled)
    fake.enable_fake_quant()
    fake.enable_observer()
    state = fake.state_dict()
    print({k: tuple(v.shape) for k, v in state.items()})
    other = make()
    other.load_state_dict(state)
    print(torch.equal(other.scale, fake.scale))
model = torch.nn.Sequential(Q.FakeQuantize(), torch.nn.Sequential(Q.default_fused_wt_fake_quant()))
for switch in (Q.disable_observer, Q.disable_fake_quant, Q.enable_observer, Q.enable_fake_quant):
    model.apply(switch)
    print([(m.observer_enabled.item(), m.fake_quant_enabled.item()) for m in model.modules() if isinstance(m, Q.FakeQuantizeBase)])
on, lo, hi = torch.tensor([1]), torch.tensor(float("inf")), torch.tensor(float("-inf"))
scale, zero_point = torch.tensor([1.0]), torch.tensor([0], dtype=torch.int32)
for batch in (x, x * 3, -x):
    y = torch.fused_moving_avg_obs_fake_quant(batch, on, on, lo, hi, scale, zero_point, 0.25, 0, 255, -1, False, False)
    print(y.tolist(), lo.item(), hi.item(), scale.item(), zero_point.item())
