"""Packed parameters say what they were packed from."""

import torch

weight = torch.quantize_per_tensor(torch.arange(12.0).reshape(3, 4), 0.5, 0, torch.qint8)
linear = torch.ops.quantized.linear_prepack(weight, torch.tensor([1.0, 2.0, 3.0]))
kernel = torch.quantize_per_tensor(torch.ones(3, 4, 3, 3), 0.1, 0, torch.qint8)
convolution = torch.ops.quantized.conv2d_prepack(kernel, None, [2, 1], [1, 0], [1, 1], 1)
half = torch.ops.quantized.linear_prepack_fp16(torch.ones(2, 2), None)

for packed in (linear, convolution, half):
    print(packed._type(), packed._method_names())
print(linear.unpack()[0].int_repr().tolist(), linear.unpack()[1].tolist(), linear.bias().tolist())
print(half.unpack()[0].tolist(), half.bias())
print(tuple(convolution.weight().shape), convolution.bias(), convolution.unpack()[1])
print(convolution.stride(), convolution.padding(), convolution.output_padding(), convolution.dilation())
print(convolution.groups(), convolution.transpose())

model = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.Linear(4, 3)), {torch.nn.Linear})
inner = getattr(torch.jit.script(model), "0")._packed_params._packed_params
print(type(inner).__name__, tuple(inner.unpack()[0].shape))
