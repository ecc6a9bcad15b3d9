//! The patterns of `match`.

use ruff_python_ast as ast;
use ruff_text_size::Ranged;

use super::Lowerer;
use crate::tree::{Constant, Pattern, PatternKind};

impl Lowerer<'_> {
    /// Patterns nest in brackets only, so the limit on those bounds this recursion.
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern) -> Pattern {
        let kind = match pattern {
            ast::Pattern::MatchValue(node) => PatternKind::Value(self.expr(&node.value)),
            ast::Pattern::MatchSingleton(node) => PatternKind::Singleton(singleton(node.value)),
            ast::Pattern::MatchSequence(node) => {
                PatternKind::Sequence(self.patterns(&node.patterns))
            }
            ast::Pattern::MatchMapping(node) => self.mapping_pattern(node),
            ast::Pattern::MatchClass(node) => self.class_pattern(node),
            ast::Pattern::MatchStar(node) => PatternKind::Star(self.opt_ident(node.name.as_ref())),
            ast::Pattern::MatchAs(node) => PatternKind::As {
                pattern: node
                    .pattern
                    .as_ref()
                    .map(|pattern| Box::new(self.pattern(pattern))),
                name: self.opt_ident(node.name.as_ref()),
            },
            ast::Pattern::MatchOr(node) => PatternKind::Or(self.patterns(&node.patterns)),
        };
        Pattern {
            kind,
            span: self.span(pattern.range()),
        }
    }

    fn patterns(&mut self, patterns: &[ast::Pattern]) -> Vec<Pattern> {
        patterns
            .iter()
            .map(|pattern| self.pattern(pattern))
            .collect()
    }

    fn mapping_pattern(&mut self, node: &ast::PatternMatchMapping) -> PatternKind {
        let entries = node
            .keys
            .iter()
            .zip(node.patterns.iter())
            .map(|(key, pattern)| (self.expr(key), self.pattern(pattern)))
            .collect();
        PatternKind::Mapping {
            entries,
            rest: self.opt_ident(node.rest.as_ref()),
        }
    }

    fn class_pattern(&mut self, node: &ast::PatternMatchClass) -> PatternKind {
        let keywords = node
            .arguments
            .keywords
            .iter()
            .map(|keyword| (self.ident(&keyword.attr), self.pattern(&keyword.pattern)))
            .collect();
        PatternKind::Class {
            class: self.expr(&node.cls),
            patterns: self.patterns(&node.arguments.patterns),
            keywords,
        }
    }
}

fn singleton(value: ast::Singleton) -> Constant {
    match value {
        ast::Singleton::None => Constant::None,
        ast::Singleton::True => Constant::Bool(true),
        ast::Singleton::False => Constant::Bool(false),
    }
}
