//! The exporter: runs a graph on example inputs and writes down the nodes of a model that does the same.

use crate::ops::{self, Call, Out};
use crate::proto::{Attribute, Initializer, Name, Node};
use crate::symbol::{Axis, Cell, Extent, Number, Shared, Symbol, TensorState, View, WORLDS};
use crate::{Options, naming};
use rushlight_ir::Unit;
use rushlight_tensor::{DType, Scalar, Tensor};
use rushlight_types::{
    Context, Effect, Fault, Object, Operator, OperatorTable, Result, Sizes, Type, Value,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// A model that is being written.
pub struct Exporter<'a> {
    pub(crate) table: &'static OperatorTable,
    pub(crate) context: &'a Context,
    pub(crate) unit: Option<Arc<Unit>>,
    pub(crate) options: &'a Options,
    /// The nodes of the open blocks, innermost last.
    pub(crate) blocks: Vec<Vec<Node>>,
    pub(crate) initializers: Vec<Initializer>,
    pub(crate) axes: Vec<Axis>,
    /// The names of the modules that are being run, outermost first.
    pub(crate) scopes: Vec<Rc<str>>,
    /// The path of every module, by its address.
    pub(crate) modules: HashMap<usize, Rc<str>>,
    /// The tensors of the module, by identity.
    pub(crate) parameters: HashMap<usize, Cell>,
    /// What attributes of objects hold by now.
    pub(crate) attributes: HashMap<(usize, Arc<str>), Symbol>,
    /// Whether tensors of the module may be written by what runs on examples.
    pub(crate) copies_state: bool,
    /// How often each module was run.
    pub(crate) runs: HashMap<Rc<str>, usize>,
    names: HashMap<String, usize>,
    numbers: usize,
    /// What keeps the objects whose addresses are keys above.
    pub(crate) kept: Vec<Arc<Object>>,
}

impl<'a> Exporter<'a> {
    pub(crate) fn new(
        table: &'static OperatorTable,
        context: &'a Context,
        unit: Option<Arc<Unit>>,
        options: &'a Options,
    ) -> Exporter<'a> {
        Exporter {
            table,
            context,
            unit,
            options,
            blocks: vec![Vec::new()],
            initializers: Vec::new(),
            axes: Vec::new(),
            scopes: Vec::new(),
            modules: HashMap::new(),
            parameters: HashMap::new(),
            attributes: HashMap::new(),
            copies_state: false,
            runs: HashMap::new(),
            names: HashMap::new(),
            numbers: 0,
            kept: Vec::new(),
        }
    }

    /// The version of ONNX's operators.
    pub(crate) fn opset(&self) -> i64 {
        self.options.opset
    }

    /// In how many blocks the exporter is.
    pub(crate) fn depth(&self) -> usize {
        self.blocks.len()
    }

    // Nodes.

    /// A node with one output.
    pub(crate) fn node(
        &mut self,
        kind: &str,
        inputs: &[Name],
        attributes: Vec<(&'static str, Attribute)>,
    ) -> Name {
        self.nodes(kind, inputs, attributes, 1).remove(0)
    }

    /// A node with several outputs.
    pub(crate) fn nodes(
        &mut self,
        kind: &str,
        inputs: &[Name],
        attributes: Vec<(&'static str, Attribute)>,
        outputs: usize,
    ) -> Vec<Name> {
        let name = self.node_name(kind);
        let outputs: Vec<Name> = (0..outputs)
            .map(|k| format!("{name}_output_{k}").into())
            .collect();
        self.push(Node {
            name,
            kind: kind.into(),
            domain: "".into(),
            inputs: inputs.to_vec(),
            outputs: outputs.clone(),
            attributes,
        });
        outputs
    }

    pub(crate) fn push(&mut self, node: Node) {
        self.blocks.last_mut().expect("there is a block").push(node);
    }

    /// A free name for a node in the module that is being run.
    pub(crate) fn node_name(&mut self, kind: &str) -> String {
        let mut name = String::new();
        for scope in &self.scopes {
            name.push('/');
            name.push_str(scope);
        }
        name.push('/');
        name.push_str(kind);
        let count = self.names.entry(name.clone()).or_insert(0);
        *count += 1;
        match *count {
            1 => name,
            n => format!("{name}_{}", n - 1),
        }
    }

    /// Leaves the first numbers to names that have them already.
    pub(crate) fn skip_numbers(&mut self, count: usize) {
        self.numbers = self.numbers.max(count);
    }

    /// A number that no other name has.
    pub(crate) fn fresh(&mut self) -> usize {
        self.numbers += 1;
        self.numbers - 1
    }

    /// A constant.
    pub(crate) fn constant(&mut self, tensor: Tensor) -> Name {
        self.node("Constant", &[], vec![("value", Attribute::Tensor(tensor))])
    }

    /// An int without dimensions.
    pub(crate) fn int(&mut self, number: i64) -> Name {
        self.constant(Tensor::scalar(Scalar::Int(number), DType::I64))
    }

    /// A list of ints.
    pub(crate) fn ints(&mut self, numbers: &[i64]) -> Result<Name> {
        let tensor = Tensor::from_slice(numbers, &[numbers.len()])?;
        Ok(self.constant(tensor))
    }

    /// A number of a dtype, without dimensions.
    pub(crate) fn number(&mut self, number: impl Into<Scalar>, dtype: DType) -> Name {
        self.constant(Tensor::scalar(number.into(), dtype))
    }

    /// The same value with another dtype.
    pub(crate) fn cast(&mut self, name: &Name, to: DType) -> Result<Name> {
        let number = crate::proto::data_type(to)
            .ok_or_else(|| Fault::runtime(format!("ONNX has no tensors of dtype {}", to.name())))?;
        Ok(self.node(
            "Cast",
            std::slice::from_ref(name),
            vec![("to", Attribute::Int(number))],
        ))
    }

    // Symbols.

    /// A tensor without a name that is known now.
    pub(crate) fn known_tensor(&self, example: Tensor, of_module: bool) -> Symbol {
        Symbol::Tensor(Rc::new(RefCell::new(TensorState {
            example,
            name: None,
            is_known: true,
            of_module,
            extent: Extent::Fixed,
            number: None,
            view: None,
            version: 0,
            depth: self.depth(),
        })))
    }

    /// A tensor that a node gives.
    pub(crate) fn computed_tensor(&self, example: Tensor, name: Name, extent: Extent) -> Symbol {
        Symbol::Tensor(Rc::new(RefCell::new(TensorState {
            example,
            name: Some(name),
            is_known: false,
            of_module: false,
            extent,
            number: None,
            view: None,
            version: 0,
            depth: self.depth(),
        })))
    }

    /// A tensor of the module under its name.
    pub(crate) fn parameter(&mut self, tensor: &Tensor, name: Name) -> Symbol {
        if let Some(cell) = self.parameters.get(&tensor.id()) {
            return Symbol::Tensor(cell.clone());
        }
        let example = match self.copies_state {
            true => tensor.deep_copy(),
            false => tensor.clone(),
        };
        self.initializers.push(Initializer {
            name: name.clone(),
            tensor: tensor.clone(),
        });
        let symbol = self.computed_tensor(example, name, Extent::Fixed);
        if let Symbol::Tensor(cell) = &symbol {
            let mut state = cell.borrow_mut();
            state.is_known = self.options.fold;
            state.of_module = true;
            state.depth = 1;
            drop(state);
            self.parameters.insert(tensor.id(), cell.clone());
        }
        symbol
    }

    /// A list.
    pub(crate) fn list(&self, items: Vec<Symbol>) -> Symbol {
        Symbol::List(Shared {
            items: Rc::new(RefCell::new(items)),
            depth: self.depth(),
        })
    }

    /// A value that is known now.
    pub(crate) fn lift(&mut self, value: &Value) -> Result<Symbol> {
        Ok(match value {
            Value::Tensor(tensor) => match self.parameters.get(&tensor.id()) {
                Some(cell) => Symbol::Tensor(cell.clone()),
                None => self.known_tensor(tensor.clone(), false),
            },
            value if value.is_list() => {
                let items = value.list_items()?;
                let items = items.iter().map(|item| self.lift(item));
                let items = items.collect::<Result<_>>()?;
                self.list(items)
            }
            Value::Tuple(tuple) => {
                let items = tuple.items.iter().map(|item| self.lift(item));
                Symbol::Tuple(Rc::new(items.collect::<Result<_>>()?))
            }
            Value::Dict(dict) => {
                let entries = dict.entries().into_iter();
                let entries = entries.map(|(key, item)| Ok((key, self.lift(&item)?)));
                let items = entries.collect::<Result<_>>()?;
                Symbol::Dict(Shared {
                    items: Rc::new(RefCell::new(items)),
                    depth: self.depth(),
                })
            }
            other => Symbol::Known(other.clone()),
        })
    }

    /// Whether a value is the same in every run.
    pub(crate) fn is_known(&self, symbol: &Symbol) -> bool {
        match symbol {
            Symbol::Known(_) => true,
            Symbol::Number(_) => false,
            Symbol::Tensor(cell) => is_known(cell),
            Symbol::List(list) => list.items.borrow().iter().all(|s| self.is_known(s)),
            Symbol::Tuple(items) => items.iter().all(|s| self.is_known(s)),
            Symbol::Dict(dict) => dict.items.borrow().iter().all(|(_, s)| self.is_known(s)),
        }
    }

    /// The name of a value in the model: a tensor, or a number as a tensor without dimensions.
    pub(crate) fn name_of(&mut self, symbol: &Symbol) -> Result<Name> {
        match symbol {
            Symbol::Number(number) => Ok(number.name.clone()),
            Symbol::Tensor(cell) => self.name_of_tensor(cell),
            Symbol::Known(value) => {
                let number = value.as_scalar()?;
                let dtype = match number {
                    Scalar::Int(_) => DType::I64,
                    Scalar::Bool(_) => DType::Bool,
                    _ => DType::F64,
                };
                Ok(self.number(number, dtype))
            }
            _ => Err(Fault::runtime(
                "a model of ONNX takes and gives tensors; this value is a list, tuple or dict",
            )),
        }
    }

    fn name_of_tensor(&mut self, cell: &Cell) -> Result<Name> {
        if is_stale(cell) && !is_known(cell) {
            let view = cell.borrow().view.clone().expect("only views are stale");
            let mut arguments = view.arguments.to_vec();
            arguments[view.at] = Symbol::Tensor(view.base.clone());
            let made = self.operator(view.operator, arguments)?;
            let name = self.name_of(&nth_tensor(&made, view.index)?)?;
            let version = version_of(&view.base);
            let mut state = cell.borrow_mut();
            if state.depth == self.depth() {
                state.name = Some(name.clone());
                state.view = Some(View { version, ..view });
            }
            return Ok(name);
        }
        let (named, example, of_module, depth) = {
            let state = cell.borrow();
            (
                state.name.clone(),
                state.example.clone(),
                state.of_module,
                state.depth,
            )
        };
        if let Some(name) = named {
            return Ok(name);
        }
        crate::proto::require_type(example.dtype())?;
        // What is written later must not change what has been put into the model.
        let tensor = example.deep_copy();
        let name = if of_module {
            let name: Name = format!("{}{}", naming::UNNAMED, self.fresh()).into();
            self.initializers.push(Initializer {
                name: name.clone(),
                tensor,
            });
            name
        } else {
            self.constant(tensor)
        };
        if of_module || depth == self.depth() {
            cell.borrow_mut().name = Some(name.clone());
        }
        Ok(name)
    }

    /// A value as a call on examples takes it.
    pub(crate) fn example(&self, symbol: &Symbol, ty: &Type) -> Result<Value> {
        Ok(match symbol {
            Symbol::Known(value) => value.clone(),
            Symbol::Number(number) => number.example.clone(),
            Symbol::Tensor(cell) => Value::Tensor(cell.borrow().example.clone()),
            Symbol::List(list) => {
                let element = element_of(ty);
                let items = list.items.borrow();
                let values = items.iter().map(|item| self.example(item, &element));
                make_list(&element, values.collect::<Result<_>>()?)?
            }
            Symbol::Tuple(items) => {
                let values = items.iter().map(|item| self.example(item, &Type::Any));
                Value::tuple(values.collect::<Result<_>>()?)
            }
            Symbol::Dict(_) => {
                return Err(Fault::runtime(
                    "an operator that takes a dict cannot be exported to ONNX",
                ));
            }
        })
    }

    /// A value as a call takes it where dynamic axes have other sizes.
    fn elsewhere(&self, symbol: &Symbol, ty: &Type, world: usize) -> Option<Value> {
        match symbol {
            Symbol::Known(value) => Some(value.clone()),
            Symbol::Number(number) => number.worlds[world].clone(),
            Symbol::Tensor(cell) => {
                let state = cell.borrow();
                let tensor = match &state.extent {
                    _ if is_known(cell) && state.example.rank() == 0 => state.example.clone(),
                    Extent::Fixed => state.example.to_meta().ok()?,
                    Extent::Varying(worlds) => worlds[world].clone()?,
                    Extent::Unknown => return None,
                };
                Some(Value::Tensor(tensor))
            }
            Symbol::List(list) => {
                let element = element_of(ty);
                let items = list.items.borrow();
                let values = items.iter().map(|i| self.elsewhere(i, &element, world));
                make_list(&element, values.collect::<Option<_>>()?).ok()
            }
            Symbol::Tuple(_) | Symbol::Dict(_) => None,
        }
    }

    // Calls.

    /// Calls an operator by its full name, with the arguments that are given; the others have their defaults.
    pub(crate) fn call(&mut self, name: &str, given: &[(&str, Symbol)]) -> Result<Symbol> {
        Ok(self.call_many(name, given)?.remove(0))
    }

    /// As [`Exporter::call`], for operators with several results.
    pub(crate) fn call_many(
        &mut self,
        name: &str,
        given: &[(&str, Symbol)],
    ) -> Result<Vec<Symbol>> {
        let operator = self
            .table
            .find(name)
            .ok_or_else(|| Fault::internal(format!("the operator table lacks {name}")))?;
        let mut arguments = Vec::new();
        for argument in &operator.schema().arguments {
            let symbol = given.iter().find(|(name, _)| **name == *argument.name);
            arguments.push(match (symbol, argument.repeated_default()) {
                (Some((_, symbol)), _) => symbol.clone(),
                (None, Some(default)) => self.lift(&default)?,
                (None, None) => {
                    return Err(Fault::internal(format!("{name} lacks {}", argument.name)));
                }
            });
        }
        self.operator(operator, arguments)
    }

    /// What a call of an operator gives, and the nodes that compute it.
    pub(crate) fn operator(
        &mut self,
        operator: &'static Operator,
        arguments: Vec<Symbol>,
    ) -> Result<Vec<Symbol>> {
        if let Some(results) = ops::language::call(self, operator, &arguments)? {
            return Ok(results);
        }
        let schema = operator.schema();
        let target = schema.arguments.iter().position(|a| a.is_written());
        if let Some(Symbol::Tensor(cell)) = target.and_then(|at| arguments.get(at))
            && root_depth(cell) != self.depth()
        {
            return Err(Fault::runtime(WRITES_OUTSIDE));
        }
        let is_known = arguments.iter().all(|s| self.is_known(s));
        let is_known = is_known && operator.effect == Effect::Pure;
        if !is_known && target.is_some() {
            // Names stand for what tensors hold before they are written.
            for argument in &arguments {
                self.settle(argument)?;
            }
        }
        let results = self.run(operator, &arguments, None)?;
        let call = Call {
            operator,
            name: ops::functional_name(operator),
            arguments: Rc::new(arguments),
            results,
        };
        if is_known {
            if let Some(Symbol::Tensor(cell)) = target.and_then(|at| call.arguments.get(at)) {
                forget_names(cell);
            }
            let mut index = 0;
            let results = call.results.iter();
            return results
                .map(|value| self.known_result(value, &call, &mut index))
                .collect();
        }
        if target.is_none()
            && let [Value::Tensor(result)] = call.results.as_slice()
            && let Some(same) = same_tensor(&call.arguments, result)
        {
            return Ok(vec![same]);
        }
        let outs = ops::translate(self, &call)?;
        self.take_results(&call, outs, target)
    }

    fn known_result(&mut self, value: &Value, call: &Call, index: &mut usize) -> Result<Symbol> {
        match value {
            Value::Tensor(tensor) => {
                *index += 1;
                if let Some(same) = same_tensor(&call.arguments, tensor) {
                    return Ok(same);
                }
                // A view of all there is needs no other name.
                let whole = |s: &&Symbol| matches!(s, Symbol::Tensor(c) if is_whole(c, tensor));
                if let Some(whole) = call.arguments.iter().find(whole) {
                    return Ok(whole.clone());
                }
                let of_module = call.arguments.iter().any(holds_module_tensors);
                let symbol = self.known_tensor(tensor.clone(), of_module);
                self.note_view(&symbol, call, *index - 1);
                Ok(symbol)
            }
            value if value.is_list() => {
                let items = value.list_items()?;
                let items = items
                    .iter()
                    .map(|item| self.known_result(item, call, index));
                let items = items.collect::<Result<_>>()?;
                Ok(self.list(items))
            }
            other => self.lift(other),
        }
    }

    /// Names all tensors of a value.
    fn settle(&mut self, symbol: &Symbol) -> Result<()> {
        match symbol {
            Symbol::Tensor(cell) => {
                self.name_of(symbol)?;
                let base = cell.borrow().view.as_ref().map(|view| view.base.clone());
                base.map_or(Ok(()), |base| self.settle(&Symbol::Tensor(base)))
            }
            Symbol::List(list) => {
                let items = list.items.borrow().clone();
                items.iter().try_for_each(|item| self.settle(item))
            }
            _ => Ok(()),
        }
    }

    /// Runs an operator on examples, or where dynamic axes have other sizes.
    fn run(
        &self,
        operator: &'static Operator,
        arguments: &[Symbol],
        world: Option<usize>,
    ) -> Result<Vec<Value>> {
        let formal = &operator.schema().arguments;
        let values = arguments.iter().zip(formal).map(|(symbol, argument)| {
            let ty = &argument.ty;
            match world {
                None => self.example(symbol, ty),
                Some(world) => self
                    .elsewhere(symbol, ty, world)
                    .ok_or_else(|| Fault::runtime("only a run can tell")),
            }
        });
        operator.call_vec(self.context, values.collect::<Result<_>>()?)
    }

    /// What a call gives where dynamic axes have other sizes; `None` where everything is fixed.
    fn run_elsewhere(&self, call: &Call) -> Option<[Option<Vec<Value>>; WORLDS]> {
        if call.arguments.iter().all(is_fixed) {
            let by_elements = call.operator.sizes == Sizes::ByElements
                || call
                    .arguments
                    .iter()
                    .any(|a| matches!(a, Symbol::List(l) if l.items.borrow().iter().any(is_mask)));
            return by_elements.then(Default::default);
        }
        Some(std::array::from_fn(|world| {
            self.run(call.operator, &call.arguments, Some(world)).ok()
        }))
    }

    fn take_results(
        &mut self,
        call: &Call,
        outs: Vec<Out>,
        target: Option<usize>,
    ) -> Result<Vec<Symbol>> {
        let worlds = match target {
            Some(_) => None,
            None => self.run_elsewhere(call),
        };
        let mut symbols = Vec::new();
        for (at, (value, out)) in call.results.iter().zip(outs).enumerate() {
            let elsewhere: Option<[Option<Value>; WORLDS]> = worlds.as_ref().map(|worlds| {
                std::array::from_fn(|k| worlds[k].as_ref().and_then(|v| v.get(at).cloned()))
            });
            symbols.push(match (out, value) {
                (Out::Symbol(symbol), _) => symbol,
                (Out::Name(name), Value::Tensor(tensor)) => {
                    match same_tensor(&call.arguments, tensor) {
                        Some(symbol) if target.is_some() => {
                            self.write(&symbol, name)?;
                            symbol
                        }
                        _ => {
                            let symbol = self.computed_tensor(
                                tensor.clone(),
                                name,
                                extent(tensor, elsewhere),
                            );
                            self.note_view(&symbol, call, symbols.len());
                            symbol
                        }
                    }
                }
                (Out::Name(name), number) => self.computed_number(number, name, elsewhere),
                (Out::List(names), list) => {
                    let items = list.list_items()?;
                    let mut made = Vec::new();
                    for (index, (name, item)) in names.into_iter().zip(&items).enumerate() {
                        let elsewhere = elsewhere.as_ref().map(|worlds| {
                            std::array::from_fn(|k| {
                                let items = worlds[k].as_ref()?.list_items().ok()?;
                                items.get(index).cloned()
                            })
                        });
                        made.push(match item {
                            Value::Tensor(tensor) => {
                                let extent = extent(tensor, elsewhere);
                                let symbol = self.computed_tensor(tensor.clone(), name, extent);
                                self.note_view(&symbol, call, index);
                                symbol
                            }
                            number => self.computed_number(number, name, elsewhere),
                        });
                    }
                    self.list(made)
                }
            });
        }
        Ok(symbols)
    }

    /// A number that a node gives; known where it is the same everywhere.
    pub(crate) fn computed_number(
        &self,
        example: &Value,
        name: Name,
        elsewhere: Option<[Option<Value>; WORLDS]>,
    ) -> Symbol {
        Symbol::Number(Rc::new(Number {
            name,
            example: example.clone(),
            worlds: elsewhere.unwrap_or_default(),
        }))
    }

    /// Remembers which argument a result is a view of.
    fn note_view(&self, symbol: &Symbol, call: &Call, index: usize) {
        let Symbol::Tensor(cell) = symbol else {
            return;
        };
        if !call.operator.gives_views() {
            return;
        }
        let example = cell.borrow().example.clone();
        for (at, argument) in call.arguments.iter().enumerate() {
            let Symbol::Tensor(base) = argument else {
                continue;
            };
            if base.borrow().example.shares_storage(&example) {
                let version = version_of(base);
                cell.borrow_mut().view = Some(View {
                    base: base.clone(),
                    operator: call.operator,
                    arguments: call.arguments.clone(),
                    at,
                    index,
                    version,
                });
                return;
            }
        }
    }

    /// Gives a tensor of the program another value, which all that share its memory see.
    pub(crate) fn write(&mut self, symbol: &Symbol, name: Name) -> Result<()> {
        let Symbol::Tensor(cell) = symbol else {
            return Err(Fault::internal("only tensors are written"));
        };
        let mut chain: Vec<View> = Vec::new();
        let mut root = cell.clone();
        loop {
            let next = root.borrow().view.clone();
            let Some(view) = next else { break };
            root = view.base.clone();
            chain.push(view);
        }
        if root.borrow().depth != self.depth() {
            return Err(Fault::runtime(WRITES_OUTSIDE));
        }
        if chain.is_empty() {
            let mut state = root.borrow_mut();
            state.name = Some(name);
            state.is_known = false;
            state.of_module = false;
            state.number = None;
            state.version += 1;
            return Ok(());
        }
        // Which elements of the root the view shows: those that are left of their numbers by the same calls.
        let whole = self.name_of_tensor(&root)?;
        let mut places = self.numbered(&root, &whole)?;
        for view in chain.iter().rev() {
            let mut arguments = view.arguments.to_vec();
            arguments[view.at] = places;
            let made = self.operator(view.operator, arguments)?;
            places = nth_tensor(&made, view.index)?;
        }
        let places = self.name_of(&places)?;
        let flat = self.ints(&[-1])?;
        let mut flatten = |name: Name| self.node("Reshape", &[name, flat.clone()], Vec::new());
        let (data, places, values) = (
            flatten(whole.clone()),
            flatten(places),
            flatten(name.clone()),
        );
        let axis = vec![("axis", Attribute::Int(0))];
        let written = self.node("ScatterElements", &[data, places, values], axis);
        let shape = self.shape_of(&root, &whole)?;
        let written = self.node("Reshape", &[written, shape], Vec::new());
        {
            let mut state = root.borrow_mut();
            state.name = Some(written);
            state.is_known = false;
            state.of_module = false;
            state.version += 1;
        }
        let mut state = cell.borrow_mut();
        state.name = Some(name);
        state.is_known = false;
        if let Some(view) = &mut state.view {
            view.version = version_of(&view.base);
        }
        Ok(())
    }

    /// The shape of a tensor: a constant where it is fixed.
    pub(crate) fn shape_of(&mut self, cell: &Cell, name: &Name) -> Result<Name> {
        let sizes: Option<Vec<i64>> = {
            let state = cell.borrow();
            let sizes = state.example.sizes().iter().map(|size| *size as i64);
            state.is_fixed().then(|| sizes.collect())
        };
        match sizes {
            Some(sizes) => self.ints(&sizes),
            None => Ok(self.node("Shape", std::slice::from_ref(name), Vec::new())),
        }
    }

    /// A tensor of the same shape whose elements are numbered.
    fn numbered(&mut self, root: &Cell, name: &Name) -> Result<Symbol> {
        let (sizes, extent) = {
            let state = root.borrow();
            (state.example.sizes().to_vec(), state.extent.clone())
        };
        let count: usize = sizes.iter().product();
        let example = Tensor::from_vec((0..count as i64).collect(), &sizes)?;
        if let Extent::Fixed = extent {
            return Ok(self.known_tensor(example, false));
        }
        let size = self.node("Size", std::slice::from_ref(name), Vec::new());
        let (zero, one) = (self.int(0), self.int(1));
        let numbers = self.node("Range", &[zero, size, one], Vec::new());
        let shape = self.node("Shape", std::slice::from_ref(name), Vec::new());
        let numbers = self.node("Reshape", &[numbers, shape], Vec::new());
        Ok(self.computed_tensor(example, numbers, extent))
    }
}

/// Why a branch or the body of a loop cannot be a graph of its own.
pub(crate) const WRITES_OUTSIDE: &str = "a branch or loop of an ONNX model cannot write to tensors, lists and objects that were made outside of it";

/// Whether a tensor is the same in every run.
pub(crate) fn is_known(cell: &Cell) -> bool {
    let state = cell.borrow();
    state.is_known && state.view.as_ref().is_none_or(|view| is_known(&view.base))
}

/// In how many blocks the tensor was made that a view is one of.
fn root_depth(cell: &Cell) -> usize {
    let state = cell.borrow();
    match &state.view {
        Some(view) => root_depth(&view.base),
        None => state.depth,
    }
}

fn version_of(cell: &Cell) -> u64 {
    let state = cell.borrow();
    let base = state.view.as_ref().map_or(0, |view| version_of(&view.base));
    state.version + base
}

fn is_stale(cell: &Cell) -> bool {
    let state = cell.borrow();
    let view = state.view.as_ref();
    view.is_some_and(|view| version_of(&view.base) != view.version)
}

/// A known tensor was written: what stands for it in the model from now on is what it holds by now.
fn forget_names(cell: &Cell) {
    let base = {
        let mut state = cell.borrow_mut();
        state.name = None;
        state.version += 1;
        state.view.as_ref().map(|view| view.base.clone())
    };
    if let Some(base) = base {
        forget_names(&base);
    }
}

fn same_tensor(arguments: &[Symbol], tensor: &Tensor) -> Option<Symbol> {
    let same = |s: &&Symbol| matches!(s, Symbol::Tensor(cell) if cell.borrow().example.is(tensor));
    arguments.iter().find(same).cloned()
}

/// Whether a tensor shows the same elements in the same sizes as another.
fn is_whole(cell: &Cell, tensor: &Tensor) -> bool {
    let state = cell.borrow();
    let (whole, part) = (state.example.layout(), tensor.layout());
    let same = whole.sizes() == part.sizes()
        && whole.strides() == part.strides()
        && whole.offset() == part.offset();
    same && state.example.dtype() == tensor.dtype() && state.example.shares_storage(tensor)
}

fn holds_module_tensors(symbol: &Symbol) -> bool {
    match symbol {
        Symbol::Tensor(cell) => cell.borrow().of_module,
        Symbol::List(list) => list.items.borrow().iter().any(holds_module_tensors),
        _ => false,
    }
}

fn is_fixed(symbol: &Symbol) -> bool {
    match symbol {
        Symbol::Known(_) => true,
        Symbol::Number(_) => false,
        Symbol::Tensor(cell) => cell.borrow().is_fixed(),
        Symbol::List(list) => list.items.borrow().iter().all(is_fixed),
        Symbol::Tuple(items) => items.iter().all(is_fixed),
        Symbol::Dict(_) => false,
    }
}

fn is_mask(symbol: &Symbol) -> bool {
    match symbol {
        Symbol::Tensor(cell) => {
            let example = &cell.borrow().example;
            example.rank() > 0 && matches!(example.dtype(), DType::Bool | DType::U8)
        }
        _ => false,
    }
}

fn extent(example: &Tensor, elsewhere: Option<[Option<Value>; WORLDS]>) -> Extent {
    let Some(elsewhere) = elsewhere else {
        return Extent::Fixed;
    };
    let worlds = elsewhere.map(|value| match value {
        Some(Value::Tensor(tensor)) if tensor.rank() == example.rank() => Some(tensor),
        _ => None,
    });
    Extent::of(example, worlds)
}

fn element_of(ty: &Type) -> Type {
    match ty {
        Type::Optional(inner) => element_of(inner),
        Type::List(element) => (**element).clone(),
        _ => Type::Any,
    }
}

fn make_list(element: &Type, items: Vec<Value>) -> Result<Value> {
    let kind = match (element, items.first()) {
        (Type::Any | Type::Var(_), Some(first)) => first.type_of(),
        _ => element.clone(),
    };
    Value::list(&kind, items)
}

/// A tensor among results, counted through lists.
fn nth_tensor(results: &[Symbol], index: usize) -> Result<Symbol> {
    let flat = match results {
        [Symbol::List(list)] => list.items.borrow().clone(),
        other => other.to_vec(),
    };
    flat.get(index)
        .cloned()
        .ok_or_else(|| Fault::internal("a view has no such result"))
}
