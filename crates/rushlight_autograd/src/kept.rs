//! What nodes keep for their run, by the names that the reference has for it: `self` and `result` for tensors and other
//! arguments, `self_sym_sizes` where only sizes are kept.

use crate::backward::second_time;
use crate::history::{Node, RecordKind, Saved, SavedTensor, SavedValue};
use crate::rules::{Read, Rule};
use rushlight_tensor::Result;
use rushlight_types::Value;
use std::sync::Arc;

/// What the name of a result ends in among what is kept.
fn result_name(rule: &Rule, index: usize) -> String {
    let returns = &rule.operator.schema().returns;
    match returns.get(index) {
        Some(own) if !own.name.is_empty() => own.name.to_string(),
        _ if returns.len() == 1 => "result".to_string(),
        _ => format!("result{index}"),
    }
}

fn name_of(rule: &Rule, read: &Read) -> Option<String> {
    let argument = |i: usize| rule.operator.schema().arguments[i].name.to_string();
    match read {
        Read::Argument(i) => Some(argument(*i)),
        Read::Sizes(i) => Some(format!("{}_sym_sizes", argument(*i))),
        Read::Result(i) => Some(result_name(rule, *i)),
        _ => None,
    }
}

fn value_of(node: &Arc<Node>, saved: &Saved, read: &Read) -> Result<Value> {
    let whole = |t: &SavedTensor| t.restore(node, true);
    Ok(match read {
        Read::Argument(i) => match &saved.arguments[*i].0 {
            SavedValue::Plain(value) => value.clone(),
            SavedValue::Tensor(t) => whole(t)?.into(),
            SavedValue::Tensors(list) => list.iter().map(whole).collect::<Result<Vec<_>>>()?.into(),
        },
        Read::Sizes(i) => saved.arguments[*i].1.clone().into(),
        Read::Result(i) => match saved.results.get(*i) {
            Some(Some(t)) => whole(t)?.into(),
            _ => Value::None,
        },
        _ => Value::None,
    })
}

impl Node {
    /// What the formulas of the node read, by name, each name once.
    fn reads(&self) -> Vec<(String, &Read)> {
        let RecordKind::Call { rule, .. } = &self.kind else {
            return Vec::new();
        };
        let mut found: Vec<(String, &Read)> = Vec::new();
        for read in rule.action.formulas().iter().flat_map(|f| &f.reads) {
            if let Some(name) = name_of(rule, read)
                && !found.iter().any(|(other, ..)| *other == name)
            {
                found.push((name, read));
            }
        }
        found
    }

    /// The names of what the node keeps.
    pub fn kept_names(&self) -> Vec<String> {
        self.reads().into_iter().map(|(name, _)| name).collect()
    }

    /// What the node keeps under a name; none where it keeps no such thing.
    pub fn kept(self: &Arc<Node>, name: &str) -> Option<Result<Value>> {
        let reads = self.reads();
        let (_, read) = reads.iter().find(|(known, ..)| known == name)?;
        let RecordKind::Call { saved, .. } = &self.kind else {
            return None;
        };
        let saved = saved.lock();
        Some(match saved.as_ref() {
            Some(saved) => value_of(self, saved, read),
            None => Err(second_time()),
        })
    }
}
