//! Expressions.
//!
//! Each arm builds a node and its mark, which follows the reference: a node that opens with a token of its own starts
//! there, any other starts where its first child does, and all end with their last child. Text that is not a function of a
//! program is read by another parser of the reference ([`Windows::Whole`]): there names and literals are marked as they
//! are written, subscripts with their brackets, and what opens with a bracket from its first element on.

use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextRange};

use super::{Lowerer, MAX_EXPRESSION_DEPTH, Windows, invalid_expr};
use crate::diagnostic::{Diagnostic, ErrorKind};
use crate::source::Span;
use crate::stack::deep;
use crate::tree::{
    BinaryOp, BoolOp, Call, CompareOp, Comprehension, Constant, Conversion, DictItem, Expr,
    ExprKind, Keyword, Lambda, Params, StringPart, UnaryOp,
};

impl Lowerer<'_> {
    pub(crate) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        // The text was measured, so this holds; it is checked because everything after relies on it.
        if self.expression_depth >= MAX_EXPRESSION_DEPTH {
            let span = self.span(expr.range());
            self.diagnostics.push(
                Diagnostic::new(
                    "nesting",
                    ErrorKind::Syntax,
                    "expression is too deeply nested",
                )
                .at(&span),
            );
            return invalid_expr(span);
        }
        self.expression_depth += 1;
        let lowered = deep(|| self.expr_unbounded(expr));
        self.expression_depth -= 1;
        lowered
    }

    pub(super) fn boxed(&mut self, expr: &ast::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn opt_expr(&mut self, expr: Option<&ast::Expr>) -> Option<Expr> {
        expr.map(|expr| self.expr(expr))
    }

    pub(super) fn exprs(&mut self, exprs: &[ast::Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn opt_boxed(&mut self, expr: Option<&ast::Expr>) -> Option<Box<Expr>> {
        expr.map(|expr| self.boxed(expr))
    }

    fn expr_unbounded(&mut self, expr: &ast::Expr) -> Expr {
        let range = expr.range();
        match expr {
            ast::Expr::Name(name) => self.name_expr(name),
            ast::Expr::NumberLiteral(number) => self.number(number),
            ast::Expr::StringLiteral(string) => self.string(range, string.value.to_str()),
            ast::Expr::BytesLiteral(bytes) => self.bytes(bytes),
            ast::Expr::BooleanLiteral(literal) => {
                self.constant(range, Constant::Bool(literal.value))
            }
            ast::Expr::NoneLiteral(_) => self.constant(range, Constant::None),
            ast::Expr::EllipsisLiteral(_) => self.constant(range, Constant::Ellipsis),
            ast::Expr::FString(string) => self.joined_string(string),
            ast::Expr::TString(string) => self.template_string(string),
            ast::Expr::BinOp(node) => self.binary(node),
            ast::Expr::UnaryOp(node) => self.unary(node),
            ast::Expr::BoolOp(node) => self.bool_op(node),
            ast::Expr::Compare(node) => self.compare(node),
            ast::Expr::Call(node) => self.call(node),
            ast::Expr::Attribute(node) => self.attribute(node),
            ast::Expr::Subscript(node) => self.subscript(node),
            ast::Expr::Slice(node) => self.slice(node),
            ast::Expr::List(node) => self.sequence(range, &node.elts, ExprKind::List),
            ast::Expr::Set(node) => self.sequence(range, &node.elts, ExprKind::Set),
            ast::Expr::Tuple(node) => {
                let elements = self.exprs(&node.elts);
                let span = self.sequence_span(range, &elements);
                let span = self.bracketed(range, elements.first().map(|e| &e.span), span.end());
                let parenthesized = node.parenthesized;
                Expr {
                    kind: ExprKind::Tuple {
                        elements,
                        parenthesized,
                    },
                    span,
                }
            }
            ast::Expr::Dict(node) => self.dict(node),
            ast::Expr::ListComp(node) => {
                self.comprehension(range, &node.elt, &node.generators, |element, generators| {
                    ExprKind::ListComp {
                        element,
                        generators,
                    }
                })
            }
            ast::Expr::SetComp(node) => {
                self.comprehension(range, &node.elt, &node.generators, |element, generators| {
                    ExprKind::SetComp {
                        element,
                        generators,
                    }
                })
            }
            ast::Expr::Generator(node) => {
                self.comprehension(range, &node.elt, &node.generators, |element, generators| {
                    ExprKind::Generator {
                        element,
                        generators,
                    }
                })
            }
            ast::Expr::DictComp(node) => self.dict_comprehension(node),
            ast::Expr::If(node) => self.conditional(node),
            ast::Expr::Lambda(node) => self.lambda(node),
            ast::Expr::Starred(node) => self.prefixed(range, &node.value, ExprKind::Starred),
            ast::Expr::Await(node) => self.prefixed(range, &node.value, ExprKind::Await),
            ast::Expr::YieldFrom(node) => self.prefixed(range, &node.value, ExprKind::YieldFrom),
            ast::Expr::Yield(node) => self.yield_expr(node),
            ast::Expr::Named(node) => self.named(node),
            ast::Expr::IpyEscapeCommand(_) => invalid_expr(self.span(range)),
        }
    }

    /// A name's mark counts characters, and so ends early after letters beyond ASCII.
    fn name_expr(&mut self, node: &ast::ExprName) -> Expr {
        if node.id.is_empty() {
            return invalid_expr(self.span(node.range));
        }
        let end = self.range(node.range).start + node.id.chars().count() as u32;
        let end = self.end_of_text(node.range, end);
        Expr {
            kind: ExprKind::Name(self.name(node.id.as_str())),
            span: self.span_until(node.range, end),
        }
    }

    /// Whether marks are those of text that is not a function of a program.
    fn marks_text(&self) -> bool {
        self.windows == Windows::Whole
    }

    /// The end of what is marked as it is written, where text is; `end` elsewhere.
    fn end_of_text(&self, range: TextRange, end: u32) -> u32 {
        match self.marks_text() {
            true => self.range(range).end,
            false => end,
        }
    }

    /// The span of what opens with a bracket, up to `end`.
    fn bracketed(&self, range: TextRange, first: Option<&Span>, end: u32) -> Span {
        match first {
            Some(first) if self.marks_text() => self
                .source
                .marked_span(first.start()..end.max(first.start()), self.range(range)),
            _ => self.span_until(range, end),
        }
    }

    fn constant(&mut self, range: TextRange, constant: Constant) -> Expr {
        Expr {
            kind: ExprKind::Constant(constant),
            span: self.span(range),
        }
    }

    fn number(&mut self, node: &ast::ExprNumberLiteral) -> Expr {
        match &node.value {
            ast::Number::Int(int) => self.int(node.range, int),
            ast::Number::Float(float) => {
                let start = self.range(node.range).start;
                let end = self.end_of_text(node.range, start + shown_length(*float));
                Expr {
                    kind: ExprKind::Constant(Constant::Float(*float)),
                    span: self.span_until(node.range, end),
                }
            }
            ast::Number::Complex { imag, .. } => {
                self.constant(node.range, Constant::Imaginary(*imag))
            }
        }
    }

    /// An integer's mark is as long as its decimal digits, however it is written. So is that of a float.
    fn int(&mut self, range: TextRange, int: &ast::Int) -> Expr {
        let Some(value) = int.as_i64() else {
            return self.constant(
                range,
                Constant::BigInt(int.to_string().replace('_', "").into()),
            );
        };
        let digits = value.checked_ilog10().unwrap_or(0) + 1;
        let end = self.end_of_text(range, self.range(range).start + digits);
        Expr {
            kind: ExprKind::Constant(Constant::Int(value)),
            span: self.span_until(range, end),
        }
    }

    /// A string's mark is as long as its value and one quote, wherever that ends.
    fn string(&mut self, range: TextRange, value: &str) -> Expr {
        let start = self.range(range).start;
        let kind = ExprKind::Constant(Constant::Str(self.name(value)));
        let end = self.end_of_text(range, start + value.chars().count() as u32 + 1);
        Expr {
            kind,
            span: self.span_until(range, end),
        }
    }

    fn bytes(&mut self, node: &ast::ExprBytesLiteral) -> Expr {
        let bytes: Arc<[u8]> = node.value.bytes().collect();
        self.constant(node.range, Constant::Bytes(bytes))
    }

    fn joined_string(&mut self, node: &ast::ExprFString) -> Expr {
        let mut parts = Vec::new();
        for part in node.value.iter() {
            match part {
                ast::FStringPart::Literal(literal) => {
                    let (text, span) = (self.name(&literal.value), self.span(literal.range));
                    parts.push(StringPart::Text { text, span });
                }
                ast::FStringPart::FString(string) => {
                    self.string_parts(&string.elements, &mut parts)
                }
            }
        }
        self.interpolated(node.range, parts, ExprKind::JoinedStr)
    }

    fn template_string(&mut self, node: &ast::ExprTString) -> Expr {
        let mut parts = Vec::new();
        for string in node.value.iter() {
            self.string_parts(&string.elements, &mut parts);
        }
        self.interpolated(node.range, parts, ExprKind::TemplateStr)
    }

    fn interpolated(
        &mut self,
        range: TextRange,
        parts: Vec<StringPart>,
        kind: impl FnOnce(Vec<StringPart>) -> ExprKind,
    ) -> Expr {
        let end = parts.iter().rev().find_map(|part| match part {
            StringPart::Value { value, .. } => Some(value.span.end()),
            StringPart::Text { .. } => None,
        });
        let end = end.unwrap_or(self.range(range).start + 1);
        Expr {
            span: self.span_until(range, end),
            kind: kind(parts),
        }
    }

    fn string_parts(
        &mut self,
        elements: &ast::InterpolatedStringElements,
        parts: &mut Vec<StringPart>,
    ) {
        for element in elements {
            let part = match element {
                ast::InterpolatedStringElement::Literal(literal) => StringPart::Text {
                    text: self.name(&literal.value),
                    span: self.span(literal.range),
                },
                ast::InterpolatedStringElement::Interpolation(value) => self.interpolation(value),
            };
            parts.push(part);
        }
    }

    fn interpolation(&mut self, node: &ast::InterpolatedElement) -> StringPart {
        let spec = node.format_spec.as_ref().map(|spec| {
            let mut parts = Vec::new();
            self.nested_string_parts(&spec.elements, &mut parts);
            parts
        });
        StringPart::Value {
            value: self.expr(&node.expression),
            conversion: conversion(node.conversion),
            spec,
            debug_text: node
                .debug_text
                .as_ref()
                .map(|text| self.name(text.as_str())),
            span: self.span(node.range),
        }
    }

    /// The parts of a format spec, which may hold interpolations with specs of their own.
    fn nested_string_parts(
        &mut self,
        elements: &ast::InterpolatedStringElements,
        parts: &mut Vec<StringPart>,
    ) {
        if self.expression_depth < MAX_EXPRESSION_DEPTH {
            self.expression_depth += 1;
            deep(|| self.string_parts(elements, parts));
            self.expression_depth -= 1;
        }
    }

    fn binary(&mut self, node: &ast::ExprBinOp) -> Expr {
        let (left, right) = (self.boxed(&node.left), self.boxed(&node.right));
        let span = self.span_between(node.range, &left.span, &right.span);
        Expr {
            kind: ExprKind::Binary {
                op: binary_op(node.op),
                left,
                right,
            },
            span,
        }
    }

    fn unary(&mut self, node: &ast::ExprUnaryOp) -> Expr {
        let op = match node.op {
            ast::UnaryOp::Invert => UnaryOp::Invert,
            ast::UnaryOp::Not => UnaryOp::Not,
            ast::UnaryOp::UAdd => UnaryOp::Plus,
            ast::UnaryOp::USub => UnaryOp::Minus,
        };
        // In text that is no function of a program a number takes its sign along.
        if op == UnaryOp::Minus && self.marks_text() {
            let operand = self.expr(&node.operand);
            return match negative(&operand.kind) {
                Some(constant) => Expr {
                    kind: ExprKind::Constant(constant),
                    span: operand.span,
                },
                None => Expr {
                    span: self.span_until(node.range, operand.span.end()),
                    kind: ExprKind::Unary {
                        op,
                        operand: Box::new(operand),
                    },
                },
            };
        }
        self.prefixed(node.range, &node.operand, |operand| ExprKind::Unary {
            op,
            operand,
        })
    }

    /// A node that is a token followed by one operand.
    fn prefixed(
        &mut self,
        range: TextRange,
        operand: &ast::Expr,
        kind: impl FnOnce(Box<Expr>) -> ExprKind,
    ) -> Expr {
        let operand = self.boxed(operand);
        Expr {
            span: self.span_until(range, operand.span.end()),
            kind: kind(operand),
        }
    }

    fn bool_op(&mut self, node: &ast::ExprBoolOp) -> Expr {
        let op = match node.op {
            ast::BoolOp::And => BoolOp::And,
            ast::BoolOp::Or => BoolOp::Or,
        };
        let values = self.exprs(&node.values);
        let span = self.span_over(node.range, &values);
        Expr {
            kind: ExprKind::Bool { op, values },
            span,
        }
    }

    /// The span of a node that is its children and what stands between them.
    fn span_over(&self, range: TextRange, children: &[Expr]) -> Span {
        match children {
            [first, .., last] => self.span_between(range, &first.span, &last.span),
            _ => self.span(range),
        }
    }

    fn compare(&mut self, node: &ast::ExprCompare) -> Expr {
        let left = self.boxed(&node.left);
        let rest: Vec<_> = node
            .ops
            .iter()
            .zip(node.comparators.iter())
            .map(|(op, operand)| (compare_op(*op), self.expr(operand)))
            .collect();
        let last = rest.last().map_or(&left.span, |(_, operand)| &operand.span);
        let span = self.span_between(node.range, &left.span, last);
        Expr {
            kind: ExprKind::Compare { left, rest },
            span,
        }
    }

    fn call(&mut self, node: &ast::ExprCall) -> Expr {
        let func = self.expr(&node.func);
        let args = self.exprs(&node.arguments.args);
        let keywords = self.keywords(&node.arguments.keywords);
        let ends = args
            .iter()
            .map(|arg| arg.span.end())
            .chain(keywords.iter().map(|keyword| keyword.value.span.end()));
        let mut end = ends.fold(func.span.end(), u32::max);
        if self.marks_text() {
            end = end.max(self.range(node.arguments.range).start + 1);
        }
        let span = self
            .source
            .marked_span(func.span.start()..end, self.range(node.range()));
        Expr {
            kind: ExprKind::Call(Box::new(Call {
                func,
                args,
                keywords,
            })),
            span,
        }
    }

    pub(super) fn keywords(&mut self, keywords: &[ast::Keyword]) -> Vec<Keyword> {
        let lower = |keyword: &ast::Keyword| Keyword {
            name: self.opt_ident(keyword.arg.as_ref()),
            value: self.expr(&keyword.value),
            span: self.span(keyword.range),
        };
        keywords.iter().map(lower).collect()
    }

    /// The reference looks for the attribute's name one byte after its base, past any blanks, and marks from there
    /// as many bytes as the name has.
    fn attribute(&mut self, node: &ast::ExprAttribute) -> Expr {
        let value = self.boxed(&node.value);
        let attr = self.ident(&node.attr);
        let after_dot = value.span.end() + 1;
        let rest = self
            .source
            .text()
            .as_bytes()
            .get(after_dot as usize..)
            .unwrap_or(&[]);
        let blanks = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count() as u32;
        let end = self.end_of_text(node.range, after_dot + blanks + attr.name.len() as u32);
        let span = self
            .source
            .marked_span(value.span.start()..end, self.range(node.range));
        Expr {
            kind: ExprKind::Attribute { value, attr },
            span,
        }
    }

    /// The mark ends one byte after the last thing inside the brackets; in text, where the next token begins.
    fn subscript(&mut self, node: &ast::ExprSubscript) -> Expr {
        let (value, index) = (self.boxed(&node.value), self.boxed(&node.slice));
        let mut end = index_end(&index).unwrap_or(value.span.end()) + 1;
        if self.marks_text() {
            end = self.range(node.range).end;
            let rest = self.source.text().get(end as usize..).unwrap_or("");
            end += (rest.len() - rest.trim_start_matches([' ', '\t']).len()) as u32;
        }
        let span = self
            .source
            .marked_span(value.span.start()..end, self.range(node.range));
        Expr {
            kind: ExprKind::Subscript { value, index },
            span,
        }
    }

    fn slice(&mut self, node: &ast::ExprSlice) -> Expr {
        let lower = self.opt_boxed(node.lower.as_deref());
        let upper = self.opt_boxed(node.upper.as_deref());
        let step = self.opt_boxed(node.step.as_deref());
        let bounds = || [&lower, &upper, &step].into_iter().flatten();
        let span = match (bounds().next(), bounds().last()) {
            (Some(first), Some(last)) => self.span_between(node.range, &first.span, &last.span),
            _ => self.span(node.range),
        };
        Expr {
            kind: ExprKind::Slice { lower, upper, step },
            span,
        }
    }

    fn sequence(
        &mut self,
        range: TextRange,
        elements: &[ast::Expr],
        kind: impl FnOnce(Vec<Expr>) -> ExprKind,
    ) -> Expr {
        let elements = self.exprs(elements);
        Expr {
            span: self.sequence_span(range, &elements),
            kind: kind(elements),
        }
    }

    fn sequence_span(&self, range: TextRange, elements: &[Expr]) -> Span {
        let end = elements
            .last()
            .map_or(self.range(range).start + 1, |last| last.span.end());
        self.span_until(range, end)
    }

    fn dict(&mut self, node: &ast::ExprDict) -> Expr {
        let lower = |item: &ast::DictItem| DictItem {
            key: self.opt_expr(item.key.as_ref()),
            value: self.expr(&item.value),
        };
        let items: Vec<DictItem> = node.items.iter().map(lower).collect();
        let end = items
            .last()
            .map_or(self.range(node.range).start + 1, |last| {
                last.value.span.end()
            });
        let first = items.first().and_then(|item| item.key.as_ref());
        let span = self.bracketed(node.range, first.map(|key| &key.span), end);
        Expr {
            kind: ExprKind::Dict(items),
            span,
        }
    }

    fn comprehension(
        &mut self,
        range: TextRange,
        element: &ast::Expr,
        generators: &[ast::Comprehension],
        kind: impl FnOnce(Box<Expr>, Vec<Comprehension>) -> ExprKind,
    ) -> Expr {
        let element = self.boxed(element);
        let generators = self.generators(generators);
        let span = self.span_until(range, generators_end(&generators, &element));
        Expr {
            kind: kind(element, generators),
            span,
        }
    }

    fn dict_comprehension(&mut self, node: &ast::ExprDictComp) -> Expr {
        let key = self.opt_boxed(node.key.as_deref());
        let value = self.boxed(&node.value);
        let generators = self.generators(&node.generators);
        let span = self.span_until(node.range, generators_end(&generators, &value));
        Expr {
            kind: ExprKind::DictComp {
                key,
                value,
                generators,
            },
            span,
        }
    }

    fn generators(&mut self, generators: &[ast::Comprehension]) -> Vec<Comprehension> {
        let lower = |node: &ast::Comprehension| Comprehension {
            target: self.expr(&node.target),
            iter: self.expr(&node.iter),
            conditions: self.exprs(&node.ifs),
            is_async: node.is_async,
            span: self.span(node.range),
        };
        generators.iter().map(lower).collect()
    }

    fn conditional(&mut self, node: &ast::ExprIf) -> Expr {
        let body = self.boxed(&node.body);
        let test = self.boxed(&node.test);
        let orelse = self.boxed(&node.orelse);
        let span = self.span_between(node.range, &body.span, &orelse.span);
        Expr {
            kind: ExprKind::IfExp { test, body, orelse },
            span,
        }
    }

    fn lambda(&mut self, node: &ast::ExprLambda) -> Expr {
        let params = match &node.parameters {
            Some(parameters) => self.params(parameters),
            None => Params::default(),
        };
        let body = self.expr(&node.body);
        let span = self.span_until(node.range, body.span.end());
        Expr {
            kind: ExprKind::Lambda(Box::new(Lambda { params, body })),
            span,
        }
    }

    fn yield_expr(&mut self, node: &ast::ExprYield) -> Expr {
        let value = self.opt_boxed(node.value.as_deref());
        let span = match &value {
            Some(value) => self.span_until(node.range, value.span.end()),
            None => self.span(node.range),
        };
        Expr {
            kind: ExprKind::Yield(value),
            span,
        }
    }

    fn named(&mut self, node: &ast::ExprNamed) -> Expr {
        let (target, value) = (self.boxed(&node.target), self.boxed(&node.value));
        let span = self.span_between(node.range, &target.span, &value.span);
        Expr {
            kind: ExprKind::NamedExpr { target, value },
            span,
        }
    }
}

/// Where the last thing inside an index ends; `None` for a bare `:`.
fn index_end(index: &Expr) -> Option<u32> {
    match &index.kind {
        ExprKind::Slice {
            lower: None,
            upper: None,
            step: None,
        } => None,
        ExprKind::Tuple { elements, .. } => elements.iter().rev().find_map(index_end),
        _ => Some(index.span.end()),
    }
}

fn generators_end(generators: &[Comprehension], element: &Expr) -> u32 {
    let Some(last) = generators.last() else {
        return element.span.end();
    };
    last.conditions.last().unwrap_or(&last.iter).span.end()
}

fn conversion(flag: ast::ConversionFlag) -> Option<Conversion> {
    match flag {
        ast::ConversionFlag::None => None,
        ast::ConversionFlag::Str => Some(Conversion::Str),
        ast::ConversionFlag::Ascii => Some(Conversion::Ascii),
        ast::ConversionFlag::Repr => Some(Conversion::Repr),
    }
}

/// The negative of a number that is written down.
fn negative(number: &ExprKind) -> Option<Constant> {
    match number {
        ExprKind::Constant(Constant::Int(v)) => v.checked_neg().map(Constant::Int),
        // The lowest number has no opposite, but is one with its sign.
        ExprKind::Constant(Constant::BigInt(text)) => {
            format!("-{text}").parse().ok().map(Constant::Int)
        }
        ExprKind::Constant(Constant::Float(v)) => Some(Constant::Float(-v)),
        ExprKind::Constant(Constant::Imaginary(v)) => Some(Constant::Imaginary(-v)),
        _ => None,
    }
}

pub(super) fn binary_op(op: ast::Operator) -> BinaryOp {
    match op {
        ast::Operator::Add => BinaryOp::Add,
        ast::Operator::Sub => BinaryOp::Sub,
        ast::Operator::Mult => BinaryOp::Mul,
        ast::Operator::MatMult => BinaryOp::MatMul,
        ast::Operator::Div => BinaryOp::Div,
        ast::Operator::Mod => BinaryOp::Mod,
        ast::Operator::Pow => BinaryOp::Pow,
        ast::Operator::LShift => BinaryOp::LShift,
        ast::Operator::RShift => BinaryOp::RShift,
        ast::Operator::BitOr => BinaryOp::BitOr,
        ast::Operator::BitXor => BinaryOp::BitXor,
        ast::Operator::BitAnd => BinaryOp::BitAnd,
        ast::Operator::FloorDiv => BinaryOp::FloorDiv,
    }
}

fn compare_op(op: ast::CmpOp) -> CompareOp {
    match op {
        ast::CmpOp::Eq => CompareOp::Eq,
        ast::CmpOp::NotEq => CompareOp::NotEq,
        ast::CmpOp::Lt => CompareOp::Lt,
        ast::CmpOp::LtE => CompareOp::LtE,
        ast::CmpOp::Gt => CompareOp::Gt,
        ast::CmpOp::GtE => CompareOp::GtE,
        ast::CmpOp::Is => CompareOp::Is,
        ast::CmpOp::IsNot => CompareOp::IsNot,
        ast::CmpOp::In => CompareOp::In,
        ast::CmpOp::NotIn => CompareOp::NotIn,
    }
}

/// How long a positive number is when Python shows it: with the fewest digits, and an exponent of at least two digits for
/// numbers below 1e-4 and from 1e16 on.
fn shown_length(value: f64) -> u32 {
    if !value.is_finite() {
        return 3;
    }
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let count = digits.bytes().filter(u8::is_ascii_digit).count() as i32;
    let length = match exponent {
        -4..0 => 1 - exponent + count,
        0..16 => count.max(exponent + 2) + 1,
        _ => {
            let point = i32::from(count > 1);
            count + point + 2 + if exponent.abs() < 100 { 2 } else { 3 }
        }
    };
    length as u32
}

#[cfg(test)]
mod tests {
    use super::shown_length;

    #[test]
    fn numbers_are_as_long_as_python_shows_them() {
        let shown = [
            (2.0, "2.0"),
            (0.5, "0.5"),
            (2.5, "2.5"),
            (0.001, "0.001"),
            (0.00012, "0.00012"),
            (0.00001, "1e-05"),
            (0.000015, "1.5e-05"),
            (1e10, "10000000000.0"),
            (123456.75, "123456.75"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (0.0, "0.0"),
        ];
        for (value, text) in shown {
            assert_eq!(shown_length(value), text.len() as u32, "{text}");
        }
    }
}
