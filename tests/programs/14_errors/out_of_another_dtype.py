"""Operators that write into a tensor of another dtype, and those that do not."""
import torch
import torch.nn.functional as F


def tried(call):
    try:
        print(call())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, str(error).split("\n")[0])


def double(*sizes):
    return torch.zeros(sizes, dtype=torch.float64)


x = torch.linspace(-2, 2, 4)
aten = torch.ops.aten
tried(lambda: aten.elu.out(x, out=double(4)))
tried(lambda: aten.gelu.out(x, out=double(4)))
tried(lambda: aten.gelu.out(x, approximate="tanh", out=double(4)))
tried(lambda: aten.mish.out(x, out=double(4)))
tried(lambda: aten.silu.out(x, out=double(4)))
tried(lambda: aten.hardsigmoid.out(x, out=double(4)))
tried(lambda: aten.hardswish.out(x, out=double(4)))
tried(lambda: aten.hardshrink.out(x, out=double(4)))
tried(lambda: aten.softshrink.out(x, out=double(4)))
tried(lambda: aten.softplus.out(x, out=double(4)))
tried(lambda: aten.leaky_relu.out(x, out=double(4)))
tried(lambda: aten.soft_margin_loss.out(x, x, out=double()))
tried(lambda: aten.exponential.out(x, out=double(4)))
tried(lambda: aten.unsafe_split.Tensor_out(x, 2, out=[double(2), double(2)]))
tried(lambda: aten.unbind_copy.int_out(x.reshape(2, 2), out=[double(2), double(2)]))
tried(lambda: torch.linalg.matrix_power(x.reshape(2, 2), 2, out=double(2, 2)))
tried(lambda: aten.im2col.out(x.reshape(1, 1, 2, 2), [1, 1], [1, 1], [0, 0], [1, 1], out=double(1, 1, 4)))
tried(lambda: aten.multi_margin_loss.out(x.reshape(2, 2), torch.tensor([0, 1]), out=double()))
tried(lambda: aten.adaptive_avg_pool2d.out(x.reshape(1, 2, 2), [1, 1], out=double(1, 1, 1)))
tried(lambda: torch.sin(x, out=double(4)).dtype)
tried(lambda: torch.add(x, x, out=double(4)).dtype)
tried(lambda: torch.fft.rfft2(torch.ones(2, 2, dtype=torch.complex64)))
tried(lambda: torch.fft.ihfftn(torch.ones(2, 2, dtype=torch.complex64)))
tried(lambda: F.pad(torch.ones(1, 1, 2, 2, dtype=torch.bool), (1, 1, 1, 1), mode="reflect"))
tried(lambda: F.ctc_loss(torch.zeros(4, 1, 3, dtype=torch.bfloat16), torch.tensor([[1]]), [4], [1]))
tried(lambda: torch._softmax_backward_data(x, torch.softmax(x, 0), 0, torch.float16))
