//! Function definitions and parameter lists, with the type comments that belong to them.

use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextRange};

use super::Lowerer;
use crate::tree::{Def, Expr, Param, ParamKind, Params, Stmt};

impl Lowerer<'_> {
    pub(super) fn def(&mut self, node: &ast::StmtFunctionDef) -> Def {
        let start = self.definition_start(node.range, &node.decorator_list);
        let decorators = self.decorators(&node.decorator_list);
        let type_params = self.type_params(node.type_params.as_deref());
        let name = self.ident(&node.name);
        let params = self.params(&node.parameters);
        let returns = self.opt_expr(node.returns.as_deref());
        let signature = self.signature_comment(node);
        let body = self.nested(node.range, |lowerer| lowerer.stmts(&node.body));
        let end = body
            .last()
            .map_or(name.span.end(), |last: &Stmt| last.span.end());
        let extent = start..self.range(node.range).end;
        let span = self.source.marked_span(start..end.max(start), extent);
        Def {
            name,
            params,
            returns,
            signature,
            body,
            decorators,
            type_params,
            is_async: node.is_async,
            span,
        }
    }

    pub(super) fn decorators(&mut self, decorators: &[ast::Decorator]) -> Vec<Expr> {
        decorators
            .iter()
            .map(|decorator| self.expr(&decorator.expression))
            .collect()
    }

    /// Where the `def` or `class` itself begins, after its decorators.
    pub(super) fn definition_start(&self, range: TextRange, decorators: &[ast::Decorator]) -> u32 {
        let Some(last) = decorators.last() else {
            return self.range(range).start;
        };
        let mut at = self.range(last.range()).end as usize;
        let text = self.source.text();
        loop {
            at += text[at..].len() - text[at..].trim_start().len();
            if !text[at..].starts_with('#') {
                return (at as u32).min(self.range(range).end);
            }
            at += text[at..].find('\n').unwrap_or(text[at..].len());
        }
    }

    pub(super) fn params(&mut self, node: &ast::Parameters) -> Params {
        let mut params = Vec::with_capacity(node.len());
        self.params_of(&node.posonlyargs, ParamKind::PositionalOnly, &mut params);
        self.params_of(&node.args, ParamKind::Normal, &mut params);
        if let Some(parameter) = &node.vararg {
            params.push(self.param(parameter, ParamKind::VarArgs, None));
        }
        self.params_of(&node.kwonlyargs, ParamKind::KeywordOnly, &mut params);
        if let Some(parameter) = &node.kwarg {
            params.push(self.param(parameter, ParamKind::VarKeywords, None));
        }
        Params(params)
    }

    fn params_of(
        &mut self,
        nodes: &[ast::ParameterWithDefault],
        kind: ParamKind,
        params: &mut Vec<Param>,
    ) {
        for node in nodes {
            let param = self.param(&node.parameter, kind, node.default.as_deref());
            params.push(param);
        }
    }

    fn param(
        &mut self,
        node: &ast::Parameter,
        kind: ParamKind,
        default: Option<&ast::Expr>,
    ) -> Param {
        let end = default.map_or(node.range.end(), |default| default.end());
        Param {
            name: self.ident(&node.name),
            kind,
            annotation: self.opt_expr(node.annotation.as_deref()),
            type_comment: self.param_comment(end),
            default: self.opt_expr(default),
            span: self.span(TextRange::new(node.range.start(), end)),
        }
    }
}
