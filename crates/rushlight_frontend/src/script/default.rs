//! Expressions that must be known before a function is: default values.

use super::{Compiler, Emitter};
use crate::Resolver;
use rushlight_ir::passes::PassRun;
use rushlight_ir::pipeline::Pipeline;
use rushlight_ir::{Graph, Prim, ValueId};
use rushlight_syntax::tree::Expr;
use rushlight_types::{Type, Value};
use std::rc::Rc;

/// The value of an expression that is the same at every call, whatever it is made of: it is compiled like the body of a
/// function, and the clean-up of the graph computes it. `None` where that leaves anything to be done.
pub(crate) fn value_of(
    compiler: &Compiler,
    resolver: &Rc<dyn Resolver>,
    expr: &Expr,
    wanted: &Type,
) -> Option<Value> {
    let mut emitter = Emitter::new(compiler, resolver.clone(), "default".into());
    let value = emitter.expression(expr, Some(wanted)).ok()?;
    let value = value.as_value(&mut emitter, &expr.span).ok()?;
    let (mut graph, decided) = (emitter.graph, emitter.decided);
    let top = graph.top();
    graph.set_returns(top, &[value]);
    // Comprehensions have variables.
    super::ssa::convert(&mut graph, &decided, &expr.span).ok()?;
    super::exits::make_empty_lists(&mut graph);
    Pipeline::tidy().run(&mut graph, &mut PassRun::new(compiler.table));
    settled(&graph, graph.returns(top)[0])
}

/// A constant, or a tuple or list of such.
fn settled(graph: &Graph, value: ValueId) -> Option<Value> {
    if let Some(known) = graph.constant(value) {
        return Some(known);
    }
    // What else uses it may change it: a comprehension appends to its list.
    if graph.value(value).uses().len() > 1 {
        return None;
    }
    let node = graph.node(graph.value(value).node());
    let items = || -> Option<Vec<Value>> {
        let inputs = node.inputs().iter();
        inputs.map(|item| settled(graph, *item)).collect()
    };
    if node.is(Prim::TupleConstruct) {
        return Some(Value::tuple(items()?));
    }
    match graph.ty(value) {
        Type::List(element) if node.is(Prim::ListConstruct) => Value::list(element, items()?).ok(),
        _ => None,
    }
}
