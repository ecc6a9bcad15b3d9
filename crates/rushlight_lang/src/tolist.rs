//! `Tensor.tolist()` in scripts: the elements as nested lists of the type that the program expects.

use rushlight_tensor::{DType, Tensor, watch};
use rushlight_types::{Fault, Result, Type, Value, op, operators};

operators! {
    /// The call with the depth of the lists and the kind of their elements.
    pub static ROWS = [
        op!("prim::tolist(Tensor self, int dim, int elem_ty) -> Any", tolist),
    ];
}

/// The kinds of elements by the number that the call carries.
fn element_type(kind: i64) -> Result<(Type, DType)> {
    Ok(match kind {
        0 => (Type::Int, DType::I64),
        1 => (Type::Float, DType::F32),
        2 => (Type::Bool, DType::Bool),
        3 => (Type::Complex, DType::C128),
        _ => {
            return Err(Fault::runtime(format!(
                "tolist() has no elements of kind {kind}"
            )));
        }
    })
}

fn tolist(tensor: &Tensor, dim: i64, kind: i64) -> Result<Value> {
    let (element, wanted) = element_type(kind)?;
    let actual = tensor.dtype();
    let fits = actual == wanted
        || matches!(
            (wanted, actual),
            (DType::F32, DType::F64) | (DType::C128, DType::C64)
        );
    if !fits {
        return Err(Fault::runtime(format!(
            "Output annotation element type and runtime tensor element type must match for tolist(): {} vs {}",
            wanted.class_name(),
            actual.class_name()
        )));
    }
    if dim != tensor.rank() as i64 {
        return Err(Fault::runtime(
            "Output annotation list dimension and runtime tensor dimension must match for tolist()",
        ));
    }
    nested(tensor, &element)
}

fn nested(tensor: &Tensor, element: &Type) -> Result<Value> {
    if tensor.rank() == 0 {
        return Ok(Value::scalar(tensor.item()?));
    }
    let inner = (1..tensor.rank()).fold(element.clone(), |ty, _| Type::list(ty));
    let items = (0..tensor.size(0))
        .map(|i| {
            watch::poll();
            nested(&tensor.select(0, i as i64)?, element)
        })
        .collect::<Result<Vec<Value>>>()?;
    Value::list(&inner, items)
}
