//! Nodes of a graph one after another: what is no call of an operator.

use crate::exporter::{Exporter, WRITES_OUTSIDE};
use crate::ops;
use crate::symbol::{Shared, Symbol};
use rushlight_ir::{Attr, BlockId, Function, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Fault, Object, Result, Type, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What the values of a graph are, as far as it has run.
pub(crate) type Env = HashMap<ValueId, Symbol>;

/// Whether a run may write to tensors of the module. Graphs that call others are taken to.
pub(crate) fn may_write(graph: &Graph) -> bool {
    graph.all_nodes().iter().any(|id| {
        let kind = &graph.node(*id).kind;
        // Running statistics are written without the schema's saying so.
        kind.may_write().unwrap_or(false) || kind.name().ends_with("batch_norm")
    })
}

impl Exporter<'_> {
    /// Runs a graph.
    pub(crate) fn graph(&mut self, graph: &Graph, inputs: Vec<Symbol>) -> Result<Vec<Symbol>> {
        let mut env: Env = graph.inputs().iter().copied().zip(inputs).collect();
        self.block(graph, graph.top(), &mut env)
    }

    /// Runs a block whose parameters are known.
    pub(crate) fn block(
        &mut self,
        graph: &Graph,
        block: BlockId,
        env: &mut Env,
    ) -> Result<Vec<Symbol>> {
        for id in graph.nodes(block) {
            let results = self.visit(graph, id, env)?;
            env.extend(graph.node(id).outputs().iter().copied().zip(results));
        }
        take(graph.returns(block), env)
    }

    fn visit(&mut self, graph: &Graph, id: NodeId, env: &mut Env) -> Result<Vec<Symbol>> {
        let node = graph.node(id);
        let scope = node.scope.as_deref().and_then(|s| s.strip_prefix('/'));
        if let Some(scope) = scope {
            self.scopes = scope
                .split('/')
                .filter(|s| !s.is_empty())
                .map(Rc::from)
                .collect();
        }
        let prim = match node.kind {
            NodeKind::Op(operator) => {
                let arguments = take(node.inputs(), env)?;
                return self.operator(operator, arguments);
            }
            NodeKind::Unknown(name) => {
                return Err(ops::unsupported(name.as_str(), self.opset()));
            }
            NodeKind::Prim(prim) => prim,
        };
        match prim {
            Prim::If => return self.branch(graph, id, env),
            Prim::Loop => return self.repeat(graph, id, env),
            Prim::Constant => {
                let value = match node.attr("name") {
                    Some(Attr::Value(function)) => function.clone(),
                    _ => graph.constant(node.outputs()[0]).unwrap_or_default(),
                };
                return Ok(vec![self.lift(&value)?]);
            }
            _ => {}
        }
        let inputs = take(node.inputs(), env)?;
        let name = || node.str_attr("name").cloned().unwrap_or_default();
        Ok(vec![match (prim, inputs.as_slice()) {
            (Prim::ListConstruct, _) => self.list(inputs),
            (Prim::TupleConstruct, _) => Symbol::Tuple(Rc::new(inputs)),
            (Prim::DictConstruct, _) => self.dict(&inputs)?,
            (Prim::ListUnpack | Prim::TupleUnpack, [whole]) => {
                let items = items_of(whole)?;
                if items.len() != node.outputs().len() {
                    return Err(Fault::runtime(format!(
                        "Provided list to unpack is not the correct size: expected {}, got {}",
                        node.outputs().len(),
                        items.len()
                    )));
                }
                return Ok(items);
            }
            (Prim::TupleIndex, [whole, Symbol::Known(index)]) => {
                let items = items_of(whole)?;
                let index = index.as_int()?;
                let index = if index < 0 {
                    index + items.len() as i64
                } else {
                    index
                };
                let item = usize::try_from(index)
                    .ok()
                    .and_then(|index| items.get(index));
                item.cloned()
                    .ok_or_else(|| Fault::index("tuple index out of range"))?
            }
            (Prim::TupleSlice, [whole]) => {
                let items = items_of(whole)?;
                let bound = |name: &str| match node.attr(name) {
                    Some(Attr::Int(at)) => usize::try_from(*at).unwrap_or(0).min(items.len()),
                    _ => 0,
                };
                Symbol::Tuple(Rc::new(items[bound("beg")..bound("end")].to_vec()))
            }
            (Prim::GetAttr, [Symbol::Known(Value::Object(object))]) => {
                self.attribute(object, &name())?
            }
            (Prim::SetAttr, [Symbol::Known(Value::Object(object)), value]) => {
                if self.depth() > 1 {
                    return Err(Fault::runtime(WRITES_OUTSIDE));
                }
                let key = (Arc::as_ptr(object) as usize, name());
                self.kept.push(object.clone());
                self.attributes.insert(key, value.clone());
                return Ok(Vec::new());
            }
            (Prim::CreateObject, _) => match graph.ty(node.outputs()[0]) {
                Type::Class(class) => Symbol::Known(Value::Object(Object::new(class.clone()))),
                _ => return Err(Fault::internal("an object has a class")),
            },
            (Prim::CallFunction, [Symbol::Known(Value::Function(callee)), rest @ ..]) => {
                let Some(function) = callee.as_any().downcast_ref::<Function>() else {
                    return Err(ops::unsupported("prim::PythonOp", self.opset()));
                };
                return self.function(function, rest.to_vec());
            }
            (Prim::CallMethod, [Symbol::Known(Value::Object(object)), ..]) => {
                return self.method(&object.clone(), &name(), inputs);
            }
            (Prim::Fork, _) => match node.attr("Subgraph") {
                Some(Attr::Graph(body)) => {
                    let results = self.graph(body, inputs)?;
                    return Ok(results);
                }
                _ => return Err(ops::unsupported(prim.name(), self.opset())),
            },
            (Prim::IsInstance, [value]) => {
                let types = match node.attr("types") {
                    Some(Attr::Types(types)) => types.as_slice(),
                    Some(Attr::Type(ty)) => std::slice::from_ref(ty),
                    _ => &[],
                };
                let is = types.iter().any(|ty| is_instance(value, ty));
                Symbol::Known(Value::Bool(is))
            }
            (Prim::UncheckedCast | Prim::UncheckedUnwrapOptional | Prim::Enter, [value]) => {
                value.clone()
            }
            (Prim::Uninitialized, _) => Symbol::Known(Value::None),
            (Prim::Exit, _) => Symbol::Known(Value::None),
            _ => return Err(ops::unsupported(prim.name(), self.opset())),
        }])
    }

    fn dict(&self, inputs: &[Symbol]) -> Result<Symbol> {
        let mut entries = Vec::new();
        for pair in inputs.chunks_exact(2) {
            let Symbol::Known(key) = &pair[0] else {
                return Err(Fault::runtime(
                    "keys of dicts must be known when the model is exported",
                ));
            };
            entries.push((key.clone(), pair[1].clone()));
        }
        Ok(Symbol::Dict(Shared {
            items: Rc::new(RefCell::new(entries)),
            depth: self.depth(),
        }))
    }

    /// An attribute of an object: what was set last, else what the object holds.
    fn attribute(&mut self, object: &Arc<Object>, name: &Arc<str>) -> Result<Symbol> {
        let key = (Arc::as_ptr(object) as usize, name.clone());
        if let Some(symbol) = self.attributes.get(&key) {
            return Ok(symbol.clone());
        }
        let value = object
            .get(name)
            .ok_or_else(|| Fault::runtime(format!("an object lacks the attribute {name}")))?;
        if let Value::Object(part) = &value {
            let inside = self.modules.get(&(Arc::as_ptr(object) as usize)).cloned();
            if let Some(path) = inside {
                let path = match path.is_empty() {
                    true => name.to_string(),
                    false => format!("{path}.{name}"),
                };
                self.enter_object(part, &path);
            }
        }
        let symbol = self.lift(&value)?;
        // Lists and tensors that a method writes are those that the next one reads.
        if self.depth() == 1 {
            self.kept.push(object.clone());
            self.attributes.insert(key, symbol.clone());
        }
        Ok(symbol)
    }

    /// Remembers where a module stands.
    pub(crate) fn enter_object(&mut self, object: &Arc<Object>, path: &str) {
        let key = Arc::as_ptr(object) as usize;
        self.modules.entry(key).or_insert_with(|| path.into());
        self.kept.push(object.clone());
    }

    fn function(&mut self, function: &Function, arguments: Vec<Symbol>) -> Result<Vec<Symbol>> {
        let graph = function.graph().ok_or_else(|| {
            Fault::runtime(format!(
                "{} has no body to export",
                function.qualified_name()
            ))
        })?;
        self.graph(&graph, arguments)
    }

    fn method(
        &mut self,
        object: &Arc<Object>,
        name: &str,
        arguments: Vec<Symbol>,
    ) -> Result<Vec<Symbol>> {
        let own = self
            .unit
            .as_ref()
            .and_then(|unit| unit.method(object.class(), name));
        let function = match own {
            Some(function) => function,
            None => {
                let callee = object.class().callee(name);
                let function = callee
                    .as_ref()
                    .and_then(|c| c.as_any().downcast_ref::<Function>());
                let missing = || Fault::runtime(format!("{name} has no body to export"));
                function.ok_or_else(missing)?.handle()
            }
        };
        let path = self.modules.get(&(Arc::as_ptr(object) as usize)).cloned();
        let path = path.filter(|path| !path.is_empty() && name == "forward");
        if let Some(path) = &path {
            let runs = self.runs.entry(path.clone()).or_insert(0);
            let last = path.rsplit('.').next().unwrap_or(path);
            let scope = match *runs {
                0 => last.to_string(),
                again => format!("{last}_{again}"),
            };
            *runs += 1;
            self.scopes.push(scope.into());
        }
        let results = self.function(&function, arguments);
        if path.is_some() {
            self.scopes.pop();
        }
        results
    }
}

fn take(values: &[ValueId], env: &Env) -> Result<Vec<Symbol>> {
    let values = values.iter().map(|value| {
        let known = env.get(value).cloned();
        known.ok_or_else(|| Fault::internal("a value is used before it is defined"))
    });
    values.collect()
}

/// The items of a list or tuple.
pub(crate) fn items_of(symbol: &Symbol) -> Result<Vec<Symbol>> {
    match symbol {
        Symbol::List(list) => Ok(list.items.borrow().clone()),
        Symbol::Tuple(items) => Ok(items.to_vec()),
        _ => Err(Fault::internal("only lists and tuples have items")),
    }
}

fn is_instance(symbol: &Symbol, ty: &Type) -> bool {
    match (symbol, ty) {
        (Symbol::Known(value), ty) => value.is_instance(ty),
        (Symbol::Number(number), ty) => number.example.is_instance(ty),
        (Symbol::Tensor(_), ty) => matches!(ty, Type::Tensor(_) | Type::Any),
        (Symbol::List(_), ty) => matches!(ty, Type::List(_) | Type::Any),
        (Symbol::Tuple(_), ty) => matches!(ty, Type::Tuple(_) | Type::Any),
        (Symbol::Dict(_), ty) => matches!(ty, Type::Dict(_) | Type::Any),
    }
}
