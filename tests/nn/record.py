"""Records what the reference's modules do: initial weights, printed form, attributes, results.

Run with an interpreter that has the reference (``python tests/nn/record.py``); it rewrites the ``*.json`` files beside it.
``python/tests/test_modules.py`` reads them. A record is built under seed 0, its inputs under seed 1 and called under seed 2.
"""

import json
import os
import warnings

import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = 8


def randn(*size):
    return {"randn": list(size)}


def rand(*size):
    return {"rand": list(size)}


def randint(low, high, *size):
    return {"randint": [low, high, list(size)]}


def value(data):
    return {"value": data}


def module(name, *args, **kwargs):
    return {"module": name, "args": list(args), "kwargs": kwargs}


def case(name, *args, inputs, evaluate=False, **kwargs):
    return {**module(name, *args, **kwargs), "inputs": list(inputs), "eval": evaluate}


def simple(names, inputs, **kwargs):
    return [case(name, inputs=inputs, **kwargs) for name in names]


X = [randn(2, 3)]
IMAGE = [randn(2, 3, 6, 6)]
SEQUENCE = [randn(2, 3, 6)]
VOLUME = [randn(1, 2, 4, 4, 4)]

FAMILIES = {
    "linear": [
        case("Linear", 3, 2, inputs=X),
        case("Linear", 3, 2, bias=False, inputs=X),
        case("Bilinear", 3, 4, 2, inputs=[randn(2, 3), randn(2, 4)]),
        case("Bilinear", 3, 4, 2, bias=False, inputs=[randn(2, 3), randn(2, 4)]),
        case("Identity", 54, unused=True, inputs=X),
        case("Flatten", inputs=IMAGE),
        case("Flatten", 1, 2, inputs=IMAGE),
        case("Unflatten", 1, [3, 2], inputs=[randn(2, 6)]),
    ],
    "activation": simple(
        "ReLU ReLU6 ELU CELU SELU GELU SiLU Mish Sigmoid LogSigmoid Tanh Tanhshrink Softsign Softplus Softshrink "
        "Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU PReLU".split(),
        X,
    )
    + [
        case("ReLU", inplace=True, inputs=X),
        case("ELU", 0.5, True, inputs=X),
        case("CELU", 2.0, inputs=X),
        case("SELU", True, inputs=X),
        case("GELU", "tanh", inputs=X),
        case("SiLU", True, inputs=X),
        case("Mish", True, inputs=X),
        case("Hardswish", True, inputs=X),
        case("Hardsigmoid", True, inputs=X),
        case("Hardtanh", -0.5, 0.7, inputs=X),
        case("Hardtanh", inplace=True, inputs=X),
        case("ReLU6", True, inputs=X),
        case("LeakyReLU", 0.2, True, inputs=X),
        case("PReLU", 3, 0.1, inputs=X),
        case("Softplus", 2.0, 1.0, inputs=X),
        case("Softshrink", 0.2, inputs=X),
        case("Hardshrink", 0.2, inputs=X),
        case("Threshold", 0.1, 20.0, inputs=X),
        case("Threshold", 0.1, 20.0, True, inputs=X),
        case("RReLU", inputs=X),
        case("RReLU", 0.1, 0.3, inputs=X, evaluate=True),
        case("RReLU", inplace=True, inputs=X),
        case("GLU", inputs=[randn(2, 4)]),
        case("GLU", 0, inputs=[randn(2, 4)]),
        case("Softmax", 1, inputs=X),
        case("Softmax", inputs=X),
        case("Softmin", dim=1, inputs=X),
        case("LogSoftmax", dim=-1, inputs=X),
        case("Softmax2d", inputs=[randn(1, 3, 2, 2)]),
    ],
    "convolution": [
        case("Conv1d", 3, 4, 3, inputs=SEQUENCE),
        case("Conv1d", 3, 4, 3, 2, 1, inputs=SEQUENCE),
        case("Conv1d", 3, 4, 3, padding="same", inputs=SEQUENCE),
        case("Conv1d", 3, 4, 3, padding=2, padding_mode="circular", inputs=SEQUENCE),
        case("Conv2d", 3, 4, 3, inputs=IMAGE),
        case("Conv2d", 3, 6, (3, 2), (2, 1), (1, 0), (1, 2), groups=3, bias=False, inputs=IMAGE),
        case("Conv2d", 3, 4, 3, padding="same", dilation=2, inputs=IMAGE),
        case("Conv2d", 3, 4, 3, padding="valid", inputs=IMAGE),
        case("Conv2d", 3, 4, 3, padding=1, padding_mode="reflect", inputs=IMAGE),
        case("Conv2d", 3, 4, 3, padding=(1, 2), padding_mode="replicate", inputs=IMAGE),
        case("Conv2d", 3, 4, 2, padding="same", padding_mode="circular", inputs=IMAGE),
        case("Conv3d", 2, 2, 2, inputs=VOLUME),
        case("Conv3d", 2, 2, (1, 2, 2), padding=1, inputs=VOLUME),
        case("ConvTranspose1d", 3, 2, 3, inputs=SEQUENCE),
        case("ConvTranspose1d", 3, 2, 3, 2, 1, 1, inputs=SEQUENCE),
        case("ConvTranspose2d", 3, 2, 3, 2, 1, 1, inputs=IMAGE),
        case("ConvTranspose2d", 3, 3, 2, groups=3, bias=False, dilation=2, inputs=IMAGE),
        case("ConvTranspose3d", 2, 2, 2, 2, inputs=VOLUME),
        case("Fold", [4, 5], 2, inputs=[randn(1, 8, 12)]),
        case("Fold", [4, 4], [2, 2], 1, 1, 2, inputs=[randn(1, 8, 9)]),
        case("Unfold", 2, inputs=[randn(1, 2, 4, 4)]),
        case("Unfold", [2, 3], 1, 1, 2, inputs=[randn(1, 2, 4, 4)]),
    ],
    "pooling": [
        case("MaxPool1d", 2, inputs=SEQUENCE),
        case("MaxPool1d", 3, 2, 1, return_indices=True, inputs=SEQUENCE),
        case("MaxPool2d", 2, inputs=IMAGE),
        case("MaxPool2d", (3, 2), (2, 1), 1, 1, True, True, inputs=IMAGE),
        case("MaxPool3d", 2, inputs=VOLUME),
        case("AvgPool1d", 2, inputs=SEQUENCE),
        case("AvgPool1d", 3, 2, 1, True, False, inputs=SEQUENCE),
        case("AvgPool2d", 2, inputs=IMAGE),
        case("AvgPool2d", (3, 2), 2, 1, divisor_override=3, inputs=IMAGE),
        case("AvgPool3d", 2, inputs=VOLUME),
        case("LPPool1d", 2, 3, inputs=SEQUENCE),
        case("LPPool2d", 2, 3, 2, inputs=IMAGE),
        case("LPPool2d", 1.2, (3, 2), ceil_mode=True, inputs=[rand(2, 3, 6, 6)]),
        case("LPPool3d", 2, 2, inputs=VOLUME),
        case("AdaptiveAvgPool1d", 4, inputs=SEQUENCE),
        case("AdaptiveAvgPool2d", 1, inputs=IMAGE),
        case("AdaptiveAvgPool2d", (2, 3), inputs=IMAGE),
        case("AdaptiveAvgPool2d", (None, 3), inputs=IMAGE),
        case("AdaptiveAvgPool3d", 2, inputs=VOLUME),
        case("AdaptiveMaxPool1d", 4, inputs=SEQUENCE),
        case("AdaptiveMaxPool1d", 4, return_indices=True, inputs=SEQUENCE),
        case("AdaptiveMaxPool2d", (2, 3), inputs=IMAGE),
        case("AdaptiveMaxPool2d", 2, True, inputs=IMAGE),
        case("AdaptiveMaxPool3d", 2, inputs=VOLUME),
        case("FractionalMaxPool2d", 2, output_size=3, inputs=IMAGE),
        case("FractionalMaxPool2d", 2, output_ratio=0.5, return_indices=True, inputs=IMAGE),
        case("FractionalMaxPool3d", 2, output_size=2, inputs=VOLUME),
        case("MaxUnpool1d", 2, inputs=[randn(1, 1, 2), value([[[1, 2]]])]),
        case("MaxUnpool2d", 2, inputs=[randn(1, 1, 2, 2), value([[[[0, 3], [8, 10]]]])]),
        case("MaxUnpool3d", 2, inputs=[randn(1, 1, 1, 1, 2), value([[[[[0, 3]]]]])]),
    ],
    "padding": [
        case(f"{kind}Pad{n}d", size, inputs=[randn(*shape)])
        for kind in ("Zero", "Reflection", "Replication", "Circular")
        for n, size, shape in ((1, 1, (1, 2, 3)), (2, 1, (1, 2, 3, 3)), (3, 1, (1, 1, 2, 3, 3)))
    ]
    + [
        case("ConstantPad1d", [1, 2], 3.5, inputs=[randn(1, 2, 3)]),
        case("ConstantPad2d", [1, 2, 0, 1], 3.5, inputs=[randn(1, 2, 3, 3)]),
        case("ConstantPad3d", 1, -1.0, inputs=[randn(1, 1, 2, 2, 2)]),
        case("ReflectionPad2d", [1, 0, 2, 1], inputs=[randn(1, 2, 3, 3)]),
        case("ReplicationPad1d", [1, 0], inputs=[randn(1, 2, 3)]),
        case("ZeroPad2d", (1, 0, -1, 1), inputs=[randn(1, 2, 3, 3)]),
        case("CircularPad1d", (1, 0), inputs=[randn(1, 2, 3)]),
    ],
    "normalization": [
        case("BatchNorm1d", 3, inputs=[randn(4, 3)]),
        case("BatchNorm1d", 3, inputs=SEQUENCE, evaluate=True),
        case("BatchNorm1d", 3, bias=False, inputs=SEQUENCE),
        case("BatchNorm2d", 3, inputs=IMAGE),
        case("BatchNorm2d", 3, 0.001, 0.5, affine=False, inputs=IMAGE),
        case("BatchNorm2d", 3, momentum=None, inputs=IMAGE),
        case("BatchNorm2d", 3, track_running_stats=False, inputs=IMAGE, evaluate=True),
        case("BatchNorm3d", 2, inputs=VOLUME),
        case("InstanceNorm1d", 3, inputs=SEQUENCE),
        case("InstanceNorm2d", 3, inputs=IMAGE),
        case("InstanceNorm2d", 3, affine=True, track_running_stats=True, inputs=IMAGE),
        case("InstanceNorm2d", 3, track_running_stats=True, inputs=IMAGE, evaluate=True),
        case("InstanceNorm3d", 2, inputs=VOLUME),
        case("LayerNorm", 3, inputs=X),
        case("LayerNorm", [3, 6], 0.01, inputs=SEQUENCE),
        case("LayerNorm", 3, elementwise_affine=False, inputs=X),
        case("LayerNorm", 3, bias=False, inputs=X),
        case("GroupNorm", 3, 6, inputs=[randn(2, 6, 4)]),
        case("GroupNorm", 2, 6, affine=False, inputs=[randn(2, 6, 4)]),
        case("RMSNorm", 3, inputs=X),
        case("RMSNorm", [3, 6], 0.1, inputs=SEQUENCE),
        case("RMSNorm", 3, elementwise_affine=False, inputs=X),
        case("LocalResponseNorm", 2, inputs=IMAGE),
        case("LocalResponseNorm", 3, 0.1, 0.5, 2.0, inputs=SEQUENCE),
        case("CrossMapLRN2d", 3, inputs=[randn(1, 3, 2, 2)]),
    ],
    "dropout": [
        case("Dropout", inputs=[randn(3, 4)]),
        case("Dropout", 0.3, True, inputs=[randn(3, 4)]),
        case("Dropout", inputs=[randn(3, 4)], evaluate=True),
        case("Dropout1d", inputs=SEQUENCE),
        case("Dropout2d", inputs=IMAGE),
        case("Dropout3d", inputs=VOLUME),
        case("AlphaDropout", 0.3, inputs=[randn(3, 4)]),
        case("FeatureAlphaDropout", 0.3, inputs=IMAGE),
    ],
    "sparse": [
        case("Embedding", 5, 3, inputs=[randint(0, 5, 2, 3)]),
        case("Embedding", 5, 3, 0, inputs=[randint(0, 5, 2, 3)]),
        case("Embedding", 5, 3, padding_idx=-1, scale_grad_by_freq=True, inputs=[randint(0, 5, 4)]),
        case("Embedding", 5, 3, max_norm=1.0, norm_type=1.0, sparse=True, inputs=[randint(0, 5, 4)]),
        case("EmbeddingBag", 5, 3, inputs=[randint(0, 5, 2, 3)]),
        case("EmbeddingBag", 5, 3, mode="sum", inputs=[randint(0, 5, 4), value([0, 2])]),
        case("EmbeddingBag", 5, 3, mode="max", padding_idx=1, inputs=[randint(0, 5, 4), value([0, 2])]),
        case("EmbeddingBag", 5, 3, include_last_offset=True, inputs=[randint(0, 5, 4), value([0, 2, 4])]),
    ],
    "recurrent": [
        case("RNN", 3, 2, inputs=[randn(4, 2, 3)]),
        case("RNN", 3, 2, 2, nonlinearity="relu", batch_first=True, inputs=[randn(4, 2, 3)]),
        case("LSTM", 3, 2, inputs=[randn(4, 2, 3)]),
        case("LSTM", 3, 2, 2, bidirectional=True, inputs=[randn(4, 2, 3)]),
        case("LSTM", 3, 4, proj_size=2, bias=False, inputs=[randn(4, 2, 3)]),
        case("LSTM", 3, 2, 2, dropout=0.5, inputs=[randn(4, 2, 3)]),
        case("LSTM", 3, 2, batch_first=True, inputs=[randn(4, 3)]),
        case("GRU", 3, 2, 2, inputs=[randn(4, 2, 3)]),
        case("GRU", 3, 2, bidirectional=True, batch_first=True, inputs=[randn(4, 2, 3)]),
        case("RNNCell", 3, 2, inputs=X),
        case("RNNCell", 3, 2, nonlinearity="relu", bias=False, inputs=X),
        case("LSTMCell", 3, 2, inputs=X),
        case("GRUCell", 3, 2, inputs=X),
        case("GRUCell", 3, 2, inputs=[randn(3)]),
    ],
    "attention": [
        case("MultiheadAttention", 4, 2, inputs=[randn(3, 2, 4)] * 3),
        case("MultiheadAttention", 4, 2, batch_first=True, bias=False, inputs=[randn(3, 2, 4)] * 3, evaluate=True),
        case("MultiheadAttention", 4, 2, dropout=0.5, kdim=3, vdim=5, inputs=[randn(3, 2, 4), randn(3, 2, 3), randn(3, 2, 5)]),
        case("MultiheadAttention", 4, 2, add_bias_kv=True, add_zero_attn=True, inputs=[randn(3, 2, 4)] * 3),
        case("TransformerEncoderLayer", 4, 2, 8, inputs=[randn(3, 2, 4)]),
        case("TransformerEncoderLayer", 4, 2, 8, 0.0, "gelu", batch_first=True, norm_first=True, inputs=[randn(3, 2, 4)], evaluate=True),
        case("TransformerEncoderLayer", 4, 2, 8, bias=False, inputs=[randn(3, 2, 4)], evaluate=True),
        case("TransformerDecoderLayer", 4, 2, 8, inputs=[randn(3, 2, 4), randn(3, 2, 4)]),
        case("TransformerDecoderLayer", 4, 2, 8, norm_first=True, inputs=[randn(3, 2, 4), randn(3, 2, 4)], evaluate=True),
        case("TransformerEncoder", module("TransformerEncoderLayer", 4, 2, 8, batch_first=True), 2, inputs=[randn(3, 2, 4)], evaluate=True),
        case("TransformerEncoder", module("TransformerEncoderLayer", 4, 2, 8), 2, norm=module("LayerNorm", 4), enable_nested_tensor=False, inputs=[randn(3, 2, 4)]),
        case("TransformerDecoder", module("TransformerDecoderLayer", 4, 2, 8), 2, inputs=[randn(3, 2, 4), randn(3, 2, 4)]),
        case("Transformer", 4, 2, 1, 1, 8, inputs=[randn(3, 2, 4), randn(2, 2, 4)]),
    ],
    "shape": [
        case("PixelShuffle", 2, inputs=[randn(1, 4, 2, 2)]),
        case("PixelUnshuffle", 2, inputs=[randn(1, 1, 4, 4)]),
        case("ChannelShuffle", 2, inputs=[randn(1, 4, 2, 2)]),
        case("Upsample", scale_factor=2, inputs=IMAGE),
        case("Upsample", 4, mode="linear", inputs=SEQUENCE),
        case("Upsample", (4, 5), mode="bilinear", align_corners=True, inputs=IMAGE),
        case("Upsample", scale_factor=(2.0, 1.5), mode="bicubic", inputs=IMAGE),
        case("Upsample", scale_factor=0.5, mode="trilinear", recompute_scale_factor=True, inputs=VOLUME),
        case("UpsamplingNearest2d", scale_factor=2, inputs=IMAGE),
        case("UpsamplingBilinear2d", 5, inputs=IMAGE),
        case("CosineSimilarity", inputs=[randn(2, 3), randn(2, 3)]),
        case("CosineSimilarity", 0, 0.1, inputs=[randn(2, 3), randn(2, 3)]),
        case("PairwiseDistance", inputs=[randn(2, 3), randn(2, 3)]),
        case("PairwiseDistance", 1.0, keepdim=True, inputs=[randn(2, 3), randn(2, 3)]),
    ],
    "loss": [
        case("L1Loss", inputs=[randn(2, 3)] * 2),
        case("L1Loss", reduction="sum", inputs=[randn(2, 3)] * 2),
        case("MSELoss", inputs=[randn(2, 3)] * 2),
        case("MSELoss", False, inputs=[randn(2, 3)] * 2),
        case("SmoothL1Loss", inputs=[randn(2, 3)] * 2),
        case("SmoothL1Loss", beta=0.0, reduction="none", inputs=[randn(2, 3)] * 2),
        case("HuberLoss", inputs=[randn(2, 3)] * 2),
        case("HuberLoss", "sum", 0.5, inputs=[randn(2, 3)] * 2),
        case("CrossEntropyLoss", inputs=[randn(2, 3), value([0, 2])]),
        case("CrossEntropyLoss", ignore_index=0, label_smoothing=0.1, inputs=[randn(2, 3), value([0, 2])]),
        case("CrossEntropyLoss", value([1.0, 2.0, 3.0]), inputs=[randn(2, 3), value([0, 2])]),
        case("NLLLoss", inputs=[randn(2, 3), value([0, 2])]),
        case("NLLLoss2d", inputs=[randn(1, 3, 2, 2), randint(0, 3, 1, 2, 2)]),
        case("BCELoss", inputs=[rand(2, 3), rand(2, 3)]),
        case("BCELoss", value([1.0, 2.0, 3.0]), reduction="sum", inputs=[rand(2, 3), rand(2, 3)]),
        case("BCEWithLogitsLoss", inputs=[randn(2, 3), rand(2, 3)]),
        case("BCEWithLogitsLoss", pos_weight=value([1.0, 2.0, 3.0]), inputs=[randn(2, 3), rand(2, 3)]),
        case("KLDivLoss", inputs=[randn(2, 3), rand(2, 3)]),
        case("KLDivLoss", reduction="batchmean", log_target=True, inputs=[randn(2, 3), randn(2, 3)]),
        case("PoissonNLLLoss", inputs=[randn(2, 3), rand(2, 3)]),
        case("PoissonNLLLoss", False, True, inputs=[rand(2, 3), rand(2, 3)]),
        case("GaussianNLLLoss", inputs=[randn(2, 3), randn(2, 3), rand(2, 3)]),
        case("GaussianNLLLoss", full=True, reduction="sum", inputs=[randn(2, 3), randn(2, 3), rand(2, 1)]),
        case("HingeEmbeddingLoss", inputs=[randn(3), value([1.0, -1.0, 1.0])]),
        case("HingeEmbeddingLoss", 2.0, inputs=[randn(3), value([1.0, -1.0, 1.0])]),
        case("MarginRankingLoss", inputs=[randn(3), randn(3), value([1.0, -1.0, 1.0])]),
        case("CosineEmbeddingLoss", 0.1, inputs=[randn(2, 3), randn(2, 3), value([1.0, -1.0])]),
        case("MultiMarginLoss", inputs=[randn(2, 3), value([0, 2])]),
        case("MultiMarginLoss", 2, 0.5, inputs=[randn(2, 3), value([0, 2])]),
        case("MultiLabelMarginLoss", inputs=[randn(1, 4), value([[3, 0, -1, 1]])]),
        case("MultiLabelSoftMarginLoss", inputs=[randn(2, 3), rand(2, 3)]),
        case("SoftMarginLoss", inputs=[randn(3), value([1.0, -1.0, 1.0])]),
        case("TripletMarginLoss", inputs=[randn(2, 3)] * 3),
        case("TripletMarginLoss", 2.0, 1.0, swap=True, reduction="none", inputs=[randn(2, 3)] * 3),
        case("TripletMarginWithDistanceLoss", margin=0.5, inputs=[randn(2, 3)] * 3),
        case("CTCLoss", inputs=[randn(5, 2, 4), randint(1, 4, 2, 3), value([5, 5]), value([3, 2])]),
        case("CTCLoss", 1, "sum", True, inputs=[randn(5, 2, 4), value([[2, 3, 2], [3, 2, 3]]), value([5, 5]), value([3, 2])]),
        case("AdaptiveLogSoftmaxWithLoss", 4, 10, [3, 6], inputs=[randn(2, 4), value([1, 7])]),
    ],
}


class Caller(nn.Module):
    """Calls a module whose class has overloads of ``forward``: those compile at the call."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


def build(description):
    """The module or value that a description stands for."""
    if isinstance(description, dict) and "module" in description:
        args = [build(a) for a in description["args"]]
        kwargs = {k: build(v) for k, v in description["kwargs"].items()}
        return getattr(nn, description["module"])(*args, **kwargs)
    if isinstance(description, dict):
        ((kind, data),) = description.items()
        if kind == "value":
            return torch.tensor(data)
        if kind == "randint":
            return torch.randint(data[0], data[1], data[2])
        return getattr(torch, kind)(data)
    return tuple(description) if isinstance(description, list) else description


def shown(result):
    """A result as data: tensors by dtype, shape and first elements."""
    if isinstance(result, (tuple, list)):
        return [shown(r) for r in result]
    if isinstance(result, torch.Tensor):
        flat = result.detach().flatten()
        return {"dtype": str(result.dtype), "shape": list(result.shape), "first": flat[:SHOWN].tolist(), "sum": float(flat.double().sum())}
    return result


def state(made):
    return {name: shown(tensor) for name, tensor in made.state_dict().items()}


def attributes(made):
    """The public plain attributes, in order."""
    kept = {}
    for name, attribute in vars(made).items():
        if not name.startswith("_") and isinstance(attribute, (type(None), bool, int, float, str, tuple, list)):
            kept[name] = repr(attribute)
    return kept


def record(entry):
    torch.manual_seed(0)
    made = build(entry)
    made.train(not entry["eval"])
    entry["class"] = f"{type(made).__module__}.{type(made).__qualname__}"
    entry["constants"] = list(getattr(type(made), "__constants__", []))
    entry["repr"] = repr(made)
    entry["attributes"] = attributes(made)
    entry["state"] = state(made)
    torch.manual_seed(1)
    inputs = [build(i) for i in entry["inputs"]]
    torch.manual_seed(2)
    with torch.no_grad():
        entry["result"] = shown(made(*[i.clone() for i in inputs]))
    entry["state_after"] = state(made) if state(made) != entry["state"] else None
    try:
        scripted = torch.jit.script(Caller(made) if isinstance(made, nn.RNNBase) else made)
    except Exception:
        entry["scripted"] = None
        return entry
    torch.manual_seed(2)
    try:
        with torch.no_grad():
            entry["scripted"] = shown(scripted(*[i.clone() for i in inputs]))
    except Exception:
        entry["scripted"] = None
    return entry


def main():
    warnings.simplefilter("ignore")
    for family, entries in FAMILIES.items():
        records = [record(json.loads(json.dumps(entry))) for entry in entries]
        with open(os.path.join(HERE, family + ".json"), "w") as out:
            out.write("[\n" + ",\n".join(json.dumps(r) for r in records) + "\n]\n")


if __name__ == "__main__":
    main()
