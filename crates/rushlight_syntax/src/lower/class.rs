//! Class definitions and type parameters.

use ruff_python_ast as ast;

use super::Lowerer;
use crate::tree::{ClassDef, TypeParam, TypeParamKind};

impl Lowerer<'_> {
    pub(super) fn class_def(&mut self, node: &ast::StmtClassDef) -> ClassDef {
        let start = self.definition_start(node.range, &node.decorator_list);
        let decorators = self.decorators(&node.decorator_list);
        let type_params = self.type_params(node.type_params.as_deref());
        let name = self.ident(&node.name);
        let (bases, keywords) = match &node.arguments {
            Some(arguments) => (
                self.exprs(&arguments.args),
                self.keywords(&arguments.keywords),
            ),
            None => (Vec::new(), Vec::new()),
        };
        let body = self.nested(node.range, |lowerer| lowerer.definitions(&node.body));
        let end = body.last().map_or(name.span.end(), |last| last.span.end());
        let extent = start..self.range(node.range).end;
        let span = self.source.marked_span(start..end.max(start), extent);
        ClassDef {
            name,
            bases,
            keywords,
            body,
            decorators,
            type_params,
            span,
        }
    }

    pub(super) fn type_params(&mut self, params: Option<&ast::TypeParams>) -> Vec<TypeParam> {
        params
            .into_iter()
            .flat_map(|params| &params.type_params)
            .map(|param| self.type_param(param))
            .collect()
    }

    fn type_param(&mut self, param: &ast::TypeParam) -> TypeParam {
        let (name, kind, bound, default) = match param {
            ast::TypeParam::TypeVar(node) => (
                &node.name,
                TypeParamKind::TypeVar,
                &node.bound,
                &node.default,
            ),
            ast::TypeParam::TypeVarTuple(node) => (
                &node.name,
                TypeParamKind::TypeVarTuple,
                &None,
                &node.default,
            ),
            ast::TypeParam::ParamSpec(node) => {
                (&node.name, TypeParamKind::ParamSpec, &None, &node.default)
            }
        };
        TypeParam {
            name: self.ident(name),
            kind,
            bound: self.opt_expr(bound.as_deref()),
            default: self.opt_expr(default.as_deref()),
        }
    }
}
