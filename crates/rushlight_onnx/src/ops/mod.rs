//! What each operator of TorchScript is in ONNX: a file per family with its table of names and functions.

mod arithmetic;
mod create;
mod index;
pub(crate) mod language;
mod layers;
mod linear;
mod loss;
mod norm;
mod pooling;
mod recurrent;
mod reduce;
mod resize;
mod shape;
mod sort;
mod unary;

use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::{Cell, Symbol};
use rushlight_tensor::{DType, Tensor};
use rushlight_types::{Fault, Operator, Result, Value};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

/// A call of an operator on what is not all known.
pub(crate) struct Call {
    pub operator: &'static Operator,
    /// The operator without overload, and without the `_` of one that writes to its first argument.
    pub name: &'static str,
    pub arguments: Rc<Vec<Symbol>>,
    /// What the call gave on the examples.
    pub results: Vec<Value>,
}

/// A result of a call.
pub(crate) enum Out {
    /// The output of a node.
    Name(Name),
    /// A list of outputs.
    List(Vec<Name>),
    /// What other calls gave.
    Symbol(Symbol),
}

/// Writes the nodes of a call.
pub(crate) type Translate = fn(&mut Exporter<'_>, &Call) -> Result<Vec<Out>>;

/// A row of a family's table.
pub(crate) type Row = (&'static str, Translate);

const FAMILIES: &[&[Row]] = &[
    arithmetic::ROWS,
    create::ROWS,
    index::ROWS,
    layers::ROWS,
    linear::ROWS,
    loss::ROWS,
    norm::ROWS,
    pooling::ROWS,
    recurrent::ROWS,
    reduce::ROWS,
    resize::ROWS,
    shape::ROWS,
    sort::ROWS,
];

fn table() -> &'static HashMap<&'static str, Translate> {
    static TABLE: OnceLock<HashMap<&'static str, Translate>> = OnceLock::new();
    TABLE.get_or_init(|| FAMILIES.iter().copied().flatten().copied().collect())
}

/// The operators that can be exported, sorted.
pub fn operator_names() -> Vec<&'static str> {
    let mut names: Vec<_> = table().keys().copied().chain(unary::names()).collect();
    rushlight_tensor::order::sort(&mut names);
    names
}

/// The name of an operator without overload and without what says that it writes to its first argument.
pub(crate) fn functional_name(operator: &'static Operator) -> &'static str {
    let name = operator.name();
    let writes_first = operator.schema().arguments.first();
    match name.strip_suffix('_') {
        Some(stem) if writes_first.is_some_and(|a| a.is_written()) => stem,
        _ => name,
    }
}

/// The nodes of a call, or why there are none.
pub(crate) fn translate(exporter: &mut Exporter<'_>, call: &Call) -> Result<Vec<Out>> {
    if let Some(translate) = table().get(call.name) {
        return translate(exporter, call);
    }
    if let Some(out) = unary::translate(exporter, call)? {
        return Ok(out);
    }
    Err(unsupported(call.operator.name(), exporter.opset()))
}

/// The fault of an operator that ONNX lacks.
pub(crate) fn unsupported(name: &str, opset: i64) -> Fault {
    Fault::not_implemented(format!(
        "Exporting the operator '{name}' to ONNX opset version {opset} is not supported"
    ))
}

/// A single result.
pub(crate) fn one(name: Name) -> Result<Vec<Out>> {
    Ok(vec![Out::Name(name)])
}

impl Call {
    fn place(&self, name: &str) -> Option<usize> {
        self.operator.schema().argument_index(name)
    }

    /// An argument by name; `None` where it is `None` or this overload lacks it.
    pub fn get(&self, name: &str) -> Option<&Symbol> {
        let symbol = self.arguments.get(self.place(name)?)?;
        match symbol {
            Symbol::Known(Value::None) => None,
            symbol => Some(symbol),
        }
    }

    /// An argument that every overload has.
    pub fn arg(&self, name: &str) -> Result<&Symbol> {
        self.get(name)
            .ok_or_else(|| Fault::internal(format!("{} lacks {name}", self.operator.full_name())))
    }

    /// The refusal of something that only some models do.
    pub fn refuse(&self, what: &str) -> Fault {
        Fault::runtime(format!("{}: {what}", self.operator.name()))
    }

    /// A tensor argument.
    pub fn tensor(&self, name: &str) -> Result<&Cell> {
        match self.arg(name)? {
            Symbol::Tensor(cell) => Ok(cell),
            _ => Err(self.refuse(&format!("{name} is no tensor"))),
        }
    }

    /// The example of a tensor argument.
    pub fn example(&self, name: &str) -> Result<Tensor> {
        Ok(self.tensor(name)?.borrow().example.clone())
    }

    /// The rank of a tensor argument.
    pub fn rank(&self, name: &str) -> Result<usize> {
        Ok(self.tensor(name)?.borrow().example.rank())
    }

    /// The dtype of a tensor argument.
    pub fn dtype(&self, name: &str) -> Result<DType> {
        Ok(self.tensor(name)?.borrow().example.dtype())
    }

    /// A size of a tensor argument, which must not vary.
    pub fn fixed_size(&self, name: &str, dim: usize) -> Result<usize> {
        let size = self.tensor(name)?.borrow().fixed_size(dim);
        size.ok_or_else(|| {
            self.refuse(&format!(
                "the size of dimension {dim} of {name} must be fixed"
            ))
        })
    }

    /// The value of an argument that has to be known.
    pub fn known(&self, name: &str) -> Result<Value> {
        match self.arg(name)? {
            Symbol::Known(value) => Ok(value.clone()),
            Symbol::Tensor(cell) if crate::exporter::is_known(cell) => {
                Ok(Value::scalar(cell.borrow().example.item()?))
            }
            _ => Err(self.refuse(&format!("{name} must be known when the model is exported"))),
        }
    }

    /// An int that has to be known.
    pub fn int(&self, name: &str) -> Result<i64> {
        self.known(name)?.as_int()
    }

    /// A number that has to be known.
    pub fn float(&self, name: &str) -> Result<f64> {
        Ok(self.known(name)?.as_scalar()?.to_f64())
    }

    /// A bool that has to be known.
    pub fn bool(&self, name: &str) -> Result<bool> {
        self.known(name)?.as_bool()
    }

    /// A bool that has to be known, and is false where it is not given.
    pub fn is_set(&self, name: &str) -> Result<bool> {
        self.get(name).map_or(Ok(false), |_| self.bool(name))
    }

    /// Ints that have to be known: a list, or one.
    pub fn ints(&self, name: &str) -> Result<Vec<i64>> {
        let known = |symbol: &Symbol| match symbol {
            Symbol::Known(value) => value.as_int(),
            _ => Err(self.refuse(&format!("{name} must be known when the model is exported"))),
        };
        match self.arg(name)? {
            Symbol::List(list) => list.items.borrow().iter().map(known).collect(),
            other => Ok(vec![known(other)?]),
        }
    }

    /// The items of a list argument.
    pub fn items(&self, name: &str) -> Result<Vec<Symbol>> {
        match self.arg(name)? {
            Symbol::List(list) => Ok(list.items.borrow().clone()),
            _ => Err(self.refuse(&format!("{name} is no list"))),
        }
    }

    /// A dimension of a tensor argument, counted from the front.
    pub fn dim(&self, name: &str, tensor: &str) -> Result<i64> {
        let (dim, rank) = (self.int(name)?, self.rank(tensor)?.max(1) as i64);
        Ok(if dim < 0 { dim + rank } else { dim })
    }

    /// The first result as the examples gave it.
    pub fn result(&self) -> Result<&Tensor> {
        self.results
            .first()
            .ok_or_else(|| self.refuse("gives nothing"))?
            .as_tensor()
    }

    /// The dtype that the first result has in the model.
    pub fn result_dtype(&self) -> DType {
        match self.results.first() {
            Some(Value::Tensor(tensor)) => tensor.dtype(),
            Some(Value::Bool(_)) => DType::Bool,
            Some(Value::Int(_)) => DType::I64,
            _ => DType::F64,
        }
    }
}

/// The dtype of a value in a model.
pub(crate) fn dtype_of(symbol: &Symbol) -> DType {
    let of_number = |value: &Value| match value {
        Value::Bool(_) => DType::Bool,
        Value::Int(_) => DType::I64,
        _ => DType::F64,
    };
    match symbol {
        Symbol::Tensor(cell) => cell.borrow().example.dtype(),
        Symbol::Known(value) => of_number(value),
        Symbol::Number(number) => of_number(&number.example),
        _ => DType::F64,
    }
}

impl Exporter<'_> {
    /// The name of an argument.
    pub(crate) fn input(&mut self, call: &Call, name: &str) -> Result<Name> {
        self.name_of(call.arg(name)?)
    }

    /// The name of an argument as a tensor of a dtype.
    pub(crate) fn input_as(&mut self, call: &Call, name: &str, dtype: DType) -> Result<Name> {
        self.as_dtype(call.arg(name)?, dtype)
    }

    /// The name of a value as a tensor of a dtype.
    pub(crate) fn as_dtype(&mut self, symbol: &Symbol, dtype: DType) -> Result<Name> {
        if let Symbol::Known(value) = symbol {
            return Ok(self.number(value.as_scalar()?, dtype));
        }
        if let Symbol::Tensor(cell) = symbol
            && crate::exporter::is_known(cell)
            && cell.borrow().example.rank() == 0
            && cell.borrow().example.dtype() != dtype
            && !cell.borrow().of_module
        {
            let number = cell.borrow().example.item()?;
            return Ok(self.number(number, dtype));
        }
        let name = self.name_of(symbol)?;
        match dtype_of(symbol) == dtype {
            true => Ok(name),
            false => self.cast(&name, dtype),
        }
    }

    /// A number as a list of one.
    pub(crate) fn as_list(&mut self, symbol: &Symbol) -> Result<Name> {
        if let Symbol::Known(value) = symbol {
            return self.ints(&[value.as_int()?]);
        }
        let name = self.as_dtype(symbol, DType::I64)?;
        let axes = self.ints(&[0])?;
        Ok(self.node("Unsqueeze", &[name, axes], Vec::new()))
    }

    /// A list of ints as a tensor.
    pub(crate) fn int_list(&mut self, symbol: &Symbol) -> Result<Name> {
        let Symbol::List(list) = symbol else {
            return self.as_list(symbol);
        };
        let items = list.items.borrow().clone();
        let known: Option<Vec<i64>> = items
            .iter()
            .map(|item| match item {
                Symbol::Known(value) => value.as_int().ok(),
                _ => None,
            })
            .collect();
        if let Some(known) = known {
            return self.ints(&known);
        }
        let parts = items.iter().map(|item| self.as_list(item));
        let parts: Vec<Name> = parts.collect::<Result<_>>()?;
        Ok(self.node("Concat", &parts, vec![("axis", Attribute::Int(0))]))
    }

    /// The same tensor with dimensions of one put in.
    pub(crate) fn unsqueeze(&mut self, name: &Name, axes: &[i64]) -> Result<Name> {
        let axes = self.ints(axes)?;
        Ok(self.node("Unsqueeze", &[name.clone(), axes], Vec::new()))
    }

    /// The same tensor without dimensions of one.
    pub(crate) fn squeeze(&mut self, name: &Name, axes: &[i64]) -> Result<Name> {
        let axes = self.ints(axes)?;
        Ok(self.node("Squeeze", &[name.clone(), axes], Vec::new()))
    }

    /// The same elements in another shape.
    pub(crate) fn reshape(&mut self, name: &Name, sizes: &[i64]) -> Result<Name> {
        let sizes = self.ints(sizes)?;
        Ok(self.reshape_to(name, sizes))
    }

    /// The same elements in the shape that another tensor holds.
    pub(crate) fn reshape_to(&mut self, name: &Name, shape: Name) -> Name {
        let attributes = match self.opset() {
            ..14 => Vec::new(),
            _ => vec![("allowzero", Attribute::Int(0))],
        };
        self.node("Reshape", &[name.clone(), shape], attributes)
    }

    /// The dimensions in another order.
    pub(crate) fn transpose(&mut self, name: &Name, order: Vec<i64>) -> Name {
        let order = vec![("perm", Attribute::Ints(order))];
        self.node("Transpose", std::slice::from_ref(name), order)
    }

    /// One input, no attributes.
    pub(crate) fn apply(&mut self, kind: &str, name: &Name) -> Name {
        self.node(kind, std::slice::from_ref(name), Vec::new())
    }

    /// Two inputs, no attributes.
    pub(crate) fn combine(&mut self, kind: &str, left: &Name, right: &Name) -> Name {
        self.node(kind, &[left.clone(), right.clone()], Vec::new())
    }

    /// The larger or the smaller of each two elements (`Max` or `Min`), which older versions know of floats alone.
    pub(crate) fn choose(&mut self, kind: &str, left: &Name, right: &Name, dtype: DType) -> Name {
        if self.opset() >= 12 || dtype.is_float() {
            return self.combine(kind, left, right);
        }
        let is_less = self.combine("Less", left, right);
        let (first, second) = match kind {
            "Min" => (left, right),
            _ => (right, left),
        };
        self.node(
            "Where",
            &[is_less, first.clone(), second.clone()],
            Vec::new(),
        )
    }

    /// The rows of a tensor from `start` to `end` along an axis.
    pub(crate) fn cut(&mut self, name: &Name, axis: i64, start: i64, end: i64) -> Result<Name> {
        let bounds = [start, end, axis].map(|number| self.ints(&[number]));
        let [start, end, axis] = bounds;
        Ok(self.node("Slice", &[name.clone(), start?, end?, axis?], Vec::new()))
    }
}
