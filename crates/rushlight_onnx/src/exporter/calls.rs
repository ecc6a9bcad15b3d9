//! Calls of operators: run on the examples, and written down as the nodes of their rows.

use super::views::{forget_names, root_depth};
use super::{Exporter, WRITES_OUTSIDE};
use crate::ops::{self, Call, Out};
use crate::proto::Name;
use crate::symbol::{Cell, Extent, Number, Symbol, WORLDS};
use rushlight_tensor::{DType, Tensor};
use rushlight_types::{Effect, Fault, Operator, Result, Sizes, Type, Value};
use std::rc::Rc;

impl Exporter<'_> {
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
        let formal = operator.schema().arguments.iter().map(|a| &a.ty);
        // What stands for any number of arguments is of any type.
        let formal = formal.chain(std::iter::repeat(&Type::Any));
        let values = arguments
            .iter()
            .zip(formal)
            .map(|(symbol, ty)| match world {
                None => self.example(symbol, ty),
                Some(world) => self
                    .elsewhere(symbol, ty, world)
                    .ok_or_else(|| Fault::runtime("only a run can tell")),
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
