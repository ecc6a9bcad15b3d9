# How functions of quantized numbers round: activations, sums with numbers, tables, products that leave 16 bits.
import warnings

import torch

warnings.simplefilter("ignore")
quantized = torch.ops.quantized
state = 7


def numbers(*sizes):
    global state
    count = 1
    for size in sizes:
        count *= size
    out = []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        out.append(state / 2**29 - 2.0)
    return torch.tensor(out).reshape(sizes)


def digest(t):
    t = (t.int_repr() if t.is_quantized else t.contiguous().flatten().view(torch.int32)).flatten().tolist()
    total = 0
    for v in t:
        total = (total * 31 + v + 2**31) % 1000000007
    return total


for scale, zero in ((0.0231, 101), (0.0341, 118), (0.0451, 135)):
    x = torch.quantize_per_tensor(numbers(1, 30, 5, 7), scale, zero, torch.quint8)
    for point in (60, 180):
        w = torch.quantize_per_tensor(numbers(30) * 0.2, 0.004, point, torch.quint8)
        print("prelu", digest(quantized.prelu(x, w, 0.027, 117)), digest(quantized.prelu(x, w[:1], 0.027, 117)))
    for slope in (0.1, 0.5, 1.7):
        print("leaky_relu", digest(torch.nn.functional.leaky_relu(x, slope)), digest(quantized.leaky_relu(x, slope, False, 0.041, 99)))
    for number in (0.37, -5.37, 7.11, -2.2):
        moved, bounded = quantized.add_scalar(x, number), quantized.add_scalar_relu(x, number)
        print("add", digest(moved), moved.q_scale(), moved.q_zero_point(), digest(bounded))

table = numbers(20, 24)
scales, points = torch.linspace(0.011, 0.017, 20), torch.linspace(90.0, 140.0, 20)
packed = quantized.embedding_bag_prepack(torch.quantize_per_channel(table, scales, points, 0, torch.quint8))
indices, offsets = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9, 19, 0]), torch.tensor([0, 4, 4, 8])
print(digest(quantized.embedding_byte(packed, indices)))
print(digest(quantized.embedding_bag_byte(packed, indices, offsets)))
print(digest(quantized.embedding_bag_byte(packed, indices, offsets, per_sample_weights=numbers(10))))
print(digest(quantized.embedding_bag_byte(packed, indices.reshape(2, 5))))
print(digest(quantized.embedding_bag_byte(packed, indices, torch.tensor([0, 4, 10]), include_last_offset=True)))

# Layers of many groups add products in pairs of 16 bits.
for channels, kernel, stride, padding in ((104, 3, 1, 1), (128, 3, 2, 1), (112, 5, 1, 2), (104, 7, 2, 3), (128, 3, 1, 0), (105, 3, 1, 1)):
    w = torch.quantize_per_tensor(numbers(channels, 1, kernel, kernel) * 0.25, 0.004, 0, torch.qint8)
    packed = quantized.conv2d_prepack(w, None, [stride] * 2, [padding] * 2, [1, 1], channels)
    for scale in (0.0155, 0.04):
        x = torch.quantize_per_tensor(numbers(1, channels, 9, 10), scale, 100, torch.quint8)
        print(channels, kernel, stride, padding, digest(quantized.conv2d(x, packed, 0.1, 128)))

y, g = numbers(6, 7), numbers(6, 7)
for points in (torch.tensor([5.3] * 6), torch.tensor([5] * 6, dtype=torch.int32)):
    print(digest(torch.fake_quantize_per_channel_affine(y, torch.linspace(0.013, 0.021, 6), points, 0, 0, 127)))
for channels in (1, 6):
    x = y.clone().requires_grad_()
    scale = torch.linspace(0.013, 0.021, channels).requires_grad_()
    point = torch.linspace(4.2, 9.7, channels).requires_grad_()
    if channels == 1:
        out = torch._fake_quantize_learnable_per_tensor_affine(x, scale, point, 0, 127, 1.5)
    else:
        out = torch._fake_quantize_learnable_per_channel_affine(x, scale, point, 0, 0, 127, 1.5)
    (out * g).sum().backward()
    print(digest(out), digest(x.grad), type(out.grad_fn).__name__)
    print([f"{v:.4g}" for v in scale.grad.tolist()], [f"{v:.4g}" for v in point.grad.tolist()])

q = torch.quantize_per_tensor(torch.tensor([[0.5, 1.0, -2.0]]), 0.1, 10, torch.quint8)
linear = quantized.linear_prepack(torch.quantize_per_tensor(torch.ones(2, 3), 0.1, 0, torch.qint8), None)
one = torch.quantize_per_tensor(torch.ones(1, 1, 1, 1), 0.1, 0, torch.qint8)
conv = quantized.conv2d_prepack(one, None, [1, 1], [0, 0], [1, 1], 1)
image = q.reshape(1, 1, 1, 3)
refused = {
    "float": lambda: q.float(),
    "double": lambda: q.double(),
    "half": lambda: q.half(),
    "int": lambda: q.int(),
    "long": lambda: q.long(),
    "to": lambda: q.to(torch.float32),
    "tolist": lambda: q.tolist(),
    "linear_tanh": lambda: quantized.linear_tanh(q, linear, 0.1, 3),
    "linear_leaky_relu": lambda: quantized.linear_leaky_relu(q, linear, 0.1, 3, 0.2),
    "conv2d_add": lambda: quantized.conv2d_add(image, image, conv, 0.1, 3),
    "conv2d_add_relu": lambda: quantized.conv2d_add_relu(image, image, conv, 0.1, 3),
}
for name, call in refused.items():
    try:
        print(name, call())
    except RuntimeError as error:
        print(name, "<<RuntimeError>>", str(error).split("\n")[0], "<<end>>")
print(q[0, 1].item(), float(q[0, 2]))

picture = torch.quantize_per_tensor(numbers(2, 21, 9, 11), 0.0231, 101, torch.quint8)
for x in (picture, picture.contiguous(memory_format=torch.channels_last)):
    for size in ((17, 23), (5, 6), (9, 22)):
        for align in (False, True):
            print(digest(torch.nn.functional.interpolate(x, size=size, mode="bilinear", align_corners=align)))
