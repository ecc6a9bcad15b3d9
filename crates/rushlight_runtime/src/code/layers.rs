//! Convolutions with what follows them, done at once: a normalisation by known statistics, a sum with another tensor, an
//! activation. Results are those of the operators one after the other, to the bit. A layer takes plain tensors that nobody
//! records gradients of, and modules that are not trained.

use super::Reg;
use super::groups::Misses;
use rushlight_types::{Call, Context, Operator, Value};
use smallvec::SmallVec;

/// Where a value is.
#[derive(Clone)]
pub(crate) enum Place {
    Register(Reg),
    Constant(Value),
    /// An attribute of an attribute .. of the object that a register holds.
    Attribute(Reg, Box<[usize]>),
}

impl Place {
    /// The value; `None` where there is no such attribute.
    fn value(&self, frame: &[Value]) -> Option<Value> {
        match self {
            Place::Register(r) => Some(frame[*r as usize].clone()),
            Place::Constant(value) => Some(value.clone()),
            Place::Attribute(r, slots) => {
                let mut value = frame[*r as usize].clone();
                for slot in slots {
                    value = match &value {
                        Value::Object(object) => object.slot(*slot),
                        _ => return None,
                    };
                }
                Some(value)
            }
        }
    }

    /// The register that it has to do with.
    pub fn register(&self) -> Option<Reg> {
        match self {
            Place::Register(r) | Place::Attribute(r, _) => Some(*r),
            Place::Constant(_) => None,
        }
    }
}

/// A layer.
pub struct Layer {
    /// What does it, and its arguments.
    pub(crate) operator: &'static Operator,
    pub(crate) arguments: Box<[Place]>,
    /// Dimensions that its input has, zero where any will do.
    pub(crate) dims: usize,
    /// Flags that must not be set.
    pub(crate) unset: Box<[Place]>,
    /// Registers that the instructions leave empty, and those that hold something else behind them.
    pub(crate) moved: Box<[Reg]>,
    pub(crate) left: Box<[(Reg, Place)]>,
    pub(crate) result: Reg,
    pub(crate) misses: Misses,
}

impl Layer {
    /// The registers that it reads.
    pub fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        let places = self.arguments.iter().chain(&self.unset);
        let left = self.left.iter().map(|(_, place)| place);
        places.chain(left).filter_map(Place::register)
    }

    /// The registers that it writes.
    pub fn writes(&self) -> impl Iterator<Item = Reg> + '_ {
        let left = self.left.iter().map(|left| left.0);
        left.chain([self.result])
    }

    /// Does the layer; `false`, and nothing done, where it has to be done operator by operator.
    pub(crate) fn run(&self, frame: &mut [Value], context: &Context, records: bool) -> bool {
        // Training is no miss: it ends, and layers go on at once.
        let is_set = |flag: &Place| !matches!(flag.value(frame), Some(Value::Bool(false)));
        let is_recorded = |place: &Place| place.value(frame).is_some_and(|v| v.requires_grad());
        if self.unset.iter().any(is_set) || records && self.arguments.iter().any(is_recorded) {
            return false;
        }
        let mut result = Value::None;
        let mut left: SmallVec<[Value; 4]> = SmallVec::new();
        let is_done = self.misses.attempt(|| {
            for (_, place) in &self.left {
                left.push(place.value(frame)?);
            }
            result = self.compute(frame, context)?;
            Some(())
        });
        if !is_done {
            return false;
        }
        for r in &self.moved {
            frame[*r as usize] = Value::None;
        }
        for ((r, _), value) in self.left.iter().zip(left) {
            frame[*r as usize] = value;
        }
        frame[self.result as usize] = result;
        true
    }

    fn compute(&self, frame: &[Value], context: &Context) -> Option<Value> {
        let mut slots: SmallVec<[Value; 24]> = SmallVec::new();
        for place in &self.arguments {
            slots.push(place.value(frame)?);
        }
        let Some(Value::Tensor(input)) = slots.first() else {
            return None;
        };
        if self.dims != 0 && input.rank() != self.dims {
            return None;
        }
        let inputs = slots.len();
        let call = &mut Call::new(context, &mut slots, inputs);
        self.operator.run_kernel(call).ok()?;
        slots.into_iter().next()
    }
}
