//! Overloads of operators that are compositions of others: `2 - x`, `"a" in s`, `x.shape`.
//!
//! They stand behind the operator table's own overloads and are written in the language itself. A call is replaced by
//! the body, so graphs show only the operators in it; its nodes carry the places that the reference gives them.

use crate::Outcome;
use crate::script::{Bound, Emitter};
use crate::sugared::Sugared;
use rushlight_ir::{NodeId, Prim, ValueId};
use rushlight_syntax::tree::{Constant, Expr, ExprKind, StmtKind, UnaryOp};
use rushlight_syntax::{Source, Span, parse_function};
use rushlight_types::{Argument, Schema, Type};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A composed overload as it is written down.
struct Row {
    operator: &'static str,
    schema: &'static str,
    /// The line that the body is reported at.
    line: u32,
    body: &'static str,
}

const fn row(operator: &'static str, schema: &'static str, line: u32, body: &'static str) -> Row {
    Row {
        operator,
        schema,
        line,
        body,
    }
}

const ROWS: &[Row] = &[
    row(
        "aten::mul",
        "mul(float a, Tensor b) -> Tensor",
        3,
        "  return b * a",
    ),
    row(
        "aten::mul",
        "mul(int a, Tensor b) -> Tensor",
        3,
        "  return b * a",
    ),
    row(
        "aten::mul",
        "mul(complex a, Tensor b) -> Tensor",
        3,
        "  return b * a",
    ),
    row(
        "aten::add",
        "add(float a, Tensor b) -> Tensor",
        5,
        "  return b + a",
    ),
    row(
        "aten::add",
        "add(int a, Tensor b) -> Tensor",
        5,
        "  return b + a",
    ),
    row(
        "aten::add",
        "add(complex a, Tensor b) -> Tensor",
        5,
        "  return b + a",
    ),
    row(
        "aten::ne",
        "ne(float a, Tensor b) -> Tensor",
        7,
        "  return b != a",
    ),
    row(
        "aten::ne",
        "ne(int a, Tensor b) -> Tensor",
        7,
        "  return b != a",
    ),
    row(
        "aten::ne",
        "ne(complex a, Tensor b) -> Tensor",
        7,
        "  return b != a",
    ),
    row(
        "aten::eq",
        "eq(float a, Tensor b) -> Tensor",
        9,
        "  return b == a",
    ),
    row(
        "aten::eq",
        "eq(int a, Tensor b) -> Tensor",
        9,
        "  return b == a",
    ),
    row(
        "aten::eq",
        "eq(complex a, Tensor b) -> Tensor",
        9,
        "  return b == a",
    ),
    row(
        "aten::sub",
        "sub(float a, Tensor b) -> Tensor",
        11,
        "  return b.neg() + a",
    ),
    row(
        "aten::sub",
        "sub(int a, Tensor b) -> Tensor",
        11,
        "  return b.neg() + a",
    ),
    row(
        "aten::sub",
        "sub(complex a, Tensor b) -> Tensor",
        11,
        "  return b.neg() + a",
    ),
    row(
        "aten::div",
        "div(float a, Tensor b) -> Tensor",
        13,
        "  return b.reciprocal() * a",
    ),
    row(
        "aten::div",
        "div(int a, Tensor b) -> Tensor",
        13,
        "  return b.reciprocal() * a",
    ),
    row(
        "aten::div",
        "div(complex a, Tensor b) -> Tensor",
        13,
        "  return b.reciprocal() * a",
    ),
    row(
        "aten::lt",
        "lt(float a, Tensor b) -> Tensor",
        3,
        "  return b > a",
    ),
    row(
        "aten::lt",
        "lt(int a, Tensor b) -> Tensor",
        3,
        "  return b > a",
    ),
    row(
        "aten::le",
        "le(float a, Tensor b) -> Tensor",
        5,
        "  return b >= a",
    ),
    row(
        "aten::le",
        "le(int a, Tensor b) -> Tensor",
        5,
        "  return b >= a",
    ),
    row(
        "aten::gt",
        "gt(float a, Tensor b) -> Tensor",
        7,
        "  return b < a",
    ),
    row(
        "aten::gt",
        "gt(int a, Tensor b) -> Tensor",
        7,
        "  return b < a",
    ),
    row(
        "aten::ge",
        "ge(float a, Tensor b) -> Tensor",
        9,
        "  return b <= a",
    ),
    row(
        "aten::ge",
        "ge(int a, Tensor b) -> Tensor",
        9,
        "  return b <= a",
    ),
    row(
        "aten::floordiv",
        "floordiv(Tensor self, Scalar other) -> Tensor",
        3,
        "  return torch.floor_divide(self, other)",
    ),
    row(
        "aten::floordiv",
        "floordiv(Tensor self, Tensor other) -> Tensor",
        3,
        "  return torch.floor_divide(self, other)",
    ),
    row(
        "aten::__contains__",
        "__contains__(str self, str key) -> bool",
        5,
        "    return self.find(key, 0, len(self)) != -1",
    ),
    row(
        "prim::ndim",
        "ndim(Tensor self) -> int",
        3,
        "  return self.dim()",
    ),
    row(
        "prim::T",
        "T(Tensor self) -> Tensor",
        5,
        "  return self.numpy_T()",
    ),
    row(
        "prim::H",
        "H(Tensor self) -> Tensor",
        7,
        "  return self.matrix_H()",
    ),
    row(
        "prim::shape",
        "shape(Tensor self) -> int[]",
        13,
        "  return self.size()",
    ),
    row(
        "aten::type",
        "type(Tensor self, int? dtype=None) -> Tensor",
        13,
        "  return self if dtype is None else self.to(dtype)",
    ),
    row(
        "aten::_single",
        "_single(int[1] x) -> int[]",
        3,
        "  return x",
    ),
    row(
        "aten::_single",
        "_single(float[1] x) -> float[]",
        3,
        "  return x",
    ),
    row("aten::_pair", "_pair(int[2] x) -> int[]", 3, "  return x"),
    row(
        "aten::_pair",
        "_pair(float[2] x) -> float[]",
        3,
        "  return x",
    ),
    row(
        "aten::_triple",
        "_triple(int[3] x) -> int[]",
        3,
        "  return x",
    ),
    row(
        "aten::_triple",
        "_triple(float[3] x) -> float[]",
        3,
        "  return x",
    ),
    row(
        "aten::_quadruple",
        "_quadruple(int[4] x) -> int[]",
        3,
        "  return x",
    ),
    row(
        "aten::_quadruple",
        "_quadruple(float[4] x) -> float[]",
        3,
        "  return x",
    ),
];

/// A composed overload, read.
pub struct Composed {
    pub schema: Schema,
    body: Expr,
}

/// The composed overloads of an operator, in order. Each operator's are read when they are first asked for.
pub fn overloads(operator: &str) -> Vec<Rc<Composed>> {
    type Known = RefCell<HashMap<&'static str, Vec<Rc<Composed>>>>;
    thread_local! {
        static KNOWN: Known = RefCell::default();
    }
    let Some(first) = ROWS.iter().find(|row| row.operator == operator) else {
        return Vec::new();
    };
    KNOWN.with_borrow_mut(|known| {
        known
            .entry(first.operator)
            .or_insert_with(|| read(first.operator))
            .clone()
    })
}

fn read(operator: &str) -> Vec<Rc<Composed>> {
    ROWS.iter()
        .filter(|row| row.operator == operator)
        .map(|row| {
            let composed = composed(row);
            Rc::new(composed.unwrap_or_else(|| panic!("`{}` cannot be read", row.schema)))
        })
        .collect()
}

fn composed(row: &Row) -> Option<Composed> {
    let schema = Schema::parse(row.schema).ok()?;
    let typed = |a: &Argument| match a.ty {
        Type::Number => format!("{} : number", a.name),
        _ => format!("{} : {}", a.name, a.ty),
    };
    let parameters: Vec<String> = schema.arguments.iter().map(typed).collect();
    let returned = schema.returns.first().map_or(Type::None, |r| r.ty.clone());
    // The first of several such functions follows an empty line.
    let text = format!(
        "\ndef {}({}) -> {returned}:\n{}\n",
        schema.name,
        parameters.join(", "),
        row.body
    );
    let source = Source::with_first_line("<string>", text, row.line - 2);
    let (statement, _) = parse_function(&source);
    let StmtKind::Def(def) = statement?.kind else {
        return None;
    };
    match def.body.into_iter().next()?.kind {
        StmtKind::Return(body) => Some(Composed {
            schema,
            body: with_signs(body?),
        }),
        _ => None,
    }
}

/// The body with negative numbers as single literals, which is how the reference reads them here.
fn with_signs(mut body: Expr) -> Expr {
    if let ExprKind::Compare { rest, .. } = &mut body.kind {
        for (_, operand) in rest {
            let ExprKind::Unary { op, operand: inner } = &operand.kind else {
                continue;
            };
            if let (UnaryOp::Minus, ExprKind::Constant(Constant::Int(i))) = (op, &inner.kind) {
                *operand = Expr {
                    kind: ExprKind::Constant(Constant::Int(-i)),
                    span: inner.span.clone(),
                };
            }
        }
    }
    body
}

impl Composed {
    /// Emits the body with the arguments for its parameters.
    pub fn emit(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &[ValueId],
        span: &Span,
    ) -> Outcome<Sugared> {
        emitter.env.frames.push(Default::default());
        for (formal, value) in self.schema.arguments.iter().zip(arguments) {
            let fixed = Bound::Fixed(Sugared::Value(*value));
            emitter.env.bind(&formal.name, fixed);
        }
        // Whatever the program calls it.
        if let Some(library) = super::namespace::resolve(emitter, "torch", span)? {
            emitter.env.bind(&"torch".into(), Bound::Fixed(library));
        }
        let before = emitter.graph.prev(emitter.graph.return_node(emitter.block));
        let outer = std::mem::replace(&mut emitter.composing, true);
        let result = emitter.unnumbered(|e| e.nested(span, |e| e.expression(&self.body, None)));
        emitter.composing = outer;
        emitter.env.frames.pop();
        if !outer && let Some(before) = before {
            let kept = match &result {
                Ok(Sugared::Value(value)) => Some(*value),
                _ => None,
            };
            constants_first(emitter, before, kept);
        }
        result
    }
}

/// Numbers the nodes behind `before`, and puts the constants in front of the others: so they stand in a body that is
/// put in the place of its call.
fn constants_first(emitter: &mut Emitter<'_>, before: NodeId, kept: Option<ValueId>) {
    let graph = &mut emitter.graph;
    let end = graph.return_node(emitter.block);
    let (mut constants, mut others) = (Vec::new(), Vec::new());
    let mut at = graph.next(before);
    while let Some(node) = at.filter(|n| *n != end) {
        at = graph.next(node);
        let mut outputs = graph.node(node).outputs().iter();
        let is_constant = graph.node(node).is(Prim::Constant);
        if is_constant && outputs.all(|o| graph.value(*o).uses().is_empty() && Some(*o) != kept) {
            graph.remove(node);
            continue;
        }
        match graph.node(node).is(Prim::Constant) {
            true => constants.push(node),
            false => others.push(node),
        }
    }
    if let Some(&first) = others.first() {
        for &constant in &constants {
            graph.move_before(first, constant);
        }
    }
    for node in constants.into_iter().chain(others) {
        for output in graph.node(node).outputs().to_vec() {
            graph.renumber(output);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_row_can_be_read() {
        for row in super::ROWS {
            assert!(!super::overloads(row.operator).is_empty());
        }
    }
}
