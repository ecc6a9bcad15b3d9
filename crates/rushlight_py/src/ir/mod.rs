//! Graphs, nodes, values, blocks, types and schemas in Python: `torch._C.Graph` and what hangs on it.
//!
//! A Python graph is a copy of a function's; [`live`] gives the function what is changed in it. Nodes, values and blocks
//! are ids into their graph, which they keep alive.

mod graph;
mod insert;
mod iterators;
mod live;
mod node;
mod objects;
mod passes;
mod schema;
mod ty;
mod value;

pub use graph::{create_function_from_graph, executed, inlined, parse_ir, read_ir};
pub use insert::{hide_source_ranges, interpret_graph};
pub use live::Handle;
pub use objects::{PyBlock, PyGraph, PyNode, PyUse, PyValue};
pub use passes::{called_function, propagate_shapes, rewrite_pattern, run_pass};
pub use schema::{PyArgument, PySchema, parse_schema, read_schema, schemas_of};
pub use ty::{
    PyType, assert_is_instance, described_type, make_type, new_symbol, parse_type, try_infer_type,
    type_of_tensor,
};
