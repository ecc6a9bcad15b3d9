//! The exporter: runs a graph on example inputs and writes down the nodes of a model that does the same.

mod calls;
mod views;

pub(crate) use views::WRITES_OUTSIDE;

use crate::proto::{Attribute, Initializer, Name, Node};
use crate::symbol::{Axis, Cell, Extent, Shared, Symbol, TensorState, View};
use crate::{Options, naming};
use rushlight_ir::Unit;
use rushlight_tensor::{DType, Scalar, Tensor};
use rushlight_types::{Context, Fault, Object, OperatorTable, Result, Type, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use views::{is_stale, nth_tensor, version_of};

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
}

/// Whether a tensor is the same in every run.
pub(crate) fn is_known(cell: &Cell) -> bool {
    let state = cell.borrow();
    state.is_known && state.view.as_ref().is_none_or(|view| is_known(&view.base))
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
