//! The types of tensors as they were once named: `torch.LongTensor(2, 3)`, `torch.FloatTensor([1.0])`.
//!
//! Called with sizes they make a tensor that holds anything, called with one value they copy it. Both become calls of
//! the operators that do so.

use super::{Sugared, SugaredValue, builtin};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, Named};
use rushlight_syntax::Span;
use rushlight_tensor::DType;
use rushlight_types::{Type, Value};

/// A type of tensors of one dtype.
pub struct LegacyTensor {
    pub dtype: DType,
}

impl LegacyTensor {
    /// The type of a name in `torch`: `LongTensor`.
    pub fn named(name: &str) -> Option<LegacyTensor> {
        let class = name.strip_suffix("Tensor").filter(|c| !c.is_empty())?;
        let dtype = DType::ALL.into_iter().find(|d| d.class_name() == class)?;
        (!dtype.is_quantized()).then_some(LegacyTensor { dtype })
    }
}

fn refused(why: String, span: &Span) -> crate::Problem {
    let message = format!(
        "Legacy Tensor Constructor only supports two schemas in TorchScript: \n'new(IntArrayRef size, *, Device? device=None)',\n'new(PyObject* data, *, Device? device=None)\n'{why}"
    );
    problem("legacy-tensor", message, span)
}

impl SugaredValue for LegacyTensor {
    fn describe(&self) -> String {
        "builtin".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        // The one device that these types have is the CPU; the reference drops it, too.
        let other = arguments.keywords.iter().find(|k| &*k.name != "device");
        if let Some(other) = other {
            return Err(refused(format!("Got kwarg {}", other.name), span));
        }
        let values = arguments
            .positional
            .iter()
            .map(|(value, at)| value.as_value(emitter, at))
            .collect::<Outcome<Vec<_>>>()?;
        let dtype = emitter.unplaced_constant(Value::Int(self.dtype.code()));
        let are_sizes = !values.is_empty() && values.iter().all(|v| *emitter.ty(*v) == Type::Int);
        let (operator, first) = match values.as_slice() {
            sizes if are_sizes => ("aten::empty", emitter.list(Type::Int, sizes, span)),
            [] => ("aten::tensor", emitter.list(Type::Int, &[], span)),
            [data] => ("aten::tensor", *data),
            _ => {
                let why = "Got multiple positional arguments that were not all integers";
                return Err(refused(why.to_string(), span));
            }
        };
        let mut call = Arguments::of(&[first], span);
        call.keywords.push(Named {
            name: "dtype".into(),
            value: Sugared::Value(dtype),
            span: span.clone(),
        });
        let made = builtin::call(emitter, operator, None, &call, span)?;
        let made = made.as_value(emitter, span)?;
        Ok(Sugared::Value(emitter.without_place(made)))
    }

    fn as_type(&self) -> Option<Type> {
        Some(Type::TENSOR)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
