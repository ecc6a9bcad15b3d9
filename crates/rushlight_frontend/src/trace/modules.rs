//! From the flat record of a trace to functions and methods.
//!
//! While a program is recorded, the call of a module is a node with a block, attributes of modules are values that name
//! their owner, and everything may use everything. Here the blocks become methods: what is computed inside and used
//! outside is returned, what comes from outside becomes a parameter, and attributes are read where they are used, from
//! the module that the method belongs to if they are its own. Tasks are nodes with a block as well, which becomes their graph.

use super::recorder::modules_path;
use rushlight_ir::passes::{PassRun, dead_code, normalize_operators};
use rushlight_ir::{Attr, BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_types::{Argument, ClassType, Fault, OperatorTable, Result, Schema, Type, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Declares a method of a class and says what it is called.
pub type Define<'a> = dyn FnMut(&Arc<ClassType>, Graph) -> Result<String> + 'a;

/// Turns the record of a trace into the graph of the function; the methods of modules go to `define`.
pub fn finish(
    mut graph: Graph,
    table: &'static OperatorTable,
    define: &mut Define<'_>,
) -> Result<Graph> {
    let top = graph.top();
    let order = program_order(&graph, top);
    return_what_is_used(&mut graph, top, &order);
    if let Some(&root) = graph.inputs().first()
        && matches!(graph.ty(root), Type::Class(class) if class.is_module())
    {
        let mut reader = Reader::new(top, root, Vec::new());
        read_attributes(&mut graph, &mut reader)?;
    }
    remove_attributes(&mut graph);
    give_one_result(&mut graph, top);
    lift_calls(&mut graph, top);
    make_methods(&mut graph, table, define)?;
    dead_code::run(&mut graph, &mut PassRun::new(table));
    // As in the reference, which leaves the methods of submodules as they were recorded.
    normalize_operators::run(&mut graph, &mut PassRun::new(table));
    Ok(graph)
}

/// The schema of a traced function: its parameters are called as the graph's, types say nothing about shapes.
pub fn schema(graph: &Graph, name: &str) -> Schema {
    let mut names: Vec<String> = Vec::new();
    for (i, &input) in graph.inputs().iter().enumerate() {
        let base = graph.value(input).name.as_deref().map(base_name);
        let free = base.filter(|b| !names.iter().any(|n| n == b));
        names.push(free.map_or_else(|| format!("argument_{i}"), str::to_string));
    }
    let arguments = graph
        .inputs()
        .iter()
        .zip(&names)
        .map(|(&input, name)| Argument::new(name, graph.ty(input).shapeless()))
        .collect();
    let returns = graph
        .outputs()
        .iter()
        .map(|&output| Argument::new("", graph.ty(output).shapeless()))
        .collect();
    Schema::new(name, arguments, returns)
}

/// A name without the number that makes it unique.
fn base_name(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((base, digits)) if digits.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => name,
    }
}

/// The module calls directly in a block.
fn calls(graph: &Graph, block: BlockId) -> Vec<NodeId> {
    let nodes = graph.nodes(block).into_iter();
    nodes
        .filter(|n| graph.node(*n).is(Prim::TracedModuleForward))
        .collect()
}

/// The tasks directly in a block that still have a body there.
fn tasks(graph: &Graph, block: BlockId) -> Vec<(NodeId, BlockId)> {
    let nodes = graph.nodes(block).into_iter();
    let tasks = nodes.filter(|n| graph.node(*n).is(Prim::Fork));
    tasks
        .filter_map(|n| Some((n, *graph.node(n).blocks().first()?)))
        .collect()
}

/// Whether a node stands in a block or in one nested in it.
fn stands_in(graph: &Graph, node: NodeId, block: BlockId) -> bool {
    graph.enclosing_blocks(node).contains(&block)
}

/// Where every node stands in the program: a node before the blocks in it, the end of a block behind its nodes.
fn program_order(graph: &Graph, top: BlockId) -> HashMap<NodeId, usize> {
    let mut order = HashMap::new();
    let of_block = |block: BlockId| {
        let mut nodes = graph.nodes(block);
        nodes.push(graph.return_node(block));
        nodes.reverse();
        nodes
    };
    let mut pending = of_block(top);
    while let Some(node) = pending.pop() {
        order.insert(node, order.len());
        for &block in graph.node(node).blocks().iter().rev() {
            pending.extend(of_block(block));
        }
    }
    order
}

/// A value of a call's body that others use.
struct UsedOutside {
    value: ValueId,
    /// Where its first use stands in the program, and which input of that node it is.
    first: (usize, usize),
    outside: Vec<(NodeId, usize)>,
}

/// Makes module calls return what they compute and others use, in the order of its first use. Calls nest as deeply as the
/// program's own do.
fn return_what_is_used(graph: &mut Graph, block: BlockId, order: &HashMap<NodeId, usize>) {
    for (_, body) in tasks(graph, block) {
        return_what_is_used(graph, body, order);
    }
    for call in calls(graph, block) {
        let body = graph.node(call).blocks()[0];
        return_what_is_used(graph, body, order);
        let values: Vec<ValueId> = graph
            .nodes(body)
            .into_iter()
            .flat_map(|n| graph.node(n).outputs().to_vec())
            .collect();
        let mut used: Vec<UsedOutside> = Vec::new();
        for value in values {
            let outside: Vec<(NodeId, usize)> = graph
                .value(value)
                .uses()
                .iter()
                .filter(|u| !stands_in(graph, u.node, body))
                .map(|u| (u.node, u.index as usize))
                .collect();
            let place = |&(node, index): &(NodeId, usize)| {
                (order.get(&node).copied().unwrap_or(usize::MAX), index)
            };
            if let Some(first) = outside.iter().map(place).min() {
                used.push(UsedOutside {
                    value,
                    first,
                    outside,
                });
            }
        }
        rushlight_tensor::order::sort_by_key(&mut used, |used| used.first);
        for UsedOutside { value, outside, .. } in used {
            let ty = graph.ty(value).clone();
            graph.add_return(body, value);
            let output = graph.add_output(call, ty, None);
            for (node, index) in outside {
                graph.set_input(node, index, output);
            }
        }
    }
}

/// Reads of attributes in one block.
struct Reader {
    block: BlockId,
    this: ValueId,
    path: Vec<Arc<str>>,
    known: HashMap<ValueId, ValueId>,
    /// Attributes of other modules, which callers hand in.
    foreign: Vec<ValueId>,
}

impl Reader {
    fn new(block: BlockId, this: ValueId, path: Vec<Arc<str>>) -> Reader {
        Reader {
            block,
            this,
            path,
            known: HashMap::new(),
            foreign: Vec::new(),
        }
    }

    /// The value of an attribute in this block.
    fn read(&mut self, graph: &mut Graph, attribute: ValueId) -> Result<ValueId> {
        if let Some(&known) = self.known.get(&attribute) {
            return Ok(known);
        }
        let path = modules_path(graph, attribute);
        let value = match path.strip_prefix(self.path.as_slice()) {
            Some([]) => self.this,
            Some(rest) => chain(graph, self.block, self.this, rest)?,
            None => {
                self.foreign.push(attribute);
                let node = graph.node(graph.value(attribute).node());
                let ty = match node.attr("full") {
                    Some(Attr::Type(ty)) => ty.clone(),
                    _ => graph.ty(attribute).clone(),
                };
                let name = path.last().map(|name| shown(name));
                graph.add_param(self.block, ty, name.as_deref())
            }
        };
        self.known.insert(attribute, value);
        Ok(value)
    }
}

/// Reads an attribute of an attribute, at the start of a block.
fn chain(graph: &mut Graph, block: BlockId, this: ValueId, names: &[Arc<str>]) -> Result<ValueId> {
    let first = graph.nodes(block).first().copied();
    let at = first.unwrap_or_else(|| graph.return_node(block));
    let mut value = this;
    for name in names {
        let found = match graph.ty(value) {
            Type::Class(class) => class.attribute(name),
            _ => None,
        };
        let attribute = found
            .ok_or_else(|| Fault::internal(format!("a traced module has no attribute {name}")))?;
        let node = graph.create(Prim::GetAttr, &[value], &[attribute.ty]);
        graph.set_attr(node, "name", Attr::Str(name.clone()));
        graph.insert_before(at, node);
        value = graph.node(node).outputs()[0];
        graph.set_name(value, &shown(name));
    }
    Ok(value)
}

/// The name of a value that is read from an attribute: one that begins with a digit is none.
fn shown(attribute: &str) -> String {
    match attribute.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("_{attribute}"),
        false => attribute.to_string(),
    }
}

fn is_attribute(graph: &Graph, value: ValueId) -> bool {
    graph.node(graph.value(value).node()).is(Prim::TracedAttr)
}

/// Replaces attributes by reads of them, in a block and the calls in it.
fn read_attributes(graph: &mut Graph, reader: &mut Reader) -> Result<()> {
    let mut nodes = graph.nodes(reader.block);
    nodes.retain(|n| !graph.node(*n).is(Prim::TracedAttr));
    nodes.push(graph.return_node(reader.block));
    for call in calls(graph, reader.block) {
        for attribute in foreign(graph, call) {
            let is_own = modules_path(graph, attribute).starts_with(&reader.path);
            if is_own && graph.ty(attribute).is_tensor() {
                reader.read(graph, attribute)?;
            }
        }
    }
    for node in nodes {
        if graph.node(node).is(Prim::Fork) {
            read_in_task(graph, reader, node)?;
        }
        for (i, input) in graph.node(node).inputs().to_vec().into_iter().enumerate() {
            if is_attribute(graph, input) {
                let path = call_path(graph, node).filter(|_| i == 0);
                // What a call reads has its names before what the call itself reads.
                let foreign = path.map(|path| read_in_call(graph, node, path));
                let foreign = foreign.transpose()?.unwrap_or_default();
                let value = reader.read(graph, input)?;
                graph.set_input(node, i, value);
                for attribute in foreign {
                    let value = reader.read(graph, attribute)?;
                    graph.push_input(node, value);
                }
            }
        }
    }
    Ok(())
}

/// The attributes that a call uses and its module does not have: tensors among them are read before anything else.
fn foreign(graph: &Graph, call: NodeId) -> Vec<ValueId> {
    let Some(path) = call_path(graph, call) else {
        return Vec::new();
    };
    let mut pending = graph.nodes(graph.node(call).blocks()[0]);
    pending.reverse();
    let mut out = Vec::new();
    while let Some(node) = pending.pop() {
        for &input in graph.node(node).inputs() {
            if is_attribute(graph, input) && !modules_path(graph, input).starts_with(&path) {
                out.push(input);
            }
        }
        for &block in graph.node(node).blocks() {
            pending.extend(graph.nodes(block).into_iter().rev());
        }
    }
    out
}

/// The path of the module that a call is of.
fn call_path(graph: &Graph, node: NodeId) -> Option<Vec<Arc<str>>> {
    let data = graph.node(node);
    data.is(Prim::TracedModuleForward)
        .then(|| modules_path(graph, data.inputs()[0]))
}

/// Reads attributes where a task uses them; those of other modules come from around it.
fn read_in_task(graph: &mut Graph, reader: &mut Reader, task: NodeId) -> Result<()> {
    let Some(&body) = graph.node(task).blocks().first() else {
        return Ok(());
    };
    let mut inner = Reader::new(body, reader.this, reader.path.clone());
    let mut users = graph.nodes(body);
    users.push(graph.return_node(body));
    for user in users {
        for input in graph.node(user).inputs().to_vec() {
            let foreign =
                is_attribute(graph, input) && !modules_path(graph, input).starts_with(&reader.path);
            if foreign {
                let value = reader.read(graph, input)?;
                inner.known.insert(input, value);
            }
        }
    }
    read_attributes(graph, &mut inner)
}

/// Reads attributes where the body of a call uses them; gives those that callers hand in.
fn read_in_call(graph: &mut Graph, call: NodeId, path: Vec<Arc<str>>) -> Result<Vec<ValueId>> {
    let body = graph.node(call).blocks()[0];
    let ty = graph.ty(graph.node(call).inputs()[0]).clone();
    let this = graph.add_param(body, ty, Some("self"));
    let mut inner = Reader::new(body, this, path);
    read_attributes(graph, &mut inner)?;
    Ok(inner.foreign)
}

/// Removes the values that stood for attributes.
fn remove_attributes(graph: &mut Graph) {
    let top = graph.top();
    let nodes = graph.nodes(top);
    let attributes = nodes
        .into_iter()
        .filter(|n| graph.node(*n).is(Prim::TracedAttr));
    let attributes = attributes.collect();
    graph.remove_all(attributes);
}

/// Takes the blocks of module calls out: each call keeps its body as a graph of its own, innermost first.
fn lift_calls(graph: &mut Graph, block: BlockId) {
    for (task, body) in tasks(graph, block) {
        lift_calls(graph, body);
        let (own, outer) = lift(graph, body);
        graph.set_attr(task, BODY, Attr::Graph(Arc::new(own)));
        for value in outer {
            graph.push_input(task, value);
        }
        graph.remove_block(task, 0);
    }
    for call in calls(graph, block) {
        let body = graph.node(call).blocks()[0];
        lift_calls(graph, body);
        let (method, outer) = lift(graph, body);
        graph.set_attr(call, BODY, Attr::Graph(Arc::new(method)));
        for value in outer {
            graph.push_input(call, value);
        }
        graph.remove_block(call, 0);
    }
}

/// The attribute of a module call that holds its body.
const BODY: &str = "Subgraph";

/// Turns the module calls of a graph into calls of methods.
fn make_methods(
    graph: &mut Graph,
    table: &'static OperatorTable,
    define: &mut Define<'_>,
) -> Result<()> {
    let mut made_anew: Vec<ValueId> = Vec::new();
    for call in graph.nodes(graph.top()) {
        let (is_call, is_task) = (
            graph.node(call).is(Prim::TracedModuleForward),
            graph.node(call).is(Prim::Fork),
        );
        if !is_call && !is_task {
            continue;
        }
        let Some(Attr::Graph(body)) = graph.node(call).attr(BODY) else {
            return Err(Fault::internal("a traced call has no body"));
        };
        if is_task {
            let mut task = (**body).clone();
            make_methods(&mut task, table, define)?;
            dead_code::run(&mut task, &mut PassRun::new(table));
            // A copy has its values numbered in order of the text.
            graph.set_attr(call, BODY, Attr::Graph(Arc::new(task.copy())));
            made_anew.extend(graph.node(call).outputs());
            continue;
        }
        let mut method = (**body).clone();
        make_methods(&mut method, table, define)?;
        dead_code::run(&mut method, &mut PassRun::new(table));
        let module = graph.node(call).inputs()[0];
        let Type::Class(class) = graph.ty(module).clone() else {
            return Err(Fault::internal("a traced call is not of a module"));
        };
        let name = define(&class, method)?;
        replace_call(graph, call, &name);
    }
    // The reference makes tasks once their bodies have been taken out.
    for output in made_anew {
        graph.renumber(output);
    }
    Ok(())
}

/// The block of a call as a graph of its own, and the values from outside that it takes behind its parameters.
fn lift(source: &Graph, body: BlockId) -> (Graph, Vec<ValueId>) {
    let mut graph = Graph::new();
    let mut map: HashMap<ValueId, ValueId> = HashMap::new();
    let mut outer = Vec::new();
    let top = graph.top();
    for &param in source.params(body) {
        let data = source.value(param);
        let new = graph.add_param(top, data.ty.clone(), data.name.as_deref());
        map.insert(param, new);
    }
    for id in source.nodes(body) {
        let node = source.node(id);
        let types: Vec<Type> = node
            .outputs()
            .iter()
            .map(|o| source.ty(*o).clone())
            .collect();
        let copy = graph.create(node.kind, &[], &types);
        for (name, attr) in node.attrs() {
            graph.set_attr(copy, name.as_str(), attr.clone());
        }
        graph.set_span(copy, node.span.clone());
        graph.set_scope(copy, node.scope.clone());
        graph.append(top, copy);
        for (i, &output) in node.outputs().iter().enumerate() {
            let new = graph.node(copy).outputs()[i];
            if let Some(name) = &source.value(output).name {
                graph.set_name(new, name);
            }
            map.insert(output, new);
        }
        for &input in node.inputs() {
            let value = inside(&mut graph, source, &mut map, &mut outer, input);
            graph.push_input(copy, value);
        }
    }
    let results: Vec<ValueId> = source
        .returns(body)
        .iter()
        .map(|&r| inside(&mut graph, source, &mut map, &mut outer, r))
        .collect();
    graph.set_returns(top, &results);
    (graph, outer)
}

/// The value inside a lifted graph; one from outside becomes a parameter.
fn inside(
    graph: &mut Graph,
    source: &Graph,
    map: &mut HashMap<ValueId, ValueId>,
    outer: &mut Vec<ValueId>,
    value: ValueId,
) -> ValueId {
    *map.entry(value).or_insert_with(|| {
        outer.push(value);
        let data = source.value(value);
        let top = graph.top();
        graph.add_param(top, data.ty.clone(), data.name.as_deref())
    })
}

/// Makes every module call in a block give one result: None where it gave none, a tuple where it gave several.
fn give_one_result(graph: &mut Graph, block: BlockId) {
    for (_, body) in tasks(graph, block) {
        give_one_result(graph, body);
    }
    for call in calls(graph, block) {
        let body = graph.node(call).blocks()[0];
        give_one_result(graph, body);
        let results = graph.returns(body).to_vec();
        if results.len() == 1 {
            continue;
        }
        let types: Vec<Type> = results.iter().map(|v| graph.ty(*v).clone()).collect();
        let node = match results.is_empty() {
            true => graph.create_constant(Value::None, Type::None),
            false => {
                let ty = Type::tuple(types.clone());
                graph.create(Prim::TupleConstruct, &results, &[ty])
            }
        };
        graph.append(body, node);
        let whole = graph.node(node).outputs()[0];
        graph.set_returns(body, &[whole]);
        let ty = graph.ty(whole).clone();
        let old = graph.node(call).outputs().to_vec();
        let output = graph.add_output(call, ty, None);
        if !old.is_empty() {
            let unpack = graph.create(Prim::TupleUnpack, &[output], &types);
            graph.insert_after(call, unpack);
            for (i, old) in old.iter().enumerate() {
                let new = graph.node(unpack).outputs()[i];
                graph.replace_all_uses(*old, new);
            }
            for _ in &old {
                graph.remove_output(call, 0);
            }
        }
    }
}

/// Puts the call of a method in place of a module call.
fn replace_call(graph: &mut Graph, call: NodeId, name: &str) {
    let inputs = graph.node(call).inputs().to_vec();
    let output = graph.node(call).outputs()[0];
    let ty = graph.ty(output).shapeless();
    let method = graph.create(Prim::CallMethod, &inputs, &[ty]);
    graph.set_attr(method, "name", Attr::Str(name.into()));
    graph.insert_before(call, method);
    let result = graph.node(method).outputs()[0];
    graph.replace_all_uses(output, result);
    graph.remove(call);
}
