//! Indexing tensors: ints select, slices slice, None inserts, `...` skips, tensors and lists gather.

use crate::error::problem;
use crate::script::{Arguments, Emitter, Named};
use crate::sugared::SubscriptPlaces;
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Constant, Expr, ExprKind};
use rushlight_tensor::DType;
use rushlight_types::{Type, Value};

impl Emitter<'_> {
    pub(super) fn index_tensor(
        &mut self,
        tensor: ValueId,
        index: &Expr,
        places: SubscriptPlaces<'_>,
    ) -> Outcome<ValueId> {
        let span = places.whole;
        let (view, gathered) = self.index_steps(tensor, index, Some(places.value), span)?;
        if gathered.is_empty() {
            return Ok(view);
        }
        let indices = self.index_list(&gathered, span);
        self.builtin("aten::index", &[view, indices], span)
    }

    /// `tensor[index] = value`.
    pub(super) fn assign_tensor_index(
        &mut self,
        tensor: ValueId,
        index: &Expr,
        value: ValueId,
        [target, span]: [&Span; 2],
    ) -> Outcome<()> {
        let (view, gathered) = self.index_steps(tensor, index, None, target)?;
        let is_number = matches!(
            self.ty(value),
            Type::Int | Type::Float | Type::Bool | Type::Complex | Type::Number
        );
        let indices = self.index_items(&gathered);
        let value = if !is_number {
            value
        } else {
            let dtype = self.builtin("prim::dtype", &[view], span)?;
            let device = self.builtin("prim::device", &[view], span)?;
            let no = self.unplaced_constant(false);
            for value in [dtype, device] {
                self.without_place(value);
            }
            let mut arguments = Arguments::of(&[value], span);
            for (name, value) in [("dtype", dtype), ("device", device), ("requires_grad", no)] {
                arguments.keywords.push(Named {
                    name: name.into(),
                    value: Sugared::Value(value),
                    span: span.clone(),
                });
            }
            let filled = self.builtin_with("aten::tensor", &arguments, span)?;
            self.without_place(filled)
        };
        if indices.is_empty() {
            self.builtin("aten::copy_", &[view, value], span)?;
            return Ok(());
        }
        let indices = self.list(Type::optional(Type::TENSOR), &indices, span);
        self.builtin("aten::index_put_", &[view, indices, value], span)?;
        Ok(())
    }

    pub(crate) fn index_list(&mut self, indices: &[Option<ValueId>], span: &Span) -> ValueId {
        let items = self.index_items(indices);
        self.list(Type::optional(Type::TENSOR), &items, span)
    }

    /// Index tensors, with a None for each dimension that has none.
    pub(in crate::script) fn index_items(&mut self, indices: &[Option<ValueId>]) -> Vec<ValueId> {
        let item = |i: &Option<ValueId>| i.unwrap_or_else(|| self.unplaced_constant(Value::None));
        indices.iter().map(item).collect()
    }

    /// The views that an index makes, and the index tensors that remain, by dimension of the view.
    ///
    /// As in the reference, an index that is no slice is evaluated twice, and one more time where it is read alone, for which
    /// the place of what is read is given.
    pub(in crate::script) fn index_steps(
        &mut self,
        tensor: ValueId,
        index: &Expr,
        read: Option<&Span>,
        span: &Span,
    ) -> Outcome<(ValueId, Vec<Option<ValueId>>)> {
        let parts: Vec<&Expr> = match &index.kind {
            ExprKind::Tuple { elements, .. } => elements.iter().collect(),
            _ => vec![index],
        };
        let own = self.env.find("Ellipsis").is_some();
        let is_ellipsis = |e: &Expr| match &e.kind {
            ExprKind::Constant(Constant::Ellipsis) => true,
            ExprKind::Name(name) => &**name == "Ellipsis" && !own,
            _ => false,
        };
        if parts.iter().filter(|e| is_ellipsis(e)).count() > 1 {
            return Err(problem(
                "subscript",
                "An index can only have a single ellipsis ('...')",
                span,
            ));
        }
        let mut view = tensor;
        let mut gathered: Vec<Option<ValueId>> = Vec::new();
        // The dimension that the next part applies to.
        let mut dim = 0i64;
        let mut evaluated: Vec<Part<'_>> = Vec::new();
        for part in &parts {
            match &part.kind {
                ExprKind::Slice { lower, upper, step } => {
                    evaluated.push(Part::Slice([
                        lower.as_deref(),
                        upper.as_deref(),
                        step.as_deref(),
                    ]));
                }
                _ if is_ellipsis(part) => evaluated.push(Part::Ellipsis),
                _ => {
                    let alone = read.filter(|_| parts.len() == 1);
                    let again = 1 + usize::from(alone.is_some());
                    for _ in 0..again {
                        self.repeated(part)?;
                    }
                    // What cannot be an index is said of the tensor where the index stands alone.
                    let place = alone.unwrap_or(&part.span);
                    let value = self.expression(part, None)?.as_value(self, place)?;
                    evaluated.push(self.index_part(value));
                }
            }
        }
        let consumed_by = |parts: &[Part<'_>]| {
            parts
                .iter()
                .filter(|p| !matches!(p, Part::Value(_, Type::None) | Part::Ellipsis))
                .count() as i64
        };
        let ellipsis = evaluated.iter().position(|p| matches!(p, Part::Ellipsis));
        for i in 0..evaluated.len() {
            if ellipsis.is_some_and(|ellipsis| i > ellipsis) {
                // Counted from the end: by the dimensions that this part and those after it are about, a new one stands
                // before those.
                let is_new = matches!(evaluated[i], Part::Value(_, Type::None));
                dim = -consumed_by(&evaluated[i..]) - i64::from(is_new);
            }
            match &evaluated[i] {
                Part::Ellipsis => {}
                Part::Slice(bounds) => {
                    let at = self.constant(dim, span);
                    let [lower, upper, step] = self.slice_bounds(*bounds, span)?;
                    view = self.builtin("aten::slice", &[view, at, lower, upper, step], span)?;
                    dim += 1;
                }
                Part::Value(value, ty) => match ty {
                    Type::Int => {
                        let at = self.constant(dim, span);
                        view = self.builtin("aten::select", &[view, at, *value], span)?;
                    }
                    Type::None => {
                        let at = self.constant(dim, span);
                        view = self.builtin("aten::unsqueeze", &[view, at], span)?;
                        dim += 1;
                    }
                    Type::Tensor(_) => {
                        let index = *value;
                        if dim < 0 {
                            return Err(problem(
                                "subscript",
                                "Ellipses followed by tensor indexing is currently not supported",
                                span,
                            ));
                        }
                        while gathered.len() < dim as usize {
                            gathered.push(None);
                        }
                        gathered.push(Some(index));
                        dim += 1;
                    }
                    Type::Optional(inner) if inner.is_tensor() => {
                        while gathered.len() < dim.max(0) as usize {
                            gathered.push(None);
                        }
                        gathered.push(Some(*value));
                        dim += 1;
                    }
                    other => {
                        return Err(problem(
                            "subscript",
                            format!(
                                "Unsupported operation: indexing tensor with unsupported index type '{other}'. Only ints, slices, lists and tensors are supported"
                            ),
                            span,
                        ));
                    }
                },
            }
        }
        Ok((view, gathered))
    }

    /// A part of an index: lists become tensors of whole numbers, which stands for no place.
    fn index_part(&mut self, value: ValueId) -> Part<'static> {
        let ty = self.ty(value).clone();
        if !matches!(ty, Type::List(_)) {
            return Part::Value(value, ty);
        }
        let Some(operator) = self.table().find("aten::tensor") else {
            return Part::Value(value, ty);
        };
        let dtype = self.unplaced_constant(DType::I64.code());
        let device = self.unplaced_constant(Value::None);
        let no = self.unplaced_constant(false);
        let inputs = [value, dtype, device, no];
        let node = self.graph.create(operator, &inputs, &[Type::TENSOR]);
        self.graph.append(self.block, node);
        Part::Value(self.graph.node(node).outputs()[0], Type::TENSOR)
    }

    /// Lower and upper bound and step of a slice: what is written first, in order, then what is not.
    pub(super) fn slice_bounds(
        &mut self,
        bounds: [Option<&Expr>; 3],
        span: &Span,
    ) -> Outcome<[ValueId; 3]> {
        let mut given = [None; 3];
        for (i, bound) in bounds.into_iter().enumerate() {
            let Some(expr) = bound else { continue };
            given[i] = Some(self.expression(expr, None)?.as_value(self, &expr.span)?);
        }
        let [lower, upper, step] = given;
        let step = step.unwrap_or_else(|| self.constant(1i64, span));
        let lower = lower.unwrap_or_else(|| self.unplaced_constant(Value::None));
        let upper = upper.unwrap_or_else(|| self.unplaced_constant(Value::None));
        Ok([lower, upper, step])
    }
}

/// An evaluated part of an index.
enum Part<'e> {
    Slice([Option<&'e Expr>; 3]),
    Ellipsis,
    Value(ValueId, Type),
}
