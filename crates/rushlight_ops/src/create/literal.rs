//! Tensors from the numbers and nested lists of a script.

use super::options::check_device;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Device, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, ElementOp, Type, Value, op, operators, warning};

operators! {
    /// `torch.tensor` and `torch.as_tensor`.
    pub static ROWS = [
        op!("aten::tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor),
        op!("aten::tensor.bool(bool t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor).element(ElementOp::Make).with_any_number(&[0]),
        op!("aten::tensor.complex(complex t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor),
        op!("aten::tensor.float(float t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor).element(ElementOp::Make).with_any_number(&[0]),
        op!("aten::tensor.int(int t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor", tensor).element(ElementOp::Make).with_any_number(&[0]),
        op!("aten::as_tensor(Tensor(a) data, *, ScalarType? dtype=None, Device? device=None) -> Tensor(b|a)", as_tensor),
        op!("aten::as_tensor.bool(bool t, *, ScalarType? dtype=None, Device? device=None) -> Tensor", from_data),
        op!("aten::as_tensor.complex(complex t, *, ScalarType? dtype=None, Device? device=None) -> Tensor", from_data),
        op!("aten::as_tensor.float(float t, *, ScalarType? dtype=None, Device? device=None) -> Tensor", from_data),
        op!("aten::as_tensor.int(int t, *, ScalarType? dtype=None, Device? device=None) -> Tensor", from_data),
        op!("aten::as_tensor.list(t[] data, *, ScalarType? dtype=None, Device? device=None) -> Tensor", from_data),
    ];
}

/// Lists nested deeper than a tensor may have dimensions are refused.
const MOST_DIMENSIONS: usize = 64;

fn tensor(
    cx: &Context,
    data: &Value,
    dtype: Option<DType>,
    device: Option<Device>,
    requires_grad: bool,
) -> Result<Tensor> {
    let out = from_data(cx, data, dtype, device)?;
    if requires_grad {
        if !out.dtype().is_float() && !out.dtype().is_complex() {
            return Err(Fault::runtime(
                "Only Tensors of floating point and complex dtype can require gradients",
            ));
        }
        out.set_requires_grad(true);
    }
    Ok(out)
}

fn as_tensor(data: &Tensor, dtype: Option<DType>, device: Option<Device>) -> Result<Tensor> {
    check_device(device)?;
    Ok(data.to_dtype(dtype.unwrap_or(data.dtype())))
}

fn from_data(
    cx: &Context,
    data: &Value,
    dtype: Option<DType>,
    device: Option<Device>,
) -> Result<Tensor> {
    check_device(device)?;
    rushlight_lang::refuse_tensors(data)?;
    let default = cx.default_dtype();
    let mut numbers = Numbers::default();
    numbers.collect(data, 0)?;
    if dtype.is_none() && numbers.leaves.is_empty() {
        warn_of_kind(cx, numbers.kind, default)?;
    }
    let dtype = dtype
        .or(numbers.dtype)
        .unwrap_or_else(|| numbers.kind.map_or(default, |kind| kind.dtype(default)));
    numbers.into_tensor(dtype)
}

/// Says that empty lists have the kind of their type, which Python does not know.
fn warn_of_kind(cx: &Context, kind: Option<Scalar>, default: DType) -> Result<()> {
    let kind = match kind {
        Some(Scalar::Int(_)) => "int",
        Some(Scalar::Bool(_)) => "bool",
        _ => return Ok(()),
    };
    let default = default.class_name();
    let message = format!(
        "Creating a tensor from an empty {kind}list will create a tensor of default floating point type  (currently {default}) in python but a tensor of type {kind} in torchscript.\nPass in a dtype argument to ensure consistent behavior"
    );
    warning::warn(cx, &message, None)
}

/// The number that stands for those of a list by its type; none for floats and what is no number.
fn kind_of_elements(element: &Type) -> Option<Scalar> {
    match element {
        Type::Int => Some(Scalar::Int(0)),
        Type::Bool => Some(Scalar::Bool(false)),
        Type::List(inner) => kind_of_elements(inner),
        _ => None,
    }
}

/// The sizes and leaves of nested lists.
#[derive(Default)]
struct Numbers {
    sizes: Vec<usize>,
    /// How many dimensions `sizes` is final for: lists met later must agree.
    depth: Option<usize>,
    leaves: Vec<Scalar>,
    /// A leaf of the widest kind seen.
    kind: Option<Scalar>,
    /// The dtype of leaves that are tensors.
    dtype: Option<DType>,
}

/// The order in which kinds of numbers absorb each other.
fn rank_of(kind: Scalar) -> u8 {
    match kind {
        Scalar::Bool(_) => 0,
        Scalar::Int(_) => 1,
        Scalar::Float(_) => 2,
        Scalar::Complex(_) => 3,
    }
}

impl Numbers {
    fn collect(&mut self, value: &Value, depth: usize) -> Result<()> {
        if value.is_list() {
            return self.collect_list(value, depth);
        }
        if self.depth.is_some_and(|known| known != depth) {
            return Err(Fault::value(
                "expected sequences of the same depth in a tensor's data",
            ));
        }
        self.depth = Some(depth);
        let number = match value {
            Value::Tensor(t) => {
                self.dtype.get_or_insert(t.dtype());
                t.item()?
            }
            other => other.as_scalar().map_err(|_| {
                let found = other.type_of();
                Fault::runtime(format!(
                    "Input must be of ints, floats, or bools, got {found}"
                ))
            })?,
        };
        if self.kind.is_none_or(|kind| rank_of(kind) < rank_of(number)) {
            self.kind = Some(number);
        }
        self.leaves.push(number);
        Ok(())
    }

    fn collect_list(&mut self, value: &Value, depth: usize) -> Result<()> {
        if depth >= MOST_DIMENSIONS {
            return Err(Fault::value("too many dimensions in a tensor's data"));
        }
        let items = value.list_items()?;
        match self.sizes.get(depth) {
            None if self.depth.is_some() => {
                return Err(Fault::value(
                    "expected sequences of the same depth in a tensor's data",
                ));
            }
            None => self.sizes.push(items.len()),
            Some(size) if *size != items.len() => {
                return Err(Fault::value(format!(
                    "Expected sequence of length {size} at dim {depth} (got {})",
                    items.len()
                )));
            }
            Some(_) => {}
        }
        if items.is_empty() {
            self.kind = self.kind.or(match value {
                Value::IntList(_) => Some(Scalar::Int(0)),
                Value::BoolList(_) => Some(Scalar::Bool(false)),
                Value::List(list) => kind_of_elements(&list.element),
                _ => None,
            });
        }
        items
            .iter()
            .try_for_each(|item| self.collect(item, depth + 1))
    }

    fn into_tensor(self, dtype: DType) -> Result<Tensor> {
        let wide = match self.kind {
            Some(Scalar::Complex(_)) => {
                let values = self.leaves.iter().map(|s| s.to_complex()).collected();
                Tensor::from_vec::<rushlight_tensor::Complex64>(values, &self.sizes)?
            }
            Some(Scalar::Float(_)) => {
                let values = self.leaves.iter().map(|s| s.to_f64()).collected();
                Tensor::from_vec::<f64>(values, &self.sizes)?
            }
            _ => {
                let values = self.leaves.iter().map(|s| s.to_i64()).collected();
                Tensor::from_vec::<i64>(values, &self.sizes)?
            }
        };
        Ok(wide.to_dtype(dtype))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(data: Value) -> Result<Tensor> {
        from_data(&Context::silent(), &data, None, None)
    }

    fn nested(items: Vec<Value>) -> Value {
        let element = rushlight_types::Type::list(rushlight_types::Type::Int);
        Value::List(std::sync::Arc::new(rushlight_types::GenericList::new(
            element, items,
        )))
    }

    #[test]
    fn nested_lists_give_the_sizes() -> Result<()> {
        let t = made(nested(vec![
            vec![1i64, 2, 3].into(),
            vec![4i64, 5, 6].into(),
        ]))?;
        assert_eq!((t.sizes(), t.dtype()), (&[2, 3][..], DType::I64));
        Ok(())
    }

    #[test]
    fn ragged_lists_are_refused() {
        let fault = made(nested(vec![vec![1i64].into(), vec![2i64, 3].into()]));
        let message = fault
            .map(|_| String::new())
            .unwrap_or_else(|f| f.to_string());
        assert_eq!(message, "Expected sequence of length 1 at dim 1 (got 2)");
    }

    #[test]
    fn floats_take_the_default_dtype() -> Result<()> {
        assert_eq!(made(vec![0.5f64].into())?.dtype(), DType::F32);
        assert_eq!(made(Value::Bool(true))?.dtype(), DType::Bool);
        Ok(())
    }
}
