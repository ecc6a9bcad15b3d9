//! Nodes of differentiations that host programs define.

use crate::fixed::given_by_program;
use crate::history::{Custom, Node, RecordKind, Shape};
use crate::node::attach;
use crate::view::{edge_of, rebase};
use rushlight_tensor::Tensor;
use std::sync::Arc;

impl Node {
    /// The node of a differentiation that a host program defines: `results` come from `arguments`.
    pub fn custom(
        name: &str,
        arguments: &[Option<Tensor>],
        results: &[Tensor],
        written: &[Tensor],
        custom: Arc<dyn Custom>,
    ) {
        let edges = arguments
            .iter()
            .map(|a| a.as_ref().and_then(edge_of))
            .collect();
        let outputs = results.iter().map(Shape::of).collect();
        let node = Node::new(name.into(), edges, outputs, RecordKind::Custom(custom));
        for (index, result) in results.iter().enumerate() {
            match written.iter().any(|w| w.is(result)) {
                true => rebase(result, &node, index),
                false => {
                    attach(result, &node, index);
                    given_by_program(result, results.len());
                }
            }
        }
    }
}
