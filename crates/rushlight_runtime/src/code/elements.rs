//! Groups of instructions that work with single elements of tensors, done at once.
//!
//! `d[i, j] = d[i - 1, j] + 1` is a dozen instructions, most of which make a tensor that lives until the next. A group says
//! what they come to: which elements are read, what is computed, what is written. It is done where tensors are as it expects
//! them: plain elements of the same dtype, no gradients, nobody who watches. Numbers are the same to the bit.

use super::Reg;
use super::groups::Misses;
use rushlight_tensor::{DType, Single, Singles, Tensor};
use rushlight_types::{ElementOp, Value};

/// Registers of a group.
pub(crate) const MOST_LOCALS: usize = 32;
/// Tensors from outside.
pub(crate) const MOST_TENSORS: usize = 4;
/// Dimensions of those.
const MOST_DIMS: usize = 4;

/// What a register of a group holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell {
    Nothing,
    Int(i64),
    Float(f64),
    Bool(bool),
    /// A tensor without dimensions.
    Element(Single),
    /// A part of a tensor from outside: how many of its dimensions have an index, and where it starts.
    View {
        tensor: u8,
        taken: u8,
        start: u32,
    },
    /// The device of a tensor.
    Device,
}

const _: () = assert!(size_of::<Cell>() == 16);

impl Cell {
    /// What a value is that the instructions take as a number or as nothing.
    pub fn of(value: &Value) -> Option<Cell> {
        Some(match value {
            Value::Int(i) => Cell::Int(*i),
            Value::Float(f) => Cell::Float(*f),
            Value::Bool(b) => Cell::Bool(*b),
            Value::None => Cell::Nothing,
            _ => return None,
        })
    }

    fn into_value(self) -> Option<Value> {
        Some(match self {
            Cell::Int(i) => Value::Int(i),
            Cell::Float(f) => Value::Float(f),
            Cell::Bool(b) => Value::Bool(b),
            Cell::Element(e) => Value::Tensor(e.into_tensor()),
            Cell::Nothing | Cell::View { .. } | Cell::Device => return None,
        })
    }

    fn as_int(self) -> Option<i64> {
        match self {
            Cell::Int(i) => Some(i),
            _ => None,
        }
    }

    fn as_float(self) -> Option<f64> {
        match self {
            Cell::Float(f) => Some(f),
            Cell::Int(i) => Some(i as f64),
            _ => None,
        }
    }
}

/// An input of a step: a register of the group, or, from [`MOST_LOCALS`] on, a constant.
pub(crate) type Input = u8;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Action {
    Select,
    /// An operator on an element and another or a number.
    Compute(ElementOp),
    /// An operator on an element.
    Unary(ElementOp),
    /// What a tensor says.
    Read(ElementOp),
    Make,
    /// An operator whose result is written over the first input.
    InPlace(ElementOp),
    AddInt,
    SubInt,
    MulInt,
    AddFloat,
    SubFloat,
    MulFloat,
    IntOf,
    FloatOf,
    Copy,
}

/// One step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub action: Action,
    pub to: u8,
    pub inputs: [Input; 3],
}

/// A group.
pub struct Elements {
    pub(crate) steps: Box<[Step]>,
    pub(crate) constants: Box<[Cell]>,
    /// Registers of the frame whose numbers the group reads, and its own for them.
    pub(crate) numbers: Box<[(Reg, u8)]>,
    /// The same of tensors.
    pub(crate) tensors: Box<[(Reg, u8)]>,
    /// Registers of tensors that go with the group.
    pub(crate) moved: Box<[Reg]>,
    /// Its registers, and those of the frame that take what they hold in the end.
    pub(crate) results: Box<[(u8, Reg)]>,
    pub(crate) misses: Misses,
}

impl Elements {
    /// The registers that it reads.
    pub fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        self.numbers.iter().chain(&*self.tensors).map(|r| r.0)
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Reg> + '_ {
        self.results.iter().map(|r| r.1)
    }

    /// Does the group; `false`, and nothing done, where it has to be done one by one.
    pub(crate) fn run(&self, frame: &mut [Value], records: bool) -> bool {
        let mut locals = [Cell::Nothing; MOST_LOCALS];
        if !self
            .misses
            .attempt(|| self.compute(frame, records, &mut locals))
        {
            return false;
        }
        for &r in &self.moved {
            frame[r as usize] = Value::None;
        }
        for &(local, r) in &self.results {
            if let Some(value) = locals[usize::from(local)].into_value() {
                frame[r as usize] = value;
            }
        }
        true
    }

    /// Does all steps on the group's registers; `None`, and nothing done, where something is not as expected. The last step
    /// alone may write to a tensor.
    fn compute(
        &self,
        frame: &[Value],
        records: bool,
        locals: &mut [Cell; MOST_LOCALS],
    ) -> Option<()> {
        for &(r, local) in &self.numbers {
            locals[usize::from(local)] = match Cell::of(&frame[r as usize])? {
                Cell::Nothing => return None,
                number => number,
            };
        }
        let mut tensors = [const { None }; MOST_TENSORS];
        for (at, &(r, local)) in self.tensors.iter().enumerate() {
            let Value::Tensor(tensor) = &frame[r as usize] else {
                return None;
            };
            if records && tensor.requires_grad() || tensor.is_wrapped_number() {
                return None;
            }
            locals[usize::from(local)] = Cell::View {
                tensor: at as u8,
                taken: 0,
                start: 0,
            };
            tensors[at] = Some(Whole::new(tensor)?);
        }
        let run = Run {
            tensors: &tensors,
            records,
        };
        for step in &self.steps {
            let input = |i: usize| {
                let at = usize::from(step.inputs[i]);
                match at.checked_sub(MOST_LOCALS) {
                    None => locals[at],
                    Some(constant) => self.constants[constant],
                }
            };
            let ints = || Some((input(0).as_int()?, input(1).as_int()?));
            let floats = || Some((input(0).as_float()?, input(1).as_float()?));
            let result = match step.action {
                Action::Select => run.select(input(0), input(1).as_int()?)?,
                Action::Compute(op) => {
                    let (a, b) = (run.element(input(0))?, run.other(input(1))?);
                    Cell::Element(computed(op, a, b)?)
                }
                Action::Unary(op) => Cell::Element(changed(op, run.element(input(0))?)?),
                Action::Read(op) => run.read(op, input(0))?,
                Action::Make => run.make(input(0), input(1), input(2))?,
                Action::InPlace(op) => run.perform_in_place(op, input(0), input(1))?,
                Action::AddInt => ints().map(|(a, b)| Cell::Int(a.wrapping_add(b)))?,
                Action::SubInt => ints().map(|(a, b)| Cell::Int(a.wrapping_sub(b)))?,
                Action::MulInt => ints().map(|(a, b)| Cell::Int(a.wrapping_mul(b)))?,
                Action::AddFloat => floats().map(|(a, b)| Cell::Float(a + b))?,
                Action::SubFloat => floats().map(|(a, b)| Cell::Float(a - b))?,
                Action::MulFloat => floats().map(|(a, b)| Cell::Float(a * b))?,
                Action::IntOf => int_of(input(0))?,
                Action::FloatOf => Cell::Float(float_of(input(0))?),
                Action::Copy => input(0),
            };
            locals[usize::from(step.to)] = result;
        }
        Some(())
    }
}

/// A tensor from outside: its elements, and the sizes and strides of its dimensions.
struct Whole<'a> {
    singles: Singles<'a>,
    rank: u8,
    sizes: [u32; MOST_DIMS],
    strides: [u32; MOST_DIMS],
}

impl<'a> Whole<'a> {
    #[inline]
    fn new(tensor: &'a Tensor) -> Option<Whole<'a>> {
        let singles = tensor.singles()?;
        let (given, steps) = (tensor.sizes(), tensor.strides());
        let (mut sizes, mut strides) = ([0; MOST_DIMS], [0; MOST_DIMS]);
        if given.len() > MOST_DIMS || given.len() != steps.len() {
            return None;
        }
        for (d, (size, stride)) in given.iter().zip(steps).enumerate() {
            (sizes[d], strides[d]) = (u32::try_from(*size).ok()?, u32::try_from(*stride).ok()?);
        }
        Some(Whole {
            singles,
            rank: given.len() as u8,
            sizes,
            strides,
        })
    }
}

/// The tensors that a group reads and writes.
struct Run<'a> {
    tensors: &'a [Option<Whole<'a>>; MOST_TENSORS],
    records: bool,
}

impl Run<'_> {
    #[inline]
    fn tensor(&self, at: u8) -> Option<&Whole<'_>> {
        self.tensors.get(usize::from(at))?.as_ref()
    }

    /// The element that a register stands for.
    #[inline]
    fn element(&self, cell: Cell) -> Option<Single> {
        match cell {
            Cell::Element(element) => Some(element),
            Cell::View {
                tensor,
                taken,
                start,
            } => {
                let whole = self.tensor(tensor)?;
                (taken == whole.rank).then(|| whole.singles.get(start as usize))
            }
            _ => None,
        }
    }

    fn dtype(&self, cell: Cell) -> Option<DType> {
        Some(match cell {
            Cell::View { tensor, .. } => self.tensor(tensor)?.singles.dtype(),
            Cell::Element(Single::F32(_)) => DType::F32,
            Cell::Element(Single::F64(_)) => DType::F64,
            Cell::Element(Single::I64(_)) => DType::I64,
            Cell::Element(Single::Bool(_)) => DType::Bool,
            _ => return None,
        })
    }

    /// What a tensor of one element says.
    fn read(&self, op: ElementOp, from: Cell) -> Option<Cell> {
        match op {
            ElementOp::DTypeOf => return Some(Cell::Int(self.dtype(from)?.code())),
            ElementOp::DeviceOf => return Some(Cell::Device),
            _ => {}
        }
        let number = match self.element(from)? {
            Single::F32(x) => Cell::Float(f64::from(x)),
            Single::F64(x) => Cell::Float(x),
            Single::I64(x) => Cell::Int(x),
            Single::Bool(x) => Cell::Bool(x),
        };
        Some(match op {
            ElementOp::Item => number,
            ElementOp::Int => int_of(number)?,
            ElementOp::Float => Cell::Float(float_of(number)?),
            ElementOp::Bool => Cell::Bool(float_of(number)? != 0.0),
            _ => return None,
        })
    }

    fn make(&self, number: Cell, dtype: Cell, device: Cell) -> Option<Cell> {
        let dtype = DType::from_code(dtype.as_int()?)?;
        match device {
            Cell::Device | Cell::Nothing => Some(Cell::Element(made(number, dtype)?)),
            _ => None,
        }
    }

    /// The second operand: an element or a number.
    #[inline]
    fn other(&self, cell: Cell) -> Option<Cell> {
        match cell {
            Cell::View { .. } => Some(Cell::Element(self.element(cell)?)),
            other => Some(other),
        }
    }

    /// The part at an index of the first dimension that has none yet.
    #[inline]
    fn select(&self, from: Cell, index: i64) -> Option<Cell> {
        let Cell::View {
            tensor,
            taken,
            start,
        } = from
        else {
            return None;
        };
        let whole = self.tensor(tensor)?;
        let dim = usize::from(taken);
        if taken >= whole.rank {
            return None;
        }
        let size = i64::from(whole.sizes[dim]);
        let index = if index < 0 {
            index.wrapping_add(size)
        } else {
            index
        };
        if !(0..size).contains(&index) {
            return None;
        }
        let step = (index as u32).checked_mul(whole.strides[dim])?;
        Some(Cell::View {
            tensor,
            taken: taken + 1,
            start: start.checked_add(step)?,
        })
    }

    fn perform_in_place(&self, op: ElementOp, to: Cell, other: Cell) -> Option<Cell> {
        let Cell::View {
            tensor,
            taken,
            start,
        } = to
        else {
            return None;
        };
        let start = start as usize;
        let whole = self.tensor(tensor)?;
        let (target, tensor) = (&whole.singles, whole.singles.tensor());
        if taken != whole.rank || tensor.requires_grad() || self.records && tensor.is_view() {
            return None;
        }
        let value = match op {
            ElementOp::Copy => converted(self.element(other)?, target.dtype())?,
            _ => computed(op, target.get(start), self.other(other)?)?,
        };
        target.set(start, value).then_some(Cell::Nothing)
    }
}

fn int_of(number: Cell) -> Option<Cell> {
    Some(Cell::Int(match number {
        Cell::Int(i) => i,
        Cell::Bool(b) => i64::from(b),
        // Others are errors, or what a processor makes of them.
        Cell::Float(f) if f.abs() < 9e18 => f as i64,
        _ => return None,
    }))
}

fn float_of(number: Cell) -> Option<f64> {
    match number {
        Cell::Bool(b) => Some(f64::from(u8::from(b))),
        other => other.as_float(),
    }
}

/// A number in single precision, if it is one there.
fn narrowed(x: f64) -> Option<f32> {
    let narrow = x as f32;
    (narrow.is_finite() || !x.is_finite()).then_some(narrow)
}

/// An int as a float of so many bits, if it is exactly one.
fn exact(i: i64, bits: u32) -> Option<f64> {
    (i.unsigned_abs() <= 1 << bits).then_some(i as f64)
}

/// A tensor's element of a number.
fn made(number: Cell, dtype: DType) -> Option<Single> {
    Some(match (dtype, number) {
        (DType::F32, Cell::Int(i)) => Single::F32(exact(i, 24)? as f32),
        (DType::F32, number) => Single::F32(narrowed(float_of(number)?)?),
        (DType::F64, Cell::Int(i)) => Single::F64(exact(i, 53)?),
        (DType::F64, number) => Single::F64(float_of(number)?),
        (DType::I64, Cell::Int(i)) => Single::I64(i),
        (DType::I64, Cell::Bool(b)) => Single::I64(i64::from(b)),
        (DType::Bool, Cell::Bool(b)) => Single::Bool(b),
        _ => return None,
    })
}

/// An element in another dtype, as a copy makes it; not where that depends on the processor.
fn converted(element: Single, dtype: DType) -> Option<Single> {
    Some(match (element, dtype) {
        (Single::F32(_), DType::F32)
        | (Single::F64(_), DType::F64)
        | (Single::I64(_), DType::I64)
        | (Single::Bool(_), DType::Bool) => element,
        (Single::F32(x), DType::F64) => Single::F64(f64::from(x)),
        (Single::F64(x), DType::F32) => Single::F32(x as f32),
        (Single::I64(x), DType::F32) => Single::F32(x as f32),
        (Single::I64(x), DType::F64) => Single::F64(x as f64),
        (Single::I64(x), DType::Bool) => Single::Bool(x != 0),
        (Single::Bool(x), DType::F32) => Single::F32(f32::from(u8::from(x))),
        (Single::Bool(x), DType::F64) => Single::F64(f64::from(u8::from(x))),
        (Single::Bool(x), DType::I64) => Single::I64(i64::from(x)),
        _ => return None,
    })
}

macro_rules! float_function {
    ($name:ident, $ty:ty, $make:path) => {
        fn $name(op: ElementOp, x: $ty, y: $ty) -> Option<Single> {
            Some(match op {
                ElementOp::Add => $make(x + y),
                ElementOp::Sub => $make(x - y),
                ElementOp::Mul => $make(x * y),
                ElementOp::Div => $make(x / y),
                ElementOp::Maximum => $make(if x.is_nan() || x > y { x } else { y }),
                ElementOp::Minimum => $make(if x.is_nan() || x < y { x } else { y }),
                _ => Single::Bool(compared(op, x, y)?),
            })
        }
    };
}

float_function!(of_f32, f32, Single::F32);
float_function!(of_f64, f64, Single::F64);

fn of_i64(op: ElementOp, x: i64, y: i64) -> Option<Single> {
    Some(match op {
        ElementOp::Add => Single::I64(x.wrapping_add(y)),
        ElementOp::Sub => Single::I64(x.wrapping_sub(y)),
        ElementOp::Mul => Single::I64(x.wrapping_mul(y)),
        ElementOp::Maximum => Single::I64(x.max(y)),
        ElementOp::Minimum => Single::I64(x.min(y)),
        _ => Single::Bool(compared(op, x, y)?),
    })
}

#[inline]
fn compared<T: PartialOrd>(op: ElementOp, x: T, y: T) -> Option<bool> {
    Some(match op {
        ElementOp::Eq => x == y,
        ElementOp::Ne => x != y,
        ElementOp::Lt => x < y,
        ElementOp::Le => x <= y,
        ElementOp::Gt => x > y,
        ElementOp::Ge => x >= y,
        _ => return None,
    })
}

/// An operator on an element.
fn changed(op: ElementOp, a: Single) -> Option<Single> {
    Some(match (op, a) {
        (ElementOp::Neg, Single::F32(x)) => Single::F32(-x),
        (ElementOp::Neg, Single::F64(x)) => Single::F64(-x),
        (ElementOp::Neg, Single::I64(x)) => Single::I64(x.wrapping_neg()),
        (ElementOp::Abs, Single::F32(x)) => Single::F32(x.abs()),
        (ElementOp::Abs, Single::F64(x)) => Single::F64(x.abs()),
        (ElementOp::Abs, Single::I64(x)) => Single::I64(x.wrapping_abs()),
        _ => return None,
    })
}

/// An operator on an element and another of the same dtype, or a number that does not change the dtype.
#[inline]
fn computed(op: ElementOp, a: Single, b: Cell) -> Option<Single> {
    match (a, b) {
        (Single::F32(x), Cell::Element(Single::F32(y))) => of_f32(op, x, y),
        (Single::F32(x), Cell::Int(i)) => of_f32(op, x, exact(i, 24)? as f32),
        (Single::F32(x), Cell::Float(f)) => of_f32(op, x, narrowed(f)?),
        (Single::F64(x), Cell::Element(Single::F64(y))) => of_f64(op, x, y),
        (Single::F64(x), Cell::Int(i)) => of_f64(op, x, exact(i, 53)?),
        (Single::F64(x), Cell::Float(f)) => of_f64(op, x, f),
        (Single::I64(x), Cell::Element(Single::I64(y))) => of_i64(op, x, y),
        (Single::I64(x), Cell::Int(i)) => of_i64(op, x, i),
        _ => None,
    }
}
