//! Views of tensors, and writes: what shares its memory with a tensor that is written has its name anew.

use super::Exporter;
use crate::ops::Call;
use crate::proto::{Attribute, Name};
use crate::symbol::{Cell, Extent, Symbol, View};
use rushlight_tensor::Tensor;
use rushlight_types::{Fault, Result};

impl Exporter<'_> {
    /// Remembers which argument a result is a view of.
    pub(super) fn note_view(&self, symbol: &Symbol, call: &Call, index: usize) {
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
    pub(super) fn numbered(&mut self, root: &Cell, name: &Name) -> Result<Symbol> {
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

/// In how many blocks the tensor was made that a view is one of.
pub(super) fn root_depth(cell: &Cell) -> usize {
    let state = cell.borrow();
    match &state.view {
        Some(view) => root_depth(&view.base),
        None => state.depth,
    }
}

pub(super) fn version_of(cell: &Cell) -> u64 {
    let state = cell.borrow();
    let base = state.view.as_ref().map_or(0, |view| version_of(&view.base));
    state.version + base
}

pub(super) fn is_stale(cell: &Cell) -> bool {
    let state = cell.borrow();
    let view = state.view.as_ref();
    view.is_some_and(|view| version_of(&view.base) != view.version)
}

/// A known tensor was written: what stands for it in the model from now on is what it holds by now.
pub(super) fn forget_names(cell: &Cell) {
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

/// A tensor among results, counted through lists.
pub(super) fn nth_tensor(results: &[Symbol], index: usize) -> Result<Symbol> {
    let flat = match results {
        [Symbol::List(list)] => list.items.borrow().clone(),
        other => other.to_vec(),
    };
    flat.get(index)
        .cloned()
        .ok_or_else(|| Fault::internal("a view has no such result"))
}
