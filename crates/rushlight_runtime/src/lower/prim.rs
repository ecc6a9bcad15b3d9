//! The language's own node kinds, apart from control flow.

use super::{Lowerer, callee_of, index, lower};
use crate::autocast;
use crate::callee::Callee;
use crate::code::{CallKind, Code, Entries, Extended, Insn, NOWHERE, Operand, Reg, ScriptCall};
use rushlight_ir::{Attr, Graph, NodeId, Prim, ValueId};
use rushlight_types::{ClassType, Fault, Result, TupleType, Type, Value};
use std::sync::Arc;

/// What a constant node holds.
pub(super) fn constant_value(graph: &Graph, value: ValueId) -> Value {
    let node = graph.node(graph.value(value).node());
    if node.is(Prim::Uninitialized) {
        return Value::Uninitialized;
    }
    if let Type::Function(function) = graph.ty(value) {
        return Value::Function(Arc::new(function.callee.clone()));
    }
    match node.attr("value") {
        Some(Attr::Value(v)) => v.clone(),
        Some(Attr::Int(i)) => Value::Int(*i),
        Some(Attr::Float(f)) => Value::Float(*f),
        Some(Attr::Str(s)) => Value::str(&**s),
        Some(Attr::Tensor(t)) => Value::Tensor(t.clone()),
        Some(Attr::Ints(items)) => Value::IntList(items.clone().into()),
        _ => Value::None,
    }
}

impl Lowerer<'_> {
    pub(super) fn prim(&mut self, id: NodeId, prim: Prim) -> Result<()> {
        match prim {
            Prim::TupleConstruct => {
                let items = self.all_operands(id, 0);
                let ty = match self.graph.ty(self.graph.node(id).outputs()[0]) {
                    Type::Tuple(ty) if ty.name.is_some() => Some(ty.clone()),
                    _ => None,
                };
                let target = self.target(id);
                self.tuple(items, ty, target);
            }
            Prim::TupleUnpack => {
                let tuple = self.operand(id, 0);
                let targets = self.outputs(id);
                self.extended(Extended::TupleUnpack { tuple, targets });
            }
            Prim::TupleIndex => {
                let (tuple, index) = (self.operand(id, 0), self.operand(id, 1));
                let target = self.target(id);
                self.extended(Extended::TupleIndex {
                    tuple,
                    index,
                    target,
                });
            }
            Prim::TupleSlice => {
                let tuple = self.operand(id, 0);
                let (begin, end) = (self.int_attr(id, "beg")?, self.int_attr(id, "end")?);
                let target = self.target(id);
                self.extended(Extended::TupleSlice {
                    tuple,
                    begin,
                    end,
                    target,
                });
            }
            Prim::ListConstruct => self.list(id),
            Prim::ListUnpack => {
                let list = self.operand(id, 0);
                let targets = self.outputs(id);
                self.extended(Extended::ListUnpack { list, targets });
            }
            Prim::DictConstruct => self.dict(id),
            Prim::GetAttr => self.get_attr(id)?,
            Prim::SetAttr => self.set_attr(id)?,
            Prim::CreateObject => self.create_object(id),
            Prim::CallFunction => self.call_function(id),
            Prim::CallMethod => {
                let name = self.str_attr(id, "name")?;
                let callee = self.method(self.graph.node(id).inputs()[0], &name);
                let kind = callee.kind();
                let arguments = self.inputs(id, 0);
                self.call(id, callee, arguments, kind);
            }
            Prim::IsInstance => self.is_instance(id),
            Prim::UncheckedCast | Prim::UncheckedUnwrapOptional => {
                let from = self.operand(id, 0);
                let target = self.target(id);
                self.load(target, from);
            }
            Prim::Enter => self.enter(id)?,
            Prim::Exit => self.exit(id),
            Prim::Fork => {
                let code = self.subgraph(id, "<forked function>")?;
                let arguments = self.inputs(id, 0);
                self.call(id, Callee::Graph(code), arguments, CallKind::Fork);
            }
            Prim::Closure => {
                let code = self.subgraph(id, "<closure>")?;
                let target = self.target(id);
                self.extended(Extended::Closure { code, target });
            }
            Prim::Awaitable => self.awaitable(id)?,
            Prim::PythonOp => self.host_call(id)?,
            other => {
                let name = other.name();
                self.fail(
                    id,
                    format!("{name} cannot be run: it occurs only while a graph is made"),
                );
            }
        }
        Ok(())
    }

    fn extended(&mut self, instruction: Extended) {
        self.code.extended.push(instruction);
        self.emit(Insn::Extended(self.code.extended.len() as u32 - 1));
    }

    /// Code that fails when it is reached; what the node would have defined is left empty.
    fn fail(&mut self, id: NodeId, message: String) {
        self.outputs(id);
        self.code.failures.push(message);
        self.emit(Insn::Fail(self.code.failures.len() as u32 - 1));
    }

    pub(super) fn unknown(&mut self, id: NodeId, name: &str) {
        let near = self
            .options
            .operators
            .map_or(Vec::new(), |table| nearest(name, &table.names()));
        let hint = match near.as_slice() {
            [] => String::new(),
            near => format!(" (similar names: {})", near.join(", ")),
        };
        self.fail(id, format!("Unknown builtin op: {name}{hint}"));
    }

    fn all_operands(&mut self, id: NodeId, from: usize) -> Vec<Operand> {
        let count = self.graph.node(id).inputs().len();
        (from..count).map(|i| self.operand(id, i)).collect()
    }

    pub(super) fn tuple(&mut self, items: Vec<Operand>, ty: Option<Arc<TupleType>>, target: Reg) {
        let items = self.operands(items);
        self.extended(Extended::Tuple { items, ty, target });
    }

    fn list(&mut self, id: NodeId) {
        let items = self.inputs(id, 0);
        let element = match self.graph.ty(self.graph.node(id).outputs()[0]) {
            Type::List(element) => element.runtime(),
            _ => Type::Any,
        };
        let target = self.target(id);
        self.extended(Extended::List {
            items,
            element,
            target,
        });
    }

    fn dict(&mut self, id: NodeId) {
        let items = self.inputs(id, 0);
        let (key, value) = match self.graph.ty(self.graph.node(id).outputs()[0]) {
            Type::Dict(kv) => (kv.0.runtime(), kv.1.runtime()),
            _ => (Type::Any, Type::Any),
        };
        let target = self.target(id);
        self.extended(Extended::Dict {
            items,
            key,
            value,
            target,
        });
    }

    fn slot(&self, object: ValueId, name: &str) -> Option<usize> {
        match self.graph.ty(object) {
            Type::Class(class) => class.slot(name),
            _ => None,
        }
    }

    fn get_attr(&mut self, id: NodeId) -> Result<()> {
        let name = self.str_attr(id, "name")?;
        let slot = self.slot(self.graph.node(id).inputs()[0], &name);
        let object = self.operand(id, 0);
        let target = self.target(id);
        self.extended(match slot {
            Some(slot) => Extended::GetAttr {
                object,
                slot,
                target,
            },
            None => Extended::GetNamed {
                object,
                name,
                target,
            },
        });
        Ok(())
    }

    fn set_attr(&mut self, id: NodeId) -> Result<()> {
        let name = self.str_attr(id, "name")?;
        let slot = self.slot(self.graph.node(id).inputs()[0], &name);
        let (object, value) = (self.operand(id, 0), self.operand(id, 1));
        self.extended(match slot {
            Some(slot) => Extended::SetAttr {
                object,
                slot,
                value,
            },
            None => Extended::SetNamed {
                object,
                name,
                value,
            },
        });
        Ok(())
    }

    fn create_object(&mut self, id: NodeId) {
        match self.graph.ty(self.graph.node(id).outputs()[0]) {
            Type::Class(class) => {
                let class = class.clone();
                let target = self.target(id);
                self.extended(Extended::CreateObject { class, target });
            }
            other => {
                let message = format!("cannot create an object of type {other}");
                self.fail(id, message);
            }
        }
    }

    fn is_instance(&mut self, id: NodeId) {
        let types = match self.graph.node(id).attr("types") {
            Some(Attr::Types(types)) => types.clone(),
            Some(Attr::Type(ty)) => vec![ty.clone()],
            _ => Vec::new(),
        };
        let value = self.operand(id, 0);
        let target = self.target(id);
        self.extended(Extended::IsInstance {
            value,
            types,
            target,
        });
    }

    // Calls.

    fn call_function(&mut self, id: NodeId) {
        let function = self.graph.node(id).inputs()[0];
        match callee_of(self.graph, function) {
            Some(callee) => {
                let arguments = self.inputs(id, 1);
                self.call(id, callee, arguments, CallKind::Static);
            }
            None => {
                let arguments = self.inputs(id, 0);
                self.call(id, Callee::Value, arguments, CallKind::Dynamic);
            }
        }
    }

    fn call(&mut self, id: NodeId, callee: Callee, arguments: Entries, kind: CallKind) {
        let results = self.outputs(id);
        let target = results.of(&self.code.targets).first().copied();
        let future = match self.graph.node(id).outputs() {
            [only] if kind == CallKind::Fork => match self.graph.ty(*only) {
                Type::Future(inner) => Some((**inner).clone()),
                _ => Some(Type::Any),
            },
            _ => None,
        };
        self.code.calls.push(ScriptCall {
            callee,
            arguments,
            target: target.unwrap_or(NOWHERE),
            kind,
            future,
        });
        self.emit(Insn::Call(self.code.calls.len() as u32 - 1));
    }

    /// The method of the object's class if that is known, else one that is looked up at run time.
    fn method(&self, object: ValueId, name: &str) -> Callee {
        let known = match (self.graph.ty(object), self.unit) {
            (Type::Class(class), Some(unit)) => unit.method(class, name),
            _ => None,
        };
        match known {
            Some(function) => Callee::script(&function),
            None => Callee::method(name),
        }
    }

    fn enter(&mut self, id: NodeId) -> Result<()> {
        let object = self.graph.node(id).inputs()[0];
        let autocast = autocast::is_class(self.graph.ty(object));
        if autocast {
            autocast::check(self.graph, object)?;
        }
        let exit = self.method(object, "__exit__");
        let enter = self.method(object, "__enter__");
        let copy = match self.register_of(object) {
            Some(register) => Operand::new(crate::code::Source::Copy(register)),
            None => self.operand(id, 0),
        };
        self.extended(Extended::Entered {
            object: copy,
            exit,
            autocast,
        });
        let arguments = self.inputs(id, 0);
        self.call(id, enter, arguments, CallKind::Dynamic);
        Ok(())
    }

    fn register_of(&self, value: ValueId) -> Option<Reg> {
        Some(self.registers[index(value)]).filter(|r| *r != NOWHERE)
    }

    fn exit(&mut self, id: NodeId) {
        let exit = self.method(self.graph.node(id).inputs()[0], "__exit__");
        self.extended(Extended::Exited);
        let mut arguments = self.all_operands(id, 0);
        while arguments.len() < 4 {
            let none = self.constant_operand(Value::None);
            arguments.push(none);
        }
        let arguments = self.operands(arguments);
        self.call(id, exit, arguments, CallKind::Dynamic);
    }

    fn host_call(&mut self, id: NodeId) -> Result<()> {
        let node = self.graph.node(id);
        if let (Some(Attr::Int(1..)), Some(name)) = (node.attr("inplace"), node.str_attr("name")) {
            let message = format!("inplace {name} not supported in the JIT");
            return Err(Fault::runtime(message));
        }
        match self.graph.node(id).attr("function") {
            Some(Attr::Value(Value::Function(function))) => {
                let callee = Callee::of(function);
                let arguments = self.inputs(id, 0);
                self.call(id, callee, arguments, CallKind::Static);
            }
            _ => self.fail(
                id,
                "a Python function of another process cannot be called".to_string(),
            ),
        }
        Ok(())
    }

    pub(super) fn wait(&mut self, id: NodeId) {
        let future = self.operand(id, 0);
        let target = self.target(id);
        self.extended(Extended::Wait { future, target });
    }

    pub(super) fn raise(&mut self, id: NodeId) {
        let message = self.operand(id, 0);
        let class = (self.graph.node(id).inputs().len() > 1).then(|| self.operand(id, 1));
        self.extended(Extended::Raise { message, class });
    }

    pub(super) fn warn(&mut self, id: NodeId) {
        let message = self.operand(id, 0);
        let place = self.graph.node(id).span.clone();
        self.extended(Extended::Warn { message, place });
    }

    fn awaitable(&mut self, id: NodeId) -> Result<()> {
        let code = self.subgraph(id, "<awaitable>")?;
        let arguments = self.inputs(id, 0);
        let ty = match self.graph.ty(self.graph.node(id).outputs()[0]) {
            Type::Await(inner) => (**inner).clone(),
            _ => Type::Any,
        };
        let target = self.target(id);
        self.extended(Extended::Awaitable {
            code,
            arguments,
            ty,
            target,
        });
        Ok(())
    }

    fn subgraph(&mut self, id: NodeId, name: &str) -> Result<Arc<Code>> {
        match self.graph.node(id).attr("Subgraph") {
            // The frontend bounds how deep functions nest; each level holds the graphs below it.
            Some(Attr::Graph(graph)) => lower(name, graph, self.unit, self.options).map(Arc::new),
            _ => Err(Fault::internal(format!(
                "{} has no subgraph",
                self.graph.node(id).kind.name()
            ))),
        }
    }

    // Attributes.

    fn str_attr(&self, id: NodeId, name: &str) -> Result<Arc<str>> {
        let node = self.graph.node(id);
        node.str_attr(name)
            .cloned()
            .ok_or_else(|| Fault::internal(format!("{} has no {name}", node.kind.name())))
    }

    fn int_attr(&self, id: NodeId, name: &str) -> Result<i64> {
        match self.graph.node(id).attr(name) {
            Some(Attr::Int(i)) => Ok(*i),
            _ => Err(Fault::internal(format!(
                "{} has no {name}",
                self.graph.node(id).kind.name()
            ))),
        }
    }
}

/// The class of an object that a method is called on.
pub(crate) fn class_of(value: &Value) -> Result<&Arc<ClassType>> {
    match value {
        Value::Object(object) => Ok(object.class()),
        other => Err(Fault::runtime(format!(
            "expected an object but found {}",
            other.type_of()
        ))),
    }
}

/// Up to three known names that differ least from an unknown one.
fn nearest(name: &str, known: &[&'static str]) -> Vec<&'static str> {
    let limit = 1 + name.len() / 6;
    let mut near: Vec<(usize, &'static str)> = known
        .iter()
        .filter(|k| k.len().abs_diff(name.len()) <= limit)
        .map(|k| (distance(name, k), *k))
        .filter(|(d, _)| *d <= limit)
        .collect();
    rushlight_tensor::order::sort(&mut near);
    near.into_iter().take(3).map(|(_, k)| k).collect()
}

/// The edit distance of two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<u8> = b.bytes().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
