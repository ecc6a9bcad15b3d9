# The warnings of quantization: what is to move away, ranges to be named otherwise, observers that saw nothing, old names.
import warnings

import torch
import torch.ao.nn.quantizable as nnqa
import torch.ao.nn.quantized.dynamic as nnqd
import torch.ao.nn.quantized.functional as qF
import torch.ao.quantization as Q
from torch import nn

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    image = torch.quantize_per_tensor(torch.ones(1, 1, 2, 2), 0.1, 0, torch.quint8)


def heard(name, f):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f()
    print(name)
    for warning in caught:
        print("  ", warning.category.__name__, str(warning.message)[:120].replace("\n", "|"))


model = nn.Sequential(Q.QuantStub(), nn.Linear(2, 2), Q.DeQuantStub())
model.qconfig = Q.default_qconfig
heard("prepare", lambda: Q.prepare(model.eval()))
heard("prepare without configuration", lambda: Q.prepare(nn.Sequential(nn.Linear(1, 1)).eval()))
heard("convert", lambda: Q.convert(model))
heard("prepare_qat", lambda: Q.prepare_qat(model.train()))
heard("quantize_dynamic", lambda: Q.quantize_dynamic(model))
heard("quantize", lambda: Q.quantize(model, lambda m, x: m(x), (torch.ones(1, 2),)))
heard("fuse_modules", lambda: Q.fuse_modules(nn.Sequential(nn.Linear(1, 1), nn.ReLU()), ["0", "1"]))
heard("propagate_qconfig_", lambda: Q.propagate_qconfig_(model))
heard("a reduced range", lambda: Q.MinMaxObserver(reduce_range=True))
heard("an observer of a backend", lambda: Q.get_default_qconfig("fbgemm").activation())
heard("nothing seen", lambda: Q.MinMaxObserver().calculate_qparams())
heard("no histogram", lambda: Q.HistogramObserver().calculate_qparams())
heard("no channels", lambda: Q.PerChannelMinMaxObserver().calculate_qparams())
heard("compute_dtype", lambda: Q.PlaceholderObserver(compute_dtype=torch.quint8))
heard("infinity", lambda: Q.HistogramObserver()(torch.tensor([1.0, float("inf")])))
heard("a dynamic convolution", lambda: nnqd.Conv1d(1, 1, 1))
heard("dropout of one layer", lambda: nnqd.LSTM(1, 1, dropout=0.5))
heard("dropout that is ignored", lambda: nnqa.LSTM(1, 1, dropout=0.5))
heard("QConfigDynamic", lambda: Q.QConfigDynamic())
heard("a dictionary", lambda: Q.get_default_qconfig_dict())
heard("upsample", lambda: qF.upsample(image, size=2))
heard("upsample_nearest", lambda: qF.upsample_nearest(image, size=2))
heard("apply_permutation", lambda: nnqd.modules.rnn.apply_permutation(torch.ones(1, 2), torch.tensor([1, 0])))
