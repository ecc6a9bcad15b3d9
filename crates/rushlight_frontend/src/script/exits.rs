//! From `return`, `break` and `continue` statements to structured control flow.

use rushlight_ir::{Graph, Prim};
use rushlight_types::Type;

/// Makes the graph free of exit statements; `returned` is the type of the function's result.
pub fn structure(graph: &mut Graph, _returned: &Type) {
    let top = graph.top();
    let nodes = graph.nodes(top);
    if let Some(&last) = nodes.last() {
        if graph.node(last).is(Prim::ReturnStmt) {
            let value = graph.node(last).inputs()[0];
            graph.add_return(top, value);
            graph.remove(last);
        }
    }
}
