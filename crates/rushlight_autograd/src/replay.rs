//! Derivatives of operators that stand in the tables in other words: the words are called with gradients recorded, and
//! what was recorded is run backwards.

use crate::backward::BackwardRun;
use crate::compile;
use crate::history::{Node, Saved, SavedTensor, SavedValue};
use crate::rules::{Formula, Read, Rule};
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Callable, GradMode, GradientRequest, Value};
use std::sync::Arc;

impl BackwardRun<'_> {
    /// The gradients of a node's arguments, an edge each.
    pub(crate) fn replay(
        &self,
        node: &Arc<Node>,
        rule: &Rule,
        formula: &Formula,
        saved: &Saved,
        gradients: &[Option<Tensor>],
    ) -> Result<Vec<Option<Tensor>>> {
        let _mode = GradMode::new(self.context, true);
        let function = compile::function(self.engine, rule.operator, formula)?;
        let mut inputs: Vec<(usize, Tensor)> = Vec::new();
        let mut arguments = Vec::with_capacity(formula.reads.len());
        for read in &formula.reads {
            arguments.push(match read {
                Read::Argument(i) => match &saved.arguments[*i].0 {
                    SavedValue::Plain(value) => value.clone(),
                    SavedValue::Tensor(t) => {
                        let tensor = self.begin_at(node, t)?;
                        if tensor.requires_grad() && rule.tensors.contains(i) {
                            inputs.push((saved.first_edge(rule, *i), tensor.clone()));
                        }
                        tensor.into()
                    }
                    SavedValue::Tensors(list) => {
                        let mut all = Vec::with_capacity(list.len());
                        for (k, t) in list.iter().enumerate() {
                            let tensor = self.begin_at(node, t)?;
                            if tensor.requires_grad() {
                                inputs.push((saved.first_edge(rule, *i) + k, tensor.clone()));
                            }
                            all.push(tensor);
                        }
                        all.into()
                    }
                },
                Read::Sizes(i) => saved.arguments[*i].1.clone().into(),
                _ => {
                    return Err(Fault::internal(
                        "what stands for an operator reads its arguments alone",
                    ));
                }
            });
        }
        let mut outputs = Vec::new();
        collect(&function.invoke(self.context, arguments)?, &mut outputs);
        let (outputs, gradients): (Vec<_>, Vec<_>) = outputs
            .into_iter()
            .zip(gradients)
            .filter(|(output, gradient)| output.requires_grad() && gradient.is_some())
            .map(|(output, gradient)| (output, gradient.clone()))
            .unzip();
        let mut out = vec![None; node.edges.len()];
        if outputs.is_empty() || inputs.is_empty() {
            return Ok(out);
        }
        let request = GradientRequest {
            outputs,
            gradients,
            inputs: Some(inputs.iter().map(|(_, tensor)| tensor.clone()).collect()),
            accumulate: false,
            retain: false,
            create_graph: self.request.create_graph,
            allow_unused: true,
        };
        let found = crate::backward::run(self.engine, self.context, request)?;
        for ((edge, _), gradient) in inputs.into_iter().zip(found) {
            out[edge] = gradient;
        }
        Ok(out)
    }

    /// A saved tensor as the beginning of what is recorded now; behind it lies its own history where a gradient of a
    /// gradient is asked for.
    fn begin_at(&self, node: &Arc<Node>, saved: &SavedTensor) -> Result<Tensor> {
        let tensor = self.restore(saved, node, self.request.create_graph)?;
        if tensor.requires_grad() {
            let alias = self.engine.parts().operators.alias;
            return self.engine.one(self.context, alias, vec![tensor.into()]);
        }
        if saved.requires() {
            tensor.set_requires_grad(true);
        }
        Ok(tensor)
    }
}

/// The tensors of a result, in order.
fn collect(value: &Value, out: &mut Vec<Tensor>) {
    match value {
        Value::Tensor(t) => out.push(t.clone()),
        Value::TensorList(list) => out.extend(list.lock().iter().cloned()),
        Value::Tuple(tuple) => tuple.items.iter().for_each(|item| collect(item, out)),
        _ => {}
    }
}
