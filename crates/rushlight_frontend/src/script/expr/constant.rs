//! Literals and f-strings.

use crate::error::{problem, unsupported, unsupported_node};
use crate::script::{Arguments, Emitter};
use crate::{Outcome, Sugared};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Constant, StringPart};
use rushlight_tensor::Complex64;
use rushlight_types::Value;

impl Emitter<'_> {
    pub(super) fn constant_expression(
        &mut self,
        constant: &Constant,
        span: &Span,
    ) -> Outcome<Sugared> {
        let value: Value = match constant {
            Constant::None => Value::None,
            Constant::Bool(b) => Value::Bool(*b),
            Constant::Int(i) => Value::Int(*i),
            Constant::Float(f) => Value::Float(*f),
            Constant::Imaginary(f) => Value::complex(Complex64::new(0.0, *f)),
            Constant::Str(s) => Value::str(&**s),
            Constant::BigInt(_) => {
                return Err(problem(
                    "integer-range",
                    "Integral constant out of range (must fit in a signed 64 bit integer)",
                    span,
                ));
            }
            Constant::Bytes(_) => return Err(unsupported_node("Bytes", span)),
            Constant::Ellipsis => {
                return Err(problem("ellipsis", "Cannot emit expr for: (dots)\n", span));
            }
        };
        Ok(Sugared::Value(match value {
            Value::Int(_) | Value::Float(_) | Value::Complex(_) => self.literal(value, span),
            other => self.constant(other, span),
        }))
    }

    pub(super) fn joined_string(&mut self, parts: &[StringPart], span: &Span) -> Outcome<Sugared> {
        let text: String = parts
            .iter()
            .map(|part| match part {
                StringPart::Text { text, .. } => text,
                StringPart::Value { .. } => "{}",
            })
            .collect();
        let format = self.constant(text, span);
        let mut values = Vec::new();
        for part in parts {
            let StringPart::Value {
                value,
                conversion,
                spec,
                span: at,
                ..
            } = part
            else {
                continue;
            };
            if conversion.is_some() {
                return Err(unsupported("Don't support conversion in JoinedStr", at));
            }
            if spec.is_some() {
                return Err(unsupported("Don't support formatting in JoinedStr", at));
            }
            values.push(self.expression(value, None)?.as_value(self, at)?);
        }
        let mut inputs = vec![format];
        inputs.extend(values);
        let at = span.head(1);
        let out = self.builtin_with("aten::format", &Arguments::of(&inputs, &at), &at)?;
        Ok(Sugared::Value(out))
    }
}
