# Every integer of quantized layers: products of all shapes, scales and zero points, for any number of threads.
import warnings

import torch

warnings.simplefilter("ignore")
quantized = torch.ops.quantized
state = 1


def numbers(*sizes):
    """Numbers that look random, the same everywhere."""
    global state
    count = 1
    for size in sizes:
        count *= size
    out = []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        out.append(state / 2**30 - 1.0)
    return torch.tensor(out).reshape(sizes)


def digest(t):
    """A number that tells of every element and its place."""
    t = (t.int_repr() if t.is_quantized else t.flatten().view(torch.int32)).flatten().tolist()
    total = 0
    for v in t:
        total = (total * 31 + v + 2**31) % 1000000007
    return total


def weights(kind, *sizes):
    w = numbers(*sizes) * 0.3
    if kind == "channels":
        scales = torch.linspace(0.0023, 0.0047, sizes[0], dtype=torch.float64)
        return torch.quantize_per_channel(w, scales, torch.zeros(sizes[0], dtype=torch.int64), 0, torch.qint8)
    return torch.quantize_per_tensor(w, 0.0031, 7 if kind == "shifted" else 0, torch.qint8)


CONVOLUTIONS = [
    # inputs, outputs, kernel, stride, padding, dilation, groups, size
    (3, 20, 7, 2, 3, 1, 1, 23),
    (16, 24, 3, 1, 1, 1, 1, 9),
    (32, 48, 3, 2, 1, 1, 1, 15),
    (15, 17, 1, 1, 0, 1, 1, 8),
    (64, 40, 1, 2, 0, 1, 1, 9),
    (16, 24, 3, 1, 2, 2, 4, 9),
    (8, 16, 3, 1, 1, 1, 8, 7),
    (24, 24, 3, 1, 1, 1, 24, 11),
    (70, 70, 5, 2, 2, 1, 70, 9),
    (105, 105, 3, 1, 1, 1, 105, 6),
]
for threads in (1, 2):
    torch.set_num_threads(threads)
    state = 1
    for inputs, outputs, kernel, stride, padding, dilation, groups, size in CONVOLUTIONS:
        for kind in ("tensor", "channels", "shifted")[: 3 if groups == 1 else 2]:
            w = weights(kind, outputs, inputs // groups, kernel, kernel)
            bias, across = numbers(outputs), [stride] * 2
            packed, bounded = (quantized.conv2d_prepack(w, bias, across, [padding] * 2, [dilation] * 2, groups) for _ in range(2))
            x = torch.quantize_per_tensor(numbers(2, inputs, size, size + 1), 0.0087, 101, torch.quint8)
            plain = quantized.conv2d(x, packed, 0.0213, 111)
            last = quantized.conv2d_relu(x.contiguous(memory_format=torch.channels_last), bounded, 0.0213, 111)
            print(inputs, outputs, kernel, groups, kind, tuple(plain.shape), digest(plain), digest(last))
    for rows, inputs, outputs in ((1, 64, 100), (5, 37, 19), (40, 128, 33)):
        for kind in ("tensor", "channels", "shifted"):
            w, bias = weights(kind, outputs, inputs), numbers(outputs)
            packed, bounded = (quantized.linear_prepack(w, bias) for _ in range(2))
            x = numbers(rows, inputs)
            q = torch.quantize_per_tensor(x, 0.0087, 101, torch.quint8)
            results = [quantized.linear(q, packed, 0.0213, 111), quantized.linear_relu(q, bounded, 0.0213, 111)]
            results += [quantized.linear_dynamic(x, packed, reduced) for reduced in (False, True)]
            print(rows, inputs, outputs, kind, [digest(t) for t in results])
    a = torch.quantize_per_tensor(numbers(2, 19, 9, 11), 0.0091, 97, torch.quint8)
    b = torch.quantize_per_tensor(numbers(2, 19, 9, 11), 0.0073, 140, torch.quint8)
    for x, y in ((a, b), (a.contiguous(memory_format=torch.channels_last), b.contiguous(memory_format=torch.channels_last)), (a, b[:, :1])):
        for name in ("add", "add_relu", "mul", "mul_relu"):
            print(name, digest(getattr(quantized, name)(x, y, 0.0113, 103)))
        print(digest(torch.nn.functional.max_pool2d(x, 3, 2, 1)), digest(torch.relu(x)), digest(quantized.sigmoid(x, 0.004, 2)))
