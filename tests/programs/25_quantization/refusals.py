# What quantization refuses: wrong observers, modes, backends, classes without configuration, sequences that cannot be one.
import warnings

import torch
import torch.ao.nn.qat as nnqat
import torch.ao.nn.quantized as nnq
import torch.ao.nn.quantized.dynamic as nnqd
import torch.ao.quantization as Q
from torch import nn

warnings.simplefilter("ignore")


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print("<<" + type(e).__name__ + ">>")
        print(e)
        print("<<end>>")


model = nn.Sequential(Q.QuantStub(), nn.Linear(3, 2), nn.ReLU(), Q.DeQuantStub())
for refused in (
    lambda: Q.QConfig(activation=nn.ReLU(), weight=nn.ReLU),
    lambda: Q.ObserverBase(torch.quint8),
    lambda: Q.get_default_qconfig("tpu"),
    lambda: Q.get_default_qconfig("fbgemm", 3),
    lambda: Q.get_default_qat_qconfig("fbgemm", 7),
    lambda: Q.prepare_qat(model.eval()),
    lambda: Q.quantize_dynamic(model, dtype=torch.int8),
    lambda: Q.quantize_dynamic(model, {nn.Linear}, dtype=torch.quint8),
    lambda: Q.fuse_modules(model, [["0", "2"]]),
    lambda: Q.fuse_modules(model, [["1", "9"]]),
    lambda: Q.fuse_modules(nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1)).train(), [["0", "1"]]),
    lambda: Q.MinMaxObserver(dtype=torch.float32),
    lambda: Q.MinMaxObserver(qscheme=torch.per_channel_affine),
    lambda: Q.MovingAverageMinMaxObserver(qscheme=torch.per_channel_affine),
    lambda: Q.HistogramObserver(qscheme=torch.per_channel_affine),
    lambda: Q.PerChannelMinMaxObserver(qscheme=torch.per_tensor_affine),
    lambda: Q.MinMaxObserver(quant_min=10, quant_max=5),
    lambda: Q.MinMaxObserver(quant_min=0, quant_max=0),
    lambda: Q.MinMaxObserver(quant_min=-300, quant_max=300),
    lambda: Q.MinMaxObserver(qscheme=torch.per_tensor_symmetric, reduce_range=True),
    lambda: Q.MovingAverageMinMaxObserver(is_dynamic=True),
    lambda: Q.HistogramObserver(is_dynamic=True),
    lambda: Q.NoopObserver().calculate_qparams(),
    lambda: Q.PlaceholderObserver().calculate_qparams(),
    lambda: Q.RecordingObserver().calculate_qparams(),
    lambda: Q.ReuseInputObserver().calculate_qparams(),
    lambda: Q.FakeQuantize(quant_min=0, quant_max=300),
    lambda: Q.FakeQuantize(quant_min=-1, quant_max=30),
    lambda: Q.FakeQuantize(quant_min=5, quant_max=3),
    lambda: Q.FakeQuantize(observer=Q.MinMaxObserver, foo=1),
    lambda: Q.FusedMovingAvgObsFakeQuantize(observer=Q.MinMaxObserver),
    lambda: Q.FixedQParamsFakeQuantize(Q.MinMaxObserver),
    lambda: nnq.Linear.from_float(nn.ReLU()),
    lambda: nnq.Linear.from_float(nn.Linear(2, 2)),
    lambda: nnq.Conv2d.from_float(nn.ReLU()),
    lambda: nnq.Conv2d.from_float(nn.Conv2d(1, 1, 1)),
    lambda: nnq.ConvTranspose2d.from_float(nn.ReLU()),
    lambda: nnq.Embedding.from_float(nn.Embedding(2, 4)),
    lambda: nnq.QFunctional.from_float(nn.ReLU()),
    lambda: nnq.LSTM.from_float(nn.ReLU()),
    lambda: nnq.Conv2d(2, 2, 3, padding_mode="circular"),
    lambda: nnq.Conv2d(2, 3, 3, groups=2),
    lambda: nnq.Conv2d(3, 2, 3, groups=2),
    lambda: nnq.Conv3d(2, 2, 3, padding_mode="reflect"),
    lambda: nnq.ConvTranspose2d(2, 2, 3, padding_mode="reflect"),
    lambda: nnq.Linear(2, 2, dtype=torch.quint8),
    lambda: nnq.FloatFunctional()(1),
    lambda: nnq.QFunctional()(1),
    lambda: nnq.Conv1d(1, 1, 1)(torch.ones(1)),
    lambda: nnq.Conv2d(1, 1, 1)(torch.ones(1)),
    lambda: nnq.ConvTranspose3d(1, 1, 1)(torch.ones(1)),
    lambda: nnqd.Linear.from_float(nn.ReLU()),
    lambda: nnqd.Linear.from_float(nn.Linear(2, 2)),
    lambda: nnqd.LSTM.from_float(nn.Linear(2, 2)),
    lambda: nnqd.LSTM.from_float(nn.LSTM(2, 2)),
    lambda: nnqd.LSTMCell.from_float(nn.LSTMCell(2, 2)),
    lambda: nnqd.LSTMCell.from_float(nn.Linear(2, 2)),
    lambda: nnqd.LSTM(2, 2, dropout=2),
    lambda: nnqd.GRU(2, 2)(torch.zeros(1, 2, 3)),
    lambda: nnqd.GRU(2, 2)(torch.zeros(1, 2)),
    lambda: nnqd.LSTM(2, 2)(torch.zeros(1, 1, 2), (torch.zeros(1, 2, 2), torch.zeros(1, 1, 2))),
    lambda: nnqd.LSTMCell(2, 2)(torch.zeros(1, 3)),
    lambda: nnqd.GRUCell(2, 2)(torch.zeros(1, 2), torch.zeros(2, 2)),
    lambda: nnqd.RNNCell(2, 2, nonlinearity="x")(torch.zeros(1, 2)),
    lambda: nnqat.Linear(2, 2),
    lambda: nnqat.Conv2d(2, 2, 1),
    lambda: nnqat.Linear.from_float(nn.ReLU()),
    lambda: nnqat.Linear.from_float(nn.Linear(1, 1)),
    lambda: nnqat.Conv2d.from_float(nn.ReLU()),
    lambda: nnqat.Embedding(2, 2),
    lambda: nnqat.Embedding(2, 2, qconfig=Q.default_qconfig),
    lambda: Q.get_static_quant_module_class(nn.Bilinear),
    lambda: Q.get_dynamic_quant_module_class(nn.Bilinear),
    lambda: Q.get_quantized_operator("add"),
    lambda: Q.get_fuser_method((nn.ReLU, nn.ReLU)),
    lambda: Q.prepare(nn.Sequential(nn.ReLU())),
):
    attempt(refused)
transposed = nn.Sequential(nn.ConvTranspose2d(1, 1, 1))
transposed.qconfig = Q.get_default_qconfig("fbgemm")
attempt(lambda: Q.prepare(transposed.eval()))
bare = nn.Sequential(nn.Linear(2, 2))
bare.qconfig = None
print(Q.convert(Q.prepare(bare.eval())))
attempt(lambda: Q.MinMaxObserver().load_state_dict({"min_val": torch.tensor(0.0)}))
for engine in ("foo", "none"):
    try:
        torch.backends.quantized.engine = engine
    except RuntimeError as e:
        print(e)
