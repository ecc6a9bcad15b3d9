//! Sums of a product and an addend.

use super::gemm::{product_dtype, product_types};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, DType, Number, Result, Scalar, Tensor};

/// The scaled sum of an addend and a product, the latter in the dtype that products compute in.
pub fn blend(own: &Tensor, product: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    for number in [beta, alpha] {
        rushlight_tensor::promote::check_real(number, product.dtype())?;
    }
    let sizes: Vec<i64> = product.sizes().iter().map(|s| *s as i64).collected();
    let addend = own.expand(&sizes)?.to_dtype(product.dtype());
    let out = product_types!(product.dtype(), T => sum::<T>(&addend, product, beta, alpha));
    Ok(out.to_dtype(own.dtype()))
}

/// `beta own + alpha product`; a `beta` of zero does not look at `own`.
pub fn sum<T: Number>(own: &Tensor, product: &Tensor, beta: Scalar, alpha: Scalar) -> Tensor {
    let (b, a) = (T::from_scalar(beta), T::from_scalar(alpha));
    let own = own.data::<T>();
    let product_data = product.data::<T>();
    let mut out = Buffer::<T>::unspecified(product_data.len());
    if b.is_nonzero() {
        for ((o, p), s) in out.iter_mut().zip(product_data.iter()).zip(own.iter()) {
            *o = s.mul(b).add(p.mul(a));
        }
    } else {
        // Whatever the addend holds, NaN included, plays no part.
        for (o, p) in out.iter_mut().zip(product_data.iter()) {
            *o = p.mul(a);
        }
    }
    out.into_tensor(product.sizes())
}

/// `out + bias`, broadcast, in the dtype of `out`.
pub fn plus(out: &Tensor, bias: &Tensor) -> Result<Tensor> {
    let dtype = product_dtype("add", out.dtype())?;
    let sizes = rushlight_tensor::layout::broadcast_or_fault(out.sizes(), bias.sizes())?;
    let one = Scalar::Int(1);
    blend(
        &bias.to_dtype(out.dtype()),
        &out.to_dtype(dtype).expand_to(&sizes)?,
        one,
        one,
    )
}

/// `addr` of 16-bit floats, which the reference rounds after every operation.
pub fn addr_narrow(
    own: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: Scalar,
    alpha: Scalar,
) -> Result<Tensor> {
    let dtype = own.dtype();
    let sizes = [a.numel(), b.numel()];
    let round = |v: f32| -> f32 {
        if dtype == DType::F16 {
            rushlight_tensor::f16::from_f32(v).to_f32()
        } else {
            rushlight_tensor::bf16::from_f32(v).to_f32()
        }
    };
    let (beta, alpha) = (round(beta.to_f64() as f32), round(alpha.to_f64() as f32));
    let (x, y) = (a.to_vec::<f32>(), b.to_vec::<f32>());
    let own = own.expand_to(&sizes)?.to_vec::<f32>();
    let out: Vec<f32> = own
        .iter()
        .enumerate()
        .map(|(i, o)| {
            let product = round(round(alpha * x[i / y.len()]) * y[i % y.len()]);
            if beta == 0.0 {
                product
            } else {
                round(beta * o) + product
            }
        })
        .collected();
    Ok(Tensor::from_vec(out, &sizes)?.to_dtype(dtype))
}
