//! The recorder: what each tensor stands for, and the nodes so far.

use rushlight_ir::{Attr, BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_tensor::Tensor;
use rushlight_types::{
    Call, Fault, Observer, Operator, OperatorTable, Result, TensorInfo, Type, Value,
};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// What the door knows about the program that is being traced.
pub trait Host: Send + Sync {
    /// The variable that holds a tensor where the program is now.
    fn variable(&self, tensor: &Tensor) -> Option<String>;
    /// Where the program is now.
    fn position(&self) -> Option<Span>;
    /// Warns the program of something that the trace may get wrong.
    fn warn(&self, text: &str);
}

/// How an input or output is made up of tensors.
pub enum TracedForm {
    Tensor(Tensor),
    Tuple(Vec<TracedForm>),
    /// The elements and their type.
    List(Vec<TracedForm>, Type),
    /// Keys and values, and the type of the values.
    Dict(Vec<(Value, TracedForm)>, Type),
}

impl TracedForm {
    /// The type, with nothing said about the tensors.
    pub fn flat_type(&self) -> Type {
        type_of(self, false)
    }
}

/// A traced number that stands where an operator takes a plain one: a whole argument, or an element of a list.
#[derive(Clone)]
pub struct Stash {
    pub argument: usize,
    pub element: Option<usize>,
    pub tensor: Tensor,
}

pub(super) struct State {
    pub graph: Graph,
    /// What tensors stand for. The tensors are kept, so that no other takes the place of one that is gone.
    env: HashMap<usize, (Tensor, ValueId)>,
    /// The blocks of the module calls around the program, outermost first, with the constants made in each.
    frames: Vec<(BlockId, Vec<usize>)>,
    scopes: Vec<Arc<str>>,
    /// Paths of modules, by the identity of their objects.
    pub modules: HashMap<usize, ValueId>,
    pub stashed: Vec<Stash>,
    /// The attributes that require gradients.
    gradients: HashSet<ValueId>,
    /// The identities of inputs that were given before.
    repeated: HashSet<usize>,
}

/// Records the operator calls of a program as a graph.
pub struct Recorder {
    state: Mutex<State>,
    pub(super) table: &'static OperatorTable,
    pub(super) host: Box<dyn Host>,
    /// Whether in-place operators are recorded as those that give a new tensor.
    pub(super) outplace: bool,
}

impl Recorder {
    /// A recorder with an empty graph.
    pub fn new(table: &'static OperatorTable, host: Box<dyn Host>, outplace: bool) -> Recorder {
        let graph = Graph::new();
        let top = graph.top();
        Recorder {
            state: Mutex::new(State {
                graph,
                env: HashMap::new(),
                frames: vec![(top, Vec::new())],
                scopes: Vec::new(),
                modules: HashMap::new(),
                stashed: Vec::new(),
                gradients: HashSet::new(),
                repeated: HashSet::new(),
            }),
            table,
            host,
            outplace,
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Adds an input; its tensors stand for it, or for its parts. `repeated` has the identities of those that were given before.
    pub fn add_input(&self, name: &str, form: &TracedForm, repeated: HashSet<usize>) -> Result<()> {
        let mut state = self.state();
        state.repeated = repeated;
        let top = state.graph.top();
        let name = (!name.is_empty()).then_some(name);
        let value = state.graph.add_param(top, type_of(form, true), name);
        self.take_apart(&mut state, value, form, true)
    }

    /// Makes the tensors of a form stand for the parts of a value; `full` says what is known of tensors inside of parts.
    pub(super) fn take_apart(
        &self,
        state: &mut State,
        value: ValueId,
        form: &TracedForm,
        full: bool,
    ) -> Result<()> {
        let part_type =
            |part: &TracedForm| type_of(part, full || matches!(part, TracedForm::Tensor(_)));
        match form {
            TracedForm::Tensor(tensor) => {
                if state.repeated.remove(&tensor.id()) {
                    state.count_view(tensor);
                }
                state.bind(tensor, value);
            }
            TracedForm::Tuple(parts) => {
                let types: Vec<Type> = parts.iter().map(part_type).collect();
                let node = state.append(Prim::TupleUnpack, &[value], &types);
                self.take_outputs(state, node, parts, full)?;
            }
            TracedForm::List(parts, _) => {
                let types: Vec<Type> = parts.iter().map(part_type).collect();
                let node = state.append(Prim::ListUnpack, &[value], &types);
                self.take_outputs(state, node, parts, full)?;
            }
            TracedForm::Dict(entries, _) => {
                for (key, part) in entries {
                    let overload = match key {
                        Value::Int(_) => "aten::__getitem__.Dict_int",
                        Value::Tensor(_) => "aten::__getitem__.Dict_Tensor",
                        _ => "aten::__getitem__.Dict_str",
                    };
                    let get = self.operator(overload)?;
                    let key = self.key(state, key, None)?;
                    let node = state.append(get, &[value, key], &[part_type(part)]);
                    state.graph.set_span(node, self.host.position());
                    let output = state.graph.node(node).outputs()[0];
                    self.take_apart(state, output, part, full)?;
                }
            }
        }
        Ok(())
    }

    fn take_outputs(
        &self,
        state: &mut State,
        node: NodeId,
        parts: &[TracedForm],
        full: bool,
    ) -> Result<()> {
        for (i, part) in parts.iter().enumerate() {
            let output = state.graph.node(node).outputs()[i];
            self.take_apart(state, output, part, full)?;
        }
        Ok(())
    }

    /// Adds the result of the trace.
    pub fn add_output(&self, form: &TracedForm) -> Result<()> {
        let mut state = self.state();
        known_result(&state, form)?;
        let value = self.assemble(&mut state, form)?;
        let top = state.graph.top();
        state.graph.add_return(top, value);
        Ok(())
    }

    /// The value that an input, output or argument is.
    pub(super) fn assemble(&self, state: &mut State, form: &TracedForm) -> Result<ValueId> {
        match form {
            TracedForm::Tensor(tensor) => self.unnamed_value(state, tensor),
            TracedForm::Tuple(parts) => {
                let values = self.assemble_all(state, parts)?;
                let types = values.iter().map(|v| state.graph.ty(*v).clone()).collect();
                Ok(state.append_one(Prim::TupleConstruct, &values, Type::tuple(types)))
            }
            TracedForm::List(parts, element) => {
                let values = self.assemble_all(state, parts)?;
                let ty = Type::list(element.clone());
                Ok(state.append_one(Prim::ListConstruct, &values, ty))
            }
            TracedForm::Dict(entries, element) => {
                let mut inputs = Vec::new();
                for (key, part) in entries {
                    let span = self.host.position();
                    inputs.push(self.key(state, key, span)?);
                    inputs.push(self.assemble(state, part)?);
                }
                let ty = Type::dict(key_type(entries), element.clone());
                Ok(state.append_one(Prim::DictConstruct, &inputs, ty))
            }
        }
    }

    /// A key of a dictionary: a tensor that is traced, or a constant.
    fn key(&self, state: &mut State, key: &Value, span: Option<Span>) -> Result<ValueId> {
        match key {
            Value::Tensor(tensor) => self.unnamed_value(state, tensor),
            other => Ok(state.constant(other.clone(), other.type_of(), span)),
        }
    }

    fn assemble_all(&self, state: &mut State, parts: &[TracedForm]) -> Result<Vec<ValueId>> {
        parts.iter().map(|p| self.assemble(state, p)).collect()
    }

    /// The value that a tensor stands for, named after the variable that holds it.
    pub(super) fn value_of(&self, state: &mut State, tensor: &Tensor) -> Result<ValueId> {
        if let Some((_, value)) = state.env.get(&tensor.id()) {
            let value = *value;
            if state.graph.value(value).name.is_none()
                && let Some(name) = self.host.variable(tensor)
            {
                state.graph.set_name(value, &name);
            }
        }
        self.unnamed_value(state, tensor)
    }

    /// The value that a tensor stands for. Unknown tensors become constants.
    fn unnamed_value(&self, state: &mut State, tensor: &Tensor) -> Result<ValueId> {
        if let Some((_, value)) = state.env.get(&tensor.id()) {
            return Ok(*value);
        }
        if tensor.requires_grad() {
            return Err(Fault::runtime(format!(
                "Cannot insert a Tensor that requires grad as a constant. Consider making it a parameter or input, or detaching the gradient\nTensor:\n{}",
                tensor
                    .script_text()
                    .replace("CPUFloatType", "torch.FloatTensor")
            )));
        }
        let value = self.tensor_constant(state, tensor);
        if !tensor.is_wrapped_number() {
            state.bind(tensor, value);
            if let Some((_, constants)) = state.frames.last_mut() {
                constants.push(tensor.id());
            }
        }
        Ok(value)
    }

    fn tensor_constant(&self, state: &mut State, tensor: &Tensor) -> ValueId {
        let held = match (tensor.is_wrapped_number(), tensor.item()) {
            // A number stays one: it does not widen what it is combined with.
            (true, Ok(number)) => Tensor::wrapped(number, rushlight_tensor::DType::F64),
            // The tensor itself: the program may write to it afterwards, and the trace sees that.
            _ => tensor.clone(),
        };
        let ty = type_of(&TracedForm::Tensor(held.clone()), true);
        state.constant(Value::Tensor(held), ty, self.host.position())
    }

    /// A constant of a plain value, at the place where the program is.
    pub(super) fn plain_constant(&self, state: &mut State, value: Value) -> ValueId {
        let ty = value.type_of();
        let span = if value.is_none() {
            None
        } else {
            self.host.position()
        };
        state.constant(value, ty, span)
    }

    /// The size of a tensor along a dimension, as a traced number.
    pub fn size(&self, tensor: &Tensor, dim: i64) -> Result<Tensor> {
        let mut state = self.state();
        let value = self.value_of(&mut state, tensor)?;
        let dim_value = self.plain_constant(&mut state, Value::Int(dim));
        let wrapped = rushlight_tensor::view::wrap_dim(dim, tensor.rank())?;
        let size = tensor.size(wrapped) as i64;
        self.number(&mut state, "aten::size.int", &[value, dim_value], size)
    }

    /// The number of elements of a tensor, as a traced number.
    pub fn numel(&self, tensor: &Tensor) -> Result<Tensor> {
        let mut state = self.state();
        let value = self.value_of(&mut state, tensor)?;
        let count = tensor.numel() as i64;
        self.number(&mut state, "aten::numel", &[value], count)
    }

    fn number(
        &self,
        state: &mut State,
        operator: &str,
        inputs: &[ValueId],
        number: i64,
    ) -> Result<Tensor> {
        let node = state.append(self.operator(operator)?, inputs, &[Type::Int]);
        state.graph.set_span(node, self.host.position());
        let size = state.graph.node(node).outputs()[0];
        let tensor = Tensor::scalar(
            rushlight_tensor::Scalar::Int(number),
            rushlight_tensor::DType::I64,
        );
        let info = TensorInfo {
            dtype: Some(tensor.dtype()),
            sizes: Some(Vec::new()),
            device: Some(tensor.device()),
            ..Default::default()
        };
        let ty = Type::Tensor(Some(Arc::new(info)));
        let wrap = self.operator("prim::NumToTensor.Scalar")?;
        let value = state.append_one(wrap, &[size], ty);
        state.bind(&tensor, value);
        Ok(tensor)
    }

    /// Says which arguments of the next operator call are traced numbers.
    pub fn stash(&self, stashed: Vec<Stash>) {
        self.state().stashed = stashed;
    }

    /// Makes a tensor stand for the same value as another: for plain copies that the trace does not see.
    pub fn same(&self, tensor: &Tensor, original: &Tensor) {
        let mut state = self.state();
        if let Some((_, value)) = state.env.get(&original.id()) {
            let value = *value;
            state.bind(tensor, value);
        }
    }

    /// Whether a tensor stands for a value.
    pub fn knows(&self, tensor: &Tensor) -> bool {
        self.state().env.contains_key(&tensor.id())
    }

    pub(super) fn operator(&self, name: &str) -> Result<&'static Operator> {
        self.table
            .find(name)
            .ok_or_else(|| Fault::internal(format!("tracing needs the operator {name}")))
    }

    pub(super) fn position(&self) -> Option<Span> {
        self.host.position()
    }

    /// Records the call of a function: its arguments, and the result that it gave.
    pub fn call_function(
        &self,
        function: Value,
        arguments: &[Value],
        result: &Value,
    ) -> Result<()> {
        let mut state = self.state();
        let mut inputs = Vec::new();
        for argument in arguments {
            inputs.push(self.argument(&mut state, argument)?);
        }
        let ty = function.type_of();
        let callee = state.append_one(Prim::Constant, &[], ty);
        let node = state.graph.value(callee).node();
        state.graph.set_scope(node, None);
        state.graph.set_attr(node, "name", Attr::Value(function));
        inputs.insert(0, callee);
        self.take_result(&mut state, Prim::CallFunction.into(), None, &inputs, result)
    }

    /// Records the call of a method of a known module; false when the module is not part of the traced one.
    pub fn call_method(
        &self,
        object: usize,
        name: &str,
        arguments: &[Value],
        result: &Value,
    ) -> Result<bool> {
        let mut state = self.state();
        let Some(&module) = state.modules.get(&object) else {
            return Ok(false);
        };
        let mut inputs = vec![module];
        for argument in arguments {
            inputs.push(self.argument(&mut state, argument)?);
        }
        let kind = Prim::CallMethod.into();
        self.take_result(&mut state, kind, Some(name), &inputs, result)?;
        Ok(true)
    }

    fn take_result(
        &self,
        state: &mut State,
        kind: NodeKind,
        name: Option<&str>,
        inputs: &[ValueId],
        result: &Value,
    ) -> Result<()> {
        let form = form_of(result);
        let ty = match &form {
            Some(form @ TracedForm::Tensor(_)) => type_of(form, true),
            Some(form) => type_of(form, false),
            None => result.type_of(),
        };
        let node = state.append(kind, inputs, &[ty]);
        if let Some(name) = name {
            state.graph.set_attr(node, "name", Attr::Str(name.into()));
        }
        let output = state.graph.node(node).outputs()[0];
        match &form {
            Some(form) => self.take_apart(state, output, form, false),
            None if holds_tensors(result) => Err(Fault::runtime(format!(
                "a trace cannot follow the tensors in a value of type {}, which a script gave: dictionaries are followed by keys of type str",
                result.type_of()
            ))),
            None => Ok(()),
        }
    }

    /// Begins the call of a module of the traced one: what is recorded until [`Recorder::leave_module`] is its body.
    /// False when the module is not part of the traced one.
    pub fn enter_module(&self, object: usize) -> bool {
        let mut state = self.state();
        let Some(&module) = state.modules.get(&object) else {
            return false;
        };
        let path = modules_path(&state.graph, module).join(".");
        let scope = match state.scopes.last() {
            Some(outer) => format!("{outer}/__module.{path}"),
            None => format!("__module.{path}"),
        };
        let node = state.append(Prim::TracedModuleForward, &[module], &[]);
        state
            .graph
            .set_attr(node, "path", Attr::Str(path.as_str().into()));
        let block = state.graph.add_block(node);
        state.scopes.push(scope.into());
        state.enter(block);
        true
    }

    /// Ends the innermost call of a module.
    pub fn leave_module(&self) {
        let mut state = self.state();
        if state.frames.len() > 1 {
            state.leave();
            state.scopes.pop();
        }
    }

    /// Says where what is recorded from now on belongs, until [`Recorder::leave_scope`].
    pub fn enter_scope(&self, scope: &str) {
        self.state().scopes.push(scope.into());
    }

    /// Where what is recorded now belongs.
    pub fn current_scope(&self) -> Option<Arc<str>> {
        self.state().scope()
    }

    /// Ends what [`Recorder::enter_scope`] began.
    pub fn leave_scope(&self) {
        self.state().scopes.pop();
    }

    /// Takes the finished graph.
    pub fn take_graph(&self) -> Graph {
        let mut state = self.state();
        state.env.clear();
        std::mem::take(&mut state.graph)
    }

    /// Adds the module that is traced as the first input.
    pub fn add_root(&self, ty: Type, object: usize) -> ValueId {
        let mut state = self.state();
        let root = state.graph.add_input(ty, "self");
        state.modules.insert(object, root);
        root
    }

    /// Adds an attribute of a module: a tensor, another module, or something else that no trace uses.
    pub fn add_attribute(
        &self,
        owner: ValueId,
        name: &str,
        ty: Type,
        tensor: Option<&Tensor>,
        object: Option<usize>,
    ) -> ValueId {
        let mut state = self.state();
        let value = state.append_one(Prim::TracedAttr, &[owner], ty);
        let node = state.graph.value(value).node();
        state.graph.set_attr(node, "name", Attr::Str(name.into()));
        if let Some(tensor) = tensor {
            // A tensor that several modules share is read from the first.
            if state.env.contains_key(&tensor.id()) {
                state.count_view(tensor);
            } else {
                state.bind(tensor, value);
            }
            state
                .graph
                .set_attr(node, "full", Attr::Type(tensor_type(tensor)));
            if tensor.requires_grad() {
                state.gradients.insert(value);
            }
        }
        if let Some(object) = object {
            state.modules.entry(object).or_insert(value);
        }
        value
    }
}

impl State {
    pub(super) fn bind(&mut self, tensor: &Tensor, value: ValueId) {
        self.env.insert(tensor.id(), (tensor.clone(), value));
    }

    /// Whether an attribute of a module requires a gradient.
    pub(super) fn attribute_requires_grad(&self, value: ValueId) -> bool {
        self.gradients.contains(&value)
    }

    /// Records into a block until [`State::leave`].
    pub(super) fn enter(&mut self, block: BlockId) {
        self.frames.push((block, Vec::new()));
    }

    /// Records into the block around again; constants of the one that is left are not known outside.
    pub(super) fn leave(&mut self) {
        let constants = self.frames.pop().map_or(Vec::new(), |(_, made)| made);
        for id in constants {
            self.env.remove(&id);
        }
    }

    /// Forgets the tensors that calls of a block have made: nothing outside can name them.
    pub(super) fn forget_made_in(&mut self, block: BlockId) {
        let graph = &self.graph;
        let made_there =
            |value: ValueId| graph.node(graph.value(value).node()).block() == Some(block);
        self.env.retain(|_, (_, value)| !made_there(*value));
    }

    /// Adds a node at the place of the trace.
    pub(super) fn append(
        &mut self,
        kind: impl Into<NodeKind>,
        inputs: &[ValueId],
        outputs: &[Type],
    ) -> NodeId {
        let node = self.graph.create(kind, inputs, outputs);
        self.graph.set_scope(node, self.scopes.last().cloned());
        let block = self.frames.last().map_or(self.graph.top(), |(b, _)| *b);
        self.graph.append(block, node);
        node
    }

    pub(super) fn append_one(
        &mut self,
        kind: impl Into<NodeKind>,
        inputs: &[ValueId],
        output: Type,
    ) -> ValueId {
        let node = self.append(kind, inputs, &[output]);
        self.graph.node(node).outputs()[0]
    }

    pub(super) fn constant(&mut self, value: Value, ty: Type, span: Option<Span>) -> ValueId {
        let node = self.graph.create_constant(value, ty);
        self.graph.set_span(node, span);
        self.graph.set_scope(node, self.scopes.last().cloned());
        let block = self.frames.last().map_or(self.graph.top(), |(b, _)| *b);
        self.graph.append(block, node);
        self.graph.node(node).outputs()[0]
    }

    /// Gives out the numbers of the view that the reference makes of a tensor which is met again: its sizes, their list and itself.
    fn count_view(&mut self, tensor: &Tensor) {
        self.graph.skip_numbers(tensor.rank() + 2);
    }

    pub(super) fn scope(&self) -> Option<Arc<str>> {
        self.scopes.last().cloned()
    }
}

/// The names from the traced module to an attribute.
pub(super) fn modules_path(graph: &Graph, value: ValueId) -> Vec<Arc<str>> {
    let mut path = Vec::new();
    let mut at = value;
    loop {
        let node = graph.node(graph.value(at).node());
        let (true, Some(name)) = (node.is(Prim::TracedAttr), node.str_attr("name")) else {
            break;
        };
        path.push(name.clone());
        at = node.inputs()[0];
    }
    path.reverse();
    path
}

/// The type of a form; `full` says what is known of the tensors.
pub(super) fn type_of(form: &TracedForm, full: bool) -> Type {
    match form {
        TracedForm::Tensor(tensor) if full => tensor_type(tensor),
        TracedForm::Tensor(_) => Type::TENSOR,
        TracedForm::Tuple(parts) => Type::tuple(parts.iter().map(|p| type_of(p, full)).collect()),
        TracedForm::List(_, element) => Type::list(element.clone()),
        TracedForm::Dict(entries, element) => Type::dict(key_type(entries), element.clone()),
    }
}

/// The type of the keys of a dictionary: strings where there are none.
fn key_type(entries: &[(Value, TracedForm)]) -> Type {
    entries.first().map_or(Type::Str, |(key, _)| key.type_of())
}

/// Everything that is known of a tensor.
pub(super) fn tensor_type(tensor: &Tensor) -> Type {
    let strides = (tensor.rank() > 0).then(|| tensor.strides().iter().map(|s| Some(*s)).collect());
    Type::Tensor(Some(Arc::new(TensorInfo {
        dtype: Some(tensor.dtype()),
        sizes: Some(tensor.sizes().iter().map(|s| Some(*s)).collect()),
        strides,
        device: Some(tensor.device()),
        requires_grad: Some(tensor.requires_grad()),
        ..TensorInfo::default()
    })))
}

/// Whether there are tensors in a container.
fn holds_tensors(value: &Value) -> bool {
    match value {
        Value::Tensor(_) => true,
        Value::Tuple(tuple) => tuple.items.iter().any(holds_tensors),
        Value::Dict(dict) => dict.entries().iter().any(|(_, value)| holds_tensors(value)),
        list if list.is_list() => {
            let items = list.list_items().unwrap_or_default();
            items.iter().any(holds_tensors)
        }
        _ => false,
    }
}

/// A value as a form; `None` when it is not made up of tensors.
pub(super) fn form_of(value: &Value) -> Option<TracedForm> {
    match value {
        Value::Tensor(tensor) => Some(TracedForm::Tensor(tensor.clone())),
        Value::Tuple(tuple) => {
            let parts: Option<Vec<TracedForm>> = tuple.items.iter().map(form_of).collect();
            parts.map(TracedForm::Tuple)
        }
        Value::Dict(dict) if !dict.entries().is_empty() => {
            let entry = |(key, value): (Value, Value)| {
                let is_key = matches!(key, Value::Str(_) | Value::Int(_) | Value::Tensor(_));
                Some((key, form_of(&value).filter(|_| is_key)?))
            };
            let entries: Option<Vec<_>> = dict.entries().into_iter().map(entry).collect();
            Some(TracedForm::Dict(entries?, dict.value_type.clone()))
        }
        list if list.is_list() => {
            let items = list.list_items().ok()?;
            let parts: Option<Vec<TracedForm>> = items.iter().map(form_of).collect();
            let parts = parts.filter(|parts| !parts.is_empty())?;
            let element = type_of(&parts[0], false);
            Some(TracedForm::List(parts, element))
        }
        _ => None,
    }
}

impl Observer for Recorder {
    fn observe(&self, operator: &'static Operator, call: &mut Call<'_>) -> Result<()> {
        self.record(operator, call)
    }

    fn given_again(&self, tensor: &Tensor, identity: usize) {
        let mut state = self.state();
        // The identity may be another tensor's by now where the one that had it was not of this trace.
        if let Some((known, value)) = state.env.get(&identity)
            && known.layout() == tensor.layout()
            && known.shares_storage(tensor)
        {
            let value = *value;
            state.bind(tensor, value);
        }
    }
}

/// Refuses a result with a tensor that no call of the trace made and that is no input of it.
fn known_result(state: &State, form: &TracedForm) -> Result<()> {
    match form {
        TracedForm::Tensor(tensor) if state.env.contains_key(&tensor.id()) => Ok(()),
        TracedForm::Tensor(tensor) => Err(Fault::runtime(format!(
            "output 1 ({}) of traced region did not have observable data dependence with trace inputs; this probably indicates your program cannot be understood by the tracer.",
            tensor
                .script_text()
                .replace("CPU", "torch.")
                .replace("Type{", "Tensor{")
        ))),
        TracedForm::Tuple(parts) | TracedForm::List(parts, _) => {
            parts.iter().try_for_each(|part| known_result(state, part))
        }
        TracedForm::Dict(entries, _) => {
            let mut parts = entries.iter().map(|(_, part)| part);
            parts.try_for_each(|part| known_result(state, part))
        }
    }
}
