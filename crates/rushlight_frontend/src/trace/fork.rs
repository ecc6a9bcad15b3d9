//! Tasks in traces: what a task does is recorded in a block of its own, which becomes the graph of a fork.

use super::recorder::{Recorder, TracedForm, type_of};
use rushlight_ir::{NodeId, Prim, ValueId};
use rushlight_types::{Result, Type};
use std::sync::Arc;

impl Recorder {
    /// Begins a task: what is recorded until [`Recorder::leave_fork`] is its body.
    pub fn enter_fork(&self) -> NodeId {
        let mut state = self.state();
        let node = state.append(Prim::Fork, &[], &[]);
        let block = state.graph.add_block(node);
        state.enter(block);
        node
    }

    /// Ends a task that gave a result, and gives what waits for it to be waited for.
    pub fn leave_fork(&self, node: NodeId, result: &TracedForm) -> Result<ValueId> {
        let mut state = self.state();
        let value = self.assemble(&mut state, result)?;
        let block = state.graph.node(node).blocks()[0];
        state.graph.add_return(block, value);
        state.leave();
        state.forget_made_in(block);
        let ty = Type::Future(Arc::new(state.graph.ty(value).clone()));
        Ok(state.graph.add_output(node, ty, None))
    }

    /// Records that the program waits for a task; the result stands for what comes out.
    pub fn wait(&self, future: ValueId, result: &TracedForm) -> Result<()> {
        let mut state = self.state();
        let wait = self.operator("aten::wait")?;
        let ty = match state.graph.ty(future) {
            Type::Future(inner) => (**inner).clone(),
            _ => type_of(result, true),
        };
        let value = state.append_one(wait, &[future], ty);
        self.take_apart(&mut state, value, result, true)
    }
}
