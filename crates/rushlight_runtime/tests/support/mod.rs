//! Graphs built by hand, and operators to build them of.

#![allow(dead_code, reason = "each test file uses its own part")]

use rushlight_ir::{Attr, BlockId, Graph, NodeId, NodeKind, Prim, Unit, ValueId};
use rushlight_runtime::{Options, Runtime};
use rushlight_tensor::Tensor;
use rushlight_types::{
    Argument, CallStack, Callable, Context, Effect, Fault, FunctionType, List, Operator,
    OperatorTable, Result, Schema, Type, Value, op, operators,
};
use std::sync::{Arc, OnceLock};

fn getitem(list: &Value, index: i64) -> Result<Value> {
    let items = list.list_items()?;
    let at = if index < 0 {
        index + items.len() as i64
    } else {
        index
    };
    usize::try_from(at)
        .ok()
        .and_then(|at| items.get(at).cloned())
        .ok_or_else(|| Fault::index("list index out of range"))
}

fn append(list: &Value, element: &Value) -> Result<Value> {
    match (list, element) {
        (Value::IntList(l), Value::Int(v)) => l.lock().push(*v),
        (Value::TensorList(l), Value::Tensor(v)) => l.lock().push(v.clone()),
        (Value::List(l), v) => l.items.lock().push(v.clone()),
        _ => return Err(Fault::type_error("append")),
    }
    Ok(list.clone())
}

fn floordiv(a: i64, b: i64) -> Result<i64> {
    if b == 0 {
        return Err(Fault::runtime("division by 0"));
    }
    Ok(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0))
}

fn remainder(a: i64, b: i64) -> Result<i64> {
    if b == 0 {
        return Err(Fault::runtime("division by 0"));
    }
    Ok(((a % b) + b) % b)
}

fn view(tensor: &Tensor, size: &List<i64>) -> Result<Tensor> {
    let sizes: Vec<i64> = size.lock().clone();
    if sizes.iter().product::<i64>() != tensor.numel() as i64 {
        return Err(Fault::runtime(format!(
            "shape '{sizes:?}' is invalid for input of size {}",
            tensor.numel()
        )));
    }
    Ok(tensor.alias())
}

fn add_tensor(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let sum: Vec<f32> = a
        .to_vec::<f32>()
        .iter()
        .zip(b.to_vec::<f32>())
        .map(|(x, y)| x + y)
        .collect();
    Tensor::from_vec(sum, a.sizes())
}

/// The number of handles of the tensor's storage: shows whether other uses have been dropped.
fn use_count(tensor: &Tensor) -> i64 {
    // The handle that asks is one more.
    tensor.storage().use_count() as i64 - 1
}

operators! {
    /// Operators with the reference's schemas, enough of them for the tests.
    pub static ROWS = [
        op!("aten::add.int(int a, int b) -> int", |a: i64, b: i64| a.wrapping_add(b)),
        op!("aten::sub.int(int a, int b) -> int", |a: i64, b: i64| a.wrapping_sub(b)),
        op!("aten::mul.int(int a, int b) -> int", |a: i64, b: i64| a.wrapping_mul(b)),
        op!("aten::floordiv.int(int a, int b) -> int", floordiv),
        op!("aten::remainder.int(int a, int b) -> int", remainder),
        op!("aten::lt.int(int a, int b) -> bool", |a: i64, b: i64| a < b),
        op!("aten::gt.int(int a, int b) -> bool", |a: i64, b: i64| a > b),
        op!("aten::eq.int(int a, int b) -> bool", |a: i64, b: i64| a == b),
        op!("aten::__not__(bool self) -> bool", |a: bool| !a),
        op!("aten::__and__.bool(bool a, bool b) -> bool", |a: bool, b: bool| a & b),
        op!("aten::add.float(float a, float b) -> float", |a: f64, b: f64| a + b),
        op!("aten::mul.float(float a, float b) -> float", |a: f64, b: f64| a * b),
        op!("aten::Float.int(int a) -> float", |a: i64| a as f64),
        op!("aten::len.t(t[] a) -> int", |l: &Value| -> Result<i64> { Ok(l.list_items()?.len() as i64) }),
        op!("aten::__getitem__.t(t[](a) list, int idx) -> t(*)", getitem),
        op!("aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)", append),
        op!("aten::__derive_index(int index, int start, int step) -> int", |i: i64, a: i64, s: i64| a + i * s),
        op!("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", add_tensor),
        op!("aten::relu(Tensor self) -> Tensor", |t: &Tensor| t.alias()),
        op!("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", view),
        op!("aten::wait(Future(t) self) -> t", |v: &Value| v.clone()).call_stack(CallStack::Waits),
        op!("prim::RaiseException(str msg, str? cls=None) -> ()", |_: &Value, _: &Value| ()).effect(Effect::SideEffect).call_stack(CallStack::Raises),
        op!("test::use_count(Tensor self) -> int", use_count),
        op!("test::note(Any value) -> ()", note).effect(Effect::SideEffect),
    ];
}

/// Prints a value and a line break to the context's sink.
fn note(context: &Context, value: &Value) {
    context.print(&format!("{value:?}\n"));
}

/// The table of the test operators.
pub fn table() -> &'static OperatorTable {
    static TABLE: OnceLock<OperatorTable> = OnceLock::new();
    TABLE.get_or_init(|| OperatorTable::new(&[ROWS]))
}

/// Builds one block after the other.
pub struct Builder {
    pub graph: Graph,
    pub block: BlockId,
}

impl Builder {
    pub fn new() -> Builder {
        let graph = Graph::new();
        let block = graph.top();
        Builder { graph, block }
    }

    pub fn input(&mut self, ty: Type, name: &str) -> ValueId {
        self.graph.add_input(ty, name)
    }

    pub fn node(
        &mut self,
        kind: impl Into<NodeKind>,
        inputs: &[ValueId],
        outputs: &[Type],
    ) -> NodeId {
        let node = self.graph.create(kind, inputs, outputs);
        self.graph.append(self.block, node);
        node
    }

    pub fn outputs(&self, node: NodeId) -> Vec<ValueId> {
        self.graph.node(node).outputs().to_vec()
    }

    pub fn constant(&mut self, value: impl Into<Value>) -> ValueId {
        let value = value.into();
        let ty = value.type_of();
        let node = self.graph.create_constant(value, ty);
        self.graph.append(self.block, node);
        self.outputs(node)[0]
    }

    /// An operator with one result, whose type is that of the schema unless given.
    pub fn op(&mut self, name: &str, inputs: &[ValueId]) -> ValueId {
        let operator = table().find(name).expect("a test operator");
        let ty = operator.schema().returns[0].ty.clone();
        self.op_as(name, inputs, ty)
    }

    pub fn op_as(&mut self, name: &str, inputs: &[ValueId], ty: Type) -> ValueId {
        let operator = table().find(name).expect("a test operator");
        let node = self.node(operator, inputs, &[ty]);
        self.outputs(node)[0]
    }

    /// An operator without results.
    pub fn act(&mut self, name: &str, inputs: &[ValueId]) -> NodeId {
        let operator = table().find(name).expect("a test operator");
        self.node(operator, inputs, &[])
    }

    pub fn prim(&mut self, prim: Prim, inputs: &[ValueId], ty: Type) -> ValueId {
        let node = self.node(prim, inputs, &[ty]);
        self.outputs(node)[0]
    }

    /// A function as a constant, for calls.
    pub fn function(&mut self, function: &Arc<rushlight_ir::Function>) -> ValueId {
        let ty = Type::Function(Arc::new(FunctionType {
            name: function.name().into(),
            schema: function.schema(),
            callee: function.clone(),
        }));
        self.prim(Prim::Constant, &[], ty)
    }

    pub fn set(&mut self, value: ValueId, name: &str, attr: Attr) {
        let node = self.graph.value(value).node();
        self.graph.set_attr(node, name, attr);
    }

    /// An `If`; each arm builds its block and returns the results.
    pub fn branch(
        &mut self,
        condition: ValueId,
        types: &[Type],
        then: impl FnOnce(&mut Builder) -> Vec<ValueId>,
        otherwise: impl FnOnce(&mut Builder) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let node = self.node(Prim::If, &[condition], types);
        self.nested(node, |b, _| then(b), &[]);
        self.nested(node, |b, _| otherwise(b), &[]);
        self.outputs(node)
    }

    /// A `Loop`; the body gets its parameters and returns condition and carried values.
    pub fn repeat(
        &mut self,
        trips: ValueId,
        condition: ValueId,
        carried: &[ValueId],
        body: impl FnOnce(&mut Builder, &[ValueId]) -> Vec<ValueId>,
    ) -> Vec<ValueId> {
        let types: Vec<Type> = carried.iter().map(|v| self.graph.ty(*v).clone()).collect();
        let mut inputs = vec![trips, condition];
        inputs.extend(carried);
        let node = self.node(Prim::Loop, &inputs, &types);
        let mut params = vec![Type::Int];
        params.extend(types);
        self.nested(node, body, &params);
        self.outputs(node)
    }

    fn nested(
        &mut self,
        node: NodeId,
        build: impl FnOnce(&mut Builder, &[ValueId]) -> Vec<ValueId>,
        params: &[Type],
    ) {
        let block = self.graph.add_block(node);
        let params: Vec<ValueId> = params
            .iter()
            .map(|ty| self.graph.add_param(block, ty.clone(), None))
            .collect();
        let outer = std::mem::replace(&mut self.block, block);
        let results = build(self, &params);
        self.block = outer;
        self.graph.set_returns(block, &results);
    }

    pub fn finish(mut self, results: &[ValueId]) -> Graph {
        let top = self.graph.top();
        self.graph.set_returns(top, results);
        rushlight_ir::verify::verify(&self.graph).expect("a valid graph");
        self.graph
    }
}

/// A unit whose functions run; `scalars` chooses between the two modes of lowering.
pub fn unit(scalars: bool) -> Arc<Unit> {
    unit_with(Options {
        scalars,
        ..Options::default()
    })
}

/// A unit whose functions run in the way asked for.
pub fn unit_with(options: Options) -> Arc<Unit> {
    let unit = Unit::new();
    let options = Options {
        operators: Some(table()),
        ..options
    };
    unit.set_executor(Arc::new(Runtime::new(options)));
    unit
}

/// Defines a function with the types of the graph as its schema.
pub fn define(unit: &Arc<Unit>, name: &str, graph: Graph) -> Arc<rushlight_ir::Function> {
    let function = unit.declare(name, None);
    let arguments = graph
        .inputs()
        .iter()
        .enumerate()
        .map(|(i, v)| Argument::new(&format!("a{i}"), graph.ty(*v).clone()))
        .collect();
    let returns = graph
        .outputs()
        .iter()
        .map(|v| Argument::new("", graph.ty(*v).clone()))
        .collect();
    function.set_schema(Schema::new(function.basename(), arguments, returns));
    function.set_graph(graph);
    function
}

/// Runs a graph in both modes, which must agree, and returns the result.
pub fn run(graph: &Graph, arguments: &[Value]) -> Result<Value> {
    let results = [true, false].map(|scalars| {
        let unit = unit(scalars);
        let function = define(&unit, "__torch__.f", graph.clone());
        function.invoke(&Context::silent(), arguments.to_vec())
    });
    let [fast, plain] = results;
    assert_eq!(
        format!("{fast:?}"),
        format!("{plain:?}"),
        "both modes give the same"
    );
    fast
}

/// The operator of a test row.
pub fn operator(name: &str) -> &'static Operator {
    table().find(name).expect("a test operator")
}
