# Observers over streams of numbers: what they keep, the scales they find, their state, what passes through them.
import warnings

import torch
import torch.ao.quantization as Q

warnings.simplefilter("ignore")
torch.manual_seed(0)
batches = [torch.randn(3, 4) * (i + 1) + i * 0.3 for i in range(5)]
makers = {
    "minmax": lambda: Q.MinMaxObserver(),
    "minmax qint8": lambda: Q.MinMaxObserver(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric),
    "minmax symmetric": lambda: Q.MinMaxObserver(qscheme=torch.per_tensor_symmetric),
    "minmax reduced": lambda: Q.MinMaxObserver(reduce_range=True),
    "minmax range": lambda: Q.MinMaxObserver(dtype=torch.qint8, quant_min=-8, quant_max=7),
    "minmax qint32": lambda: Q.MinMaxObserver(dtype=torch.qint32, qscheme=torch.per_tensor_symmetric),
    "average": lambda: Q.MovingAverageMinMaxObserver(averaging_constant=0.3),
    "channels": lambda: Q.PerChannelMinMaxObserver(ch_axis=1),
    "channels symmetric": lambda: Q.PerChannelMinMaxObserver(dtype=torch.qint8, qscheme=torch.per_channel_symmetric),
    "channels float": lambda: Q.PerChannelMinMaxObserver(qscheme=torch.per_channel_affine_float_qparams),
    "channels average": lambda: Q.MovingAveragePerChannelMinMaxObserver(averaging_constant=0.2, ch_axis=0),
    "histogram": lambda: Q.HistogramObserver(bins=64),
    "histogram 2048": lambda: Q.HistogramObserver(),
    "histogram qint8": lambda: Q.HistogramObserver(bins=32, dtype=torch.qint8, qscheme=torch.per_tensor_symmetric),
    "histogram reduced": lambda: Q.HistogramObserver(reduce_range=True),
}
for name, make in makers.items():
    observer = make()
    print(name, observer.quant_min, observer.quant_max, observer.calculate_qparams())
    for batch in batches:
        same = observer(batch)
        assert same is batch
        scale, zero_point = observer.calculate_qparams()
        print("  ", [f"{v:.6g}" for v in scale.tolist()], zero_point.tolist(), zero_point.dtype)
    print("  ", observer)
    state = observer.state_dict()
    other = make()
    other.load_state_dict(state)
    print("  ", {k: tuple(v.shape) for k, v in state.items()}, torch.equal(other.calculate_qparams()[0], scale))
    observer(torch.empty(0, 4))
    if not name.startswith("histogram"):
        observer.reset_min_max_vals()
        print("  ", observer)

histogram = Q.HistogramObserver(bins=8)
for batch in batches:
    histogram(batch)
    print(histogram.histogram.tolist(), histogram.min_val.item(), histogram.max_val.item())
histogram(torch.tensor([float("inf"), 1.0]))
print(histogram)
one = Q.HistogramObserver(bins=4)
one(torch.full((3,), 2.0))
print(one.histogram, one.calculate_qparams())
one(torch.tensor([0.0, 4.0]))
print(one.histogram, one.calculate_qparams())

recorder = Q.RecordingObserver()
recorder(torch.ones(2))
recorder(torch.zeros(1))
print(recorder.get_tensor_value(), recorder)
print(Q.PlaceholderObserver(dtype=torch.float16)(torch.ones(1)), Q.NoopObserver()(torch.ones(1)), Q.ReuseInputObserver()(torch.ones(1)))
fixed = Q.FixedQParamsObserver(scale=0.5, zero_point=3)
print(fixed.calculate_qparams(), fixed.state_dict())
print(Q.default_weight_observer(), Q.default_per_channel_weight_observer)
print(Q.MinMaxObserver.with_args(dtype=torch.qint8).with_args(quant_min=-10, quant_max=10)().quant_min)
print(Q.MinMaxObserver.with_callable_args(quant_max=lambda: 5, quant_min=lambda: -5).with_args(dtype=torch.qint8)().quant_max)

model = torch.nn.Sequential(Q.QuantStub(), torch.nn.Linear(4, 2), Q.DeQuantStub())
model.qconfig = Q.default_qconfig
prepared = Q.prepare(model.eval())
prepared(batches[0])
state = Q.get_observer_state_dict(prepared)
print(list(state))
fresh = Q.prepare(model)
Q.load_observer_state_dict(fresh, state)
print(fresh[0].activation_post_process, fresh[1].activation_post_process.max_val == prepared[1].activation_post_process.max_val)
