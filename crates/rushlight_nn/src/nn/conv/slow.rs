//! Convolutions by the names of kernels, as graphs of old releases call them.

use super::{Ints, Settings, convolution};
use rushlight_ops::op_out;
use rushlight_tensor::{Result, Tensor};
use rushlight_types::{arguments, op, operators};

operators! {
    /// Convolutions that say which kernel they want, and its size.
    pub static ROWS = [
        op!("aten::thnn_conv2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0]) -> Tensor", plain).out("out", rushlight_ops::out::cast),
        op!("aten::slow_conv3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0]) -> Tensor", plain).out("out", rushlight_ops::out::cast),
        op!("aten::_slow_conv2d_forward(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, SymInt[2] padding) -> Tensor", plain),
        op_out!("aten::_slow_conv2d_forward.output(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, SymInt[2] padding, *, Tensor(a!) output) -> Tensor(a!)", plain),
        op!("aten::slow_conv3d_forward(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] padding) -> Tensor", plain),
        op_out!("aten::slow_conv3d_forward.output(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] padding, *, Tensor(a!) output) -> Tensor(a!)", plain),
        op!("aten::slow_conv_dilated2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] dilation=[1, 1]) -> Tensor", dilated).out("out", rushlight_ops::out::cast),
        op!("aten::slow_conv_dilated3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1]) -> Tensor", dilated).out("out", rushlight_ops::out::cast),
        op!("aten::slow_conv_transpose2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, 0], SymInt[2] output_padding=[0, 0], SymInt[2] dilation=[1, 1]) -> Tensor", transposed).out("out", rushlight_ops::out::cast),
        op!("aten::slow_conv_transpose3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] padding=[0, 0, 0], SymInt[3] output_padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1]) -> Tensor", transposed).out("out", rushlight_ops::out::cast),
    ];
}

/// The same number for each of the dimensions that a kernel size has.
fn all(kernel: &Ints, value: i64) -> Ints {
    kernel.iter().map(|_| value).collect()
}

fn plain(
    input: &Tensor,
    weight: &Tensor,
    kernel: Ints,
    bias: Option<&Tensor>,
    stride: Ints,
    padding: Ints,
) -> Result<Tensor> {
    let dilation = all(&kernel, 1);
    dilated(input, weight, kernel, bias, stride, padding, dilation)
}

fn dilated(
    input: &Tensor,
    weight: &Tensor,
    kernel: Ints,
    bias: Option<&Tensor>,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
) -> Result<Tensor> {
    let settings = Settings {
        stride,
        padding,
        dilation,
        transposed: false,
        output_padding: all(&kernel, 0),
        groups: 1,
    };
    convolution(input, weight, bias, settings)
}

arguments! {
    /// How the kernel of a transposed convolution moves.
    struct Moves {
        stride: Ints,
        padding: Ints,
        output_padding: Ints,
        dilation: Ints,
    }
}

fn transposed(
    input: &Tensor,
    weight: &Tensor,
    _kernel: Ints,
    bias: Option<&Tensor>,
    moves: Moves,
) -> Result<Tensor> {
    let settings = Settings {
        stride: moves.stride,
        padding: moves.padding,
        dilation: moves.dilation,
        transposed: true,
        output_padding: moves.output_padding,
        groups: 1,
    };
    convolution(input, weight, bias, settings)
}
