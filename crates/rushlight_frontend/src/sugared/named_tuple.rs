//! NamedTuple classes: calling one makes a tuple.

use super::{Sugared, SugaredValue};
use crate::Outcome;
use crate::script::{Arguments, Emitter, match_call, wanted_list};
use rushlight_ir::Prim;
use rushlight_syntax::Span;
use rushlight_types::{Argument, Schema, TupleType, Type};
use std::sync::Arc;

/// A NamedTuple class.
pub struct NamedTupleClass {
    pub ty: Arc<TupleType>,
}

impl NamedTupleClass {
    fn schema(&self) -> Schema {
        let first_default =
            self.ty.elements.len() - self.ty.defaults.len().min(self.ty.elements.len());
        let arguments = self
            .ty
            .fields
            .iter()
            .zip(&self.ty.elements)
            .enumerate()
            .map(|(i, (name, ty))| {
                let mut argument = Argument::new(name, ty.clone());
                argument.inferred = self.ty.inferred;
                // The reference takes a field's number for the size of its list, to which one number is repeated.
                argument.list_size = wanted_list(ty).map(|_| i as u32);
                match i.checked_sub(first_default) {
                    Some(d) => argument.with_default(self.ty.defaults[d].clone()),
                    None => argument,
                }
            })
            .collect();
        let name = self.ty.name.as_deref().unwrap_or("NamedTuple");
        // Nothing is said of the result: the call makes the tuple from its arguments.
        Schema::new(
            name.rsplit('.').next().unwrap_or(name),
            arguments,
            Vec::new(),
        )
    }
}

impl SugaredValue for NamedTupleClass {
    fn describe(&self) -> String {
        self.ty.name.as_deref().unwrap_or("NamedTuple").to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let schema = self.schema();
        let matched = match_call(emitter, &[&schema], arguments, span)?.1;
        let items = matched.emit(emitter, span);
        let ty = Type::Tuple(self.ty.clone());
        let node = emitter.node(Prim::TupleConstruct, &items, &[ty], span);
        emitter.graph.set_span(node, Some(span.clone()));
        Ok(Sugared::Value(emitter.graph.node(node).outputs()[0]))
    }

    fn as_type(&self) -> Option<Type> {
        Some(Type::Tuple(self.ty.clone()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
