"""Exported models do in ONNX Runtime what the programs do; where that is not installed, their bytes are looked at alone."""

import importlib.util
import io
import os
import tempfile
import unittest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn

RUNTIME = importlib.util.find_spec("onnxruntime") is not None and importlib.util.find_spec("numpy") is not None


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.norm(self.conv(x))
        y += x
        return self.relu(y)


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.layer = nn.Sequential(Block(4), Block(4))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        x = self.layer(self.stem(x))
        x = F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.fc(torch.flatten(self.pool(x), 1))


class Older(nn.Module):
    """What operators before version 13 take otherwise."""

    def forward(self, x):
        a, b, c = x.split([1, 2, 1], 1)
        left, right = x.chunk(2, -1)
        chosen = torch.where((x >= 0.5) & (x <= 1.5), x, x.softmax(1))
        total = x.sum((1, -1), keepdim=True) + x.sum() + x.log_softmax(2).mean(1, keepdim=True)
        wide = F.interpolate(x, size=(9, 7), mode="bilinear", align_corners=False)
        one = x.unsqueeze(0).squeeze(0).max(1).values.unsqueeze(-1)
        return a + b + c, left * right, chosen, total, wide, one, x.clamp(-0.5, 0.5)


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.norm = nn.LayerNorm(8)
        self.qkv = nn.Linear(8, 24)
        self.head = nn.Linear(8, 20, bias=False)

    def forward(self, ids):
        batch, length = ids.shape
        q, k, v = self.qkv(self.norm(self.embedding(ids))).chunk(3, -1)
        q, k, v = (part.view(batch, length, 2, 4).transpose(1, 2) for part in (q, k, v))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.head(F.gelu(mixed.transpose(1, 2).reshape(batch, length, 8)))


class Series(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return out, h, c


class Steps(nn.Module):
    def forward(self, x):
        for i in range(x.size(0)):
            if bool(x.sum() > 3):
                x = x + i
            else:
                x = x.relu() - 1
        return x


class Writes(nn.Module):
    def forward(self, x, y):
        x = x.clone()
        x[0, 1:] = y
        x[:, 2] += 1
        x.t()[0].mul_(2)
        return x * 1


def exported(model, args, **settings):
    file = io.BytesIO()
    torch.onnx.export(model, args, file, **settings)
    return file.getvalue()


class Files(unittest.TestCase):
    def test_a_path_and_a_file_take_the_same_bytes(self):
        model, x = Pictures().eval(), torch.ones(1, 3, 8, 8)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            self.assertIsNone(torch.onnx.export(model, (x,), path, dynamo=False))
            with open(path, "rb") as file:
                self.assertEqual(file.read(), exported(model, (x,), dynamo=True))

    def test_weights_have_the_names_of_the_state(self):
        data = exported(Pictures().eval(), torch.ones(1, 3, 8, 8), training=torch.onnx.TrainingMode.TRAINING)
        for name in (b"layer.1.norm.running_mean", b"stem.weight", b"fc.bias", b"/layer/layer.0/conv/Conv"):
            self.assertIn(name, data)

    def test_modes_are_put_back(self):
        model = Pictures().train()
        exported(model, torch.ones(1, 3, 8, 8))
        self.assertTrue(model.norm.training if hasattr(model, "norm") else model.layer[0].norm.training)
        self.assertFalse(torch.onnx.is_in_onnx_export())

    def test_state_is_left_alone(self):
        model = Pictures().train()
        before = model.layer[0].norm.running_mean.clone()
        exported(torch.jit.script(model), torch.ones(1, 3, 8, 8), training=torch.onnx.TrainingMode.TRAINING)
        self.assertTrue(torch.equal(before, model.layer[0].norm.running_mean))

    def test_what_cannot_be_exported_says_so(self):
        class Odd(nn.Module):
            def forward(self, x):
                return x.erfinv()

        with self.assertRaises(torch.onnx.errors.UnsupportedOperatorError) as caught:
            exported(Odd(), torch.ones(2), opset_version=17)
        self.assertEqual(str(caught.exception), "Exporting the operator 'aten::erfinv' to ONNX opset version 17 is not supported")
        with self.assertRaisesRegex(RuntimeError, "Unsupported onnx_opset_version: 99"):
            exported(Odd(), torch.ones(2), opset_version=99)
        with self.assertRaisesRegex(RuntimeError, r"number of input names provided \(2\) exceeded number of inputs \(1\)"):
            exported(nn.ReLU(), torch.ones(2), input_names=["a", "b"])


@unittest.skipUnless(RUNTIME, "not installed: pip install onnxruntime numpy")
class Runtime(unittest.TestCase):
    def agree(self, model, *args, example=None, opset=17, **settings):
        """The model is exported with the example and run with the arguments."""
        import onnxruntime

        model.eval()
        data = exported(model, example or args, opset_version=opset, dynamo=False, **settings)
        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        names = [value.name for value in session.get_inputs()]
        found = session.run(None, {name: value.numpy() for name, value in zip(names, args)})
        with torch.no_grad():
            wanted = model(*(value.clone() for value in args))
        wanted = [wanted] if isinstance(wanted, torch.Tensor) else list(wanted)
        self.assertEqual(len(found), len(wanted))
        for a, b in zip(found, wanted):
            self.assertTrue(torch.allclose(torch.from_numpy(a), b, atol=1e-4), (a, b))

    def test_pictures(self):
        x = torch.randn(2, 3, 16, 16)
        for opset in range(11, 21):
            self.agree(Pictures(), x, opset=opset)
        self.agree(torch.jit.script(Pictures().eval()), x)

    def test_older_operators(self):
        x = torch.randn(2, 4, 6, 6)
        for opset in range(11, 14):
            self.agree(Older(), x, opset=opset)
            self.agree(Words(), torch.randint(0, 20, (2, 5)), opset=opset)
            self.agree(Series(), torch.randn(2, 5, 3), opset=opset)
            self.agree(torch.jit.script(Steps()), torch.randn(3, 4), opset=opset)

    def test_axes_vary(self):
        axes = {"ids": {0: "batch", 1: "length"}}
        ids, longer = torch.randint(0, 20, (2, 5)), torch.randint(0, 20, (3, 9))
        for model in (Words(), torch.jit.script(Words().eval())):
            self.agree(model, longer, example=(ids,), input_names=["ids"], dynamic_axes=axes)

    def test_attention(self):
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        for model in (layer, nn.TransformerEncoder(layer, 2)):
            for opset in (11, 17):
                self.agree(model, torch.randn(2, 5, 8), opset=opset)
        self.assertTrue(torch.backends.mha.get_fastpath_enabled())

    def test_series(self):
        x, longer = torch.randn(2, 5, 3), torch.randn(4, 7, 3)
        self.agree(Series(), longer, example=(x,), input_names=["x"], dynamic_axes={"x": {0: "batch", 1: "length"}})

    def test_branches_and_loops(self):
        model = torch.jit.script(Steps())
        for rows in (3, 5):
            x = torch.randn(rows, 4)
            self.agree(model, x, example=(torch.randn(2, 4),), input_names=["x"], dynamic_axes={"x": [0]})

    def test_writes(self):
        self.agree(Writes(), torch.randn(3, 4), torch.randn(3))
        self.agree(
            Writes(),
            torch.randn(5, 4),
            torch.randn(3),
            example=(torch.randn(3, 4), torch.randn(3)),
            input_names=["x", "y"],
            dynamic_axes={"x": [0]},
        )


if __name__ == "__main__":
    unittest.main()
