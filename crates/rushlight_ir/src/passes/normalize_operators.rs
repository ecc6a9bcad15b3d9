//! One name for operators that have several.
//!
//! `aten::multiply` is `aten::mul`, `aten::special_expit` is `aten::sigmoid`: calls of the former become calls of the
//! latter, so that other passes and readers meet one of them. `rsub` of two tensors is `sub` with its operands exchanged.

use super::PassRun;
use crate::{Graph, NodeId};
use rushlight_types::{Argument, Operator, OperatorTable, Schema};

/// Names, and the names that stand for them, both without `aten::`. In-place operators follow (`clip_`, `clamp_`).
const ALIASES: &[(&str, &str)] = &[
    ("absolute", "abs"),
    ("adjoint", "mH"),
    ("arccos", "acos"),
    ("arccosh", "acosh"),
    ("arcsin", "asin"),
    ("arcsinh", "asinh"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("arctanh", "atanh"),
    ("clip", "clamp"),
    ("concat", "cat"),
    ("concatenate", "cat"),
    ("det", "linalg_det"),
    ("divide", "div"),
    ("fix", "trunc"),
    ("ger", "outer"),
    ("greater", "gt"),
    ("greater_equal", "ge"),
    ("inverse", "linalg_inv"),
    ("less", "lt"),
    ("less_equal", "le"),
    ("linalg_matmul", "matmul"),
    ("matrix_exp", "linalg_matrix_exp"),
    ("matrix_power", "linalg_matrix_power"),
    ("moveaxis", "movedim"),
    ("multiply", "mul"),
    ("negative", "neg"),
    ("not_equal", "ne"),
    ("row_stack", "vstack"),
    ("special_digamma", "digamma"),
    ("special_erf", "erf"),
    ("special_erfc", "erfc"),
    ("special_erfinv", "erfinv"),
    ("special_exp2", "exp2"),
    ("special_expit", "sigmoid"),
    ("special_expm1", "expm1"),
    ("special_gammainc", "igamma"),
    ("special_gammaincc", "igammac"),
    ("special_gammaln", "lgamma"),
    ("special_i0", "i0"),
    ("special_log1p", "log1p"),
    ("special_log_softmax", "log_softmax"),
    ("special_logit", "logit"),
    ("special_logsumexp", "logsumexp"),
    ("special_multigammaln", "mvlgamma"),
    ("special_polygamma", "polygamma"),
    ("special_psi", "digamma"),
    ("special_round", "round"),
    ("special_sinc", "sinc"),
    ("special_softmax", "softmax"),
    ("special_xlogy", "xlogy"),
    ("subtract", "sub"),
    ("swapaxes", "transpose"),
    ("swapdims", "transpose"),
    ("true_divide", "div"),
];

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    for node in graph.all_nodes() {
        let crate::NodeKind::Op(op) = graph.node(node).kind else {
            continue;
        };
        if let Some(target) = target(op, run.table)
            && run.may_change()
        {
            graph.set_kind(node, target);
            renumber(graph, node);
        } else if let Some(sub) = subtraction(op, run.table)
            && run.may_change()
        {
            exchange(graph, node, sub);
            renumber(graph, node);
        }
    }
}

/// The reference puts a new node in the place of the old one.
fn renumber(graph: &mut Graph, node: NodeId) {
    for output in graph.node(node).outputs().to_vec() {
        graph.renumber(output);
    }
}

/// The operator that one is another name of: it takes the same arguments.
fn target(op: &Operator, table: &'static OperatorTable) -> Option<&'static Operator> {
    let name = op.name().strip_prefix("aten::")?;
    let (base, in_place) = match name.strip_suffix('_') {
        Some(base) => (base, "_"),
        None => (name, ""),
    };
    let at = ALIASES.binary_search_by_key(&base, |(n, _)| n).ok()?;
    let overloads = table.overloads(&format!("aten::{}{in_place}", ALIASES[at].1));
    let fits = |other: &&&'static Operator| takes_the_same(op.schema(), other.schema());
    overloads.iter().find(fits).copied()
}

fn takes_the_same(a: &Schema, b: &Schema) -> bool {
    let alike = |(a, b): (&Argument, &Argument)| a.ty == b.ty;
    a.arguments.len() == b.arguments.len()
        && a.returns.len() == b.returns.len()
        && a.arguments.iter().zip(&b.arguments).all(alike)
}

fn subtraction(op: &Operator, table: &'static OperatorTable) -> Option<&'static Operator> {
    let schema = op.schema();
    let of_tensors = *schema.name == *"aten::rsub" && *schema.overload == *"Tensor";
    of_tensors.then(|| table.find("aten::sub.Tensor")).flatten()
}

fn exchange(graph: &mut Graph, node: NodeId, sub: &'static Operator) {
    let (left, right) = (graph.node(node).inputs()[0], graph.node(node).inputs()[1]);
    graph.set_input(node, 0, right);
    graph.set_input(node, 1, left);
    graph.set_kind(node, sub);
}

#[cfg(test)]
mod tests {
    use super::ALIASES;

    #[test]
    fn aliases_are_sorted_and_lead_to_no_alias() {
        assert!(ALIASES.is_sorted_by(|a, b| a.0 < b.0));
        for (_, target) in ALIASES {
            assert!(ALIASES.iter().all(|(name, _)| name != target), "{target}");
        }
    }
}
