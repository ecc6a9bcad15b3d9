//! What the values of a graph are while it is exported.
//!
//! The exporter runs a graph on example inputs and writes down what it does. So every value is known as an example, which
//! gives dtypes and ranks, and as what it will be in the model: something known now, or the output of a node.

use crate::proto::{Dim, Name};
use rushlight_tensor::Tensor;
use rushlight_types::{Operator, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// In how many other sizes of the dynamic axes everything is tried.
pub const WORLDS: usize = 2;

/// A value of the graph.
#[derive(Clone)]
pub enum Symbol {
    /// A value that is no tensor and known now.
    Known(Value),
    /// A number that the model computes: a tensor without dimensions.
    Number(Rc<Number>),
    Tensor(Cell),
    List(Shared<Vec<Symbol>>),
    Tuple(Rc<Vec<Symbol>>),
    /// Keys are known.
    Dict(Shared<Vec<(Value, Symbol)>>),
}

/// A container that programs write to.
pub struct Shared<T> {
    pub items: Rc<RefCell<T>>,
    /// In how many blocks of the model it was made.
    pub depth: usize,
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        Shared {
            items: self.items.clone(),
            depth: self.depth,
        }
    }
}

/// A number that the model computes.
pub struct Number {
    pub name: Name,
    /// An int, float or bool.
    pub example: Value,
    /// What it is where dynamic axes have other sizes; `None` where only a run can tell.
    pub worlds: [Option<Value>; WORLDS],
}

/// A tensor of the program: what writes to one show through all that stand for it.
pub type Cell = Rc<RefCell<TensorState>>;

/// What is known of a tensor.
pub struct TensorState {
    pub example: Tensor,
    /// Its name in the model, once it has one.
    pub name: Option<Name>,
    /// Whether the example is what it will be in every run.
    pub is_known: bool,
    /// Whether it is, or comes from, a tensor of the module.
    pub of_module: bool,
    pub extent: Extent,
    /// The number that it holds, where it was made of one.
    pub number: Option<Symbol>,
    /// The tensor that it is a view of.
    pub view: Option<View>,
    /// How often it was written.
    pub version: u64,
    /// In how many blocks of the model it was made.
    pub depth: usize,
}

/// What is known of the sizes of a tensor.
#[derive(Clone)]
pub enum Extent {
    /// They are those of the example.
    Fixed,
    /// The tensor where dynamic axes have other sizes.
    Varying([Option<Tensor>; WORLDS]),
    /// Only the rank is known.
    Unknown,
}

/// How a tensor came out of another one that it shares memory with.
#[derive(Clone)]
pub struct View {
    pub base: Cell,
    /// The call that made it, whose argument number `at` is the base.
    pub operator: &'static Operator,
    pub arguments: Rc<Vec<Symbol>>,
    pub at: usize,
    /// Which result it is, counted through lists.
    pub index: usize,
    /// What the version of the base was.
    pub version: u64,
}

impl Extent {
    /// The extent of a tensor whose sizes elsewhere are those of `worlds`.
    pub fn of(example: &Tensor, worlds: [Option<Tensor>; WORLDS]) -> Extent {
        if worlds.iter().all(Option::is_none) {
            return Extent::Unknown;
        }
        let same = |t: &Tensor| t.is_meta() && t.sizes() == example.sizes();
        match worlds.iter().flatten().all(same) {
            true => Extent::Fixed,
            false => Extent::Varying(worlds),
        }
    }
}

impl TensorState {
    /// The size of a dimension where that does not vary.
    pub fn fixed_size(&self, dim: usize) -> Option<usize> {
        let size = self.example.size(dim);
        match &self.extent {
            Extent::Fixed => Some(size),
            Extent::Unknown => None,
            Extent::Varying(worlds) => {
                let same = |t: &Tensor| t.rank() > dim && t.size(dim) == size;
                worlds.iter().flatten().all(same).then_some(size)
            }
        }
    }

    /// The size of a dimension in each world.
    pub fn sizes_elsewhere(&self, dim: usize) -> [Option<Value>; WORLDS] {
        let Extent::Varying(worlds) = &self.extent else {
            return Default::default();
        };
        std::array::from_fn(|k| {
            let tensor = worlds[k].as_ref().filter(|t| t.rank() > dim)?;
            Some(Value::Int(tensor.size(dim) as i64))
        })
    }

    /// Whether all sizes are those of the example.
    pub fn is_fixed(&self) -> bool {
        matches!(self.extent, Extent::Fixed)
    }
}

/// A dynamic axis: its name, and its size in the example and elsewhere.
pub struct Axis {
    pub name: Rc<str>,
    pub size: usize,
    pub elsewhere: [usize; WORLDS],
}

impl Axis {
    /// An axis; elsewhere it is shorter and longer.
    pub fn new(name: Rc<str>, size: usize) -> Axis {
        Axis {
            name,
            size,
            elsewhere: [(size / 2).max(1), 2 * size + 1],
        }
    }
}

/// How the sizes of an output are declared: `unnamed` calls those that only a run can tell.
pub fn declared_dims(
    state: &TensorState,
    axes: &[Axis],
    unnamed: impl Fn(usize) -> String,
) -> Vec<Dim> {
    let dims = 0..state.example.rank();
    dims.map(|dim| {
        if let Some(size) = state.fixed_size(dim) {
            return Dim::Fixed(size);
        }
        let elsewhere = state.sizes_elsewhere(dim);
        let matches = |axis: &&Axis| {
            axis.size == state.example.size(dim)
                && (0..WORLDS).all(|k| match &elsewhere[k] {
                    Some(size) => size.as_int().ok() == Some(axis.elsewhere[k] as i64),
                    None => false,
                })
        };
        match axes.iter().find(matches) {
            Some(axis) => Dim::Named(axis.name.clone()),
            None => Dim::Named(unnamed(dim).into()),
        }
    })
    .collect()
}
