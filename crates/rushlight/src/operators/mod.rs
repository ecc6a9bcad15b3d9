//! Operators on tensors as methods, and by name.
//!
//! Methods take the arguments that have no default, in the order of the schema; those with a default take it.
//! [`call`] takes all of them.

use crate::{Context, DType, Result, Tensor, Value};
use rushlight_types::{Fault, FromValue, Operator};
use std::sync::{Arc, LazyLock, OnceLock};

/// The operator of a method, found at its first call.
pub(crate) struct Known {
    schema: &'static str,
    found: OnceLock<&'static Operator>,
}

impl Known {
    pub(crate) const fn new(schema: &'static str) -> Known {
        Known {
            schema,
            found: OnceLock::new(),
        }
    }

    fn look_up(&self) -> Option<&'static Operator> {
        find(self.schema.split('(').next()?)
    }

    /// Calls it with a tensor and the arguments that have no default.
    pub(crate) fn call<R: FromValue>(&self, tensor: &Tensor, given: Vec<Value>) -> Result<R> {
        let operator = match self.found.get() {
            Some(operator) => operator,
            None => self
                .found
                .get_or_init(|| self.look_up().unwrap_or(&NOTHING)),
        };
        let mut given = std::iter::once(Value::from(tensor.clone())).chain(given);
        let mut arguments = Vec::new();
        for formal in &operator.schema().arguments {
            let value = match &formal.default {
                Some(default) => Some(default.clone()),
                None => given.next(),
            };
            arguments.extend(value);
        }
        run(operator, arguments)
    }
}

/// Stands for an operator that this build lacks.
static NOTHING: Operator = Operator::new("aten::nothing() -> ()", |_| {
    Err(Fault::not_implemented("this build lacks the operator"))
});

/// What methods of tensors run in: no output, no files, gradients where tensors require them.
static CONTEXT: LazyLock<Arc<Context>> = LazyLock::new(|| {
    let context = Context::silent();
    #[cfg(feature = "autograd")]
    context.set_gradients(crate::gradients());
    context.shared()
});

fn find(name: &str) -> Option<&'static Operator> {
    crate::table().find(name)
}

fn run<R: FromValue>(operator: &'static Operator, arguments: Vec<Value>) -> Result<R> {
    let mut results = operator.call_vec(&CONTEXT, arguments)?;
    let result = match results.len() {
        0 => Value::None,
        1 => results.remove(0),
        _ => Value::tuple(results),
    };
    Ok(result.to()?)
}

/// Calls an operator by its name and overload (`aten::mean.dim`) with arguments in the order of the schema and by name; what is
/// left out takes its default.
///
/// # Errors
///
/// There is no such operator, an argument is missing, unknown or of another type, or the operator fails.
///
/// ```
/// # fn main() -> rushlight::Result<()> {
/// use rushlight::{Tensor, operators, values};
///
/// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let means: Tensor = operators::call("aten::mean.dim", &values![x, vec![1]], &[("keepdim", true.into())])?;
/// assert_eq!(means.sizes(), [2, 1]);
/// # Ok(()) }
/// ```
pub fn call<R: FromValue>(name: &str, arguments: &[Value], named: &[(&str, Value)]) -> Result<R> {
    let operator =
        find(name).ok_or_else(|| Fault::runtime(format!("there is no operator {name}")))?;
    let schema = operator.schema();
    let wrong = |what: &str| Fault::type_error(format!("{name}: {what}; its schema is {schema}"));
    let is_formal = |given: &str| schema.arguments.iter().any(|f| *f.name == *given);
    if let Some((unknown, _)) = named.iter().find(|(given, _)| !is_formal(given)) {
        return Err(wrong(&format!("there is no argument '{unknown}'")).into());
    }
    let mut positional = arguments.iter();
    let mut all = Vec::new();
    for formal in &schema.arguments {
        let by_name = named.iter().find(|(given, _)| *formal.name == **given);
        let value = match (by_name, formal.kwarg_only) {
            (Some((_, value)), _) => Some(value.clone()),
            (None, false) => positional.next().cloned(),
            (None, true) => None,
        };
        let value = value.or_else(|| formal.default.clone());
        let missing = || wrong(&format!("argument '{}' is missing", formal.name));
        all.push(value.ok_or_else(missing)?);
    }
    if positional.next().is_some() {
        return Err(wrong("there are too many arguments").into());
    }
    run(operator, all)
}

/// An argument of a method as a value.
trait Argument {
    fn value(self) -> Value;
}

fn value(argument: impl Argument) -> Value {
    argument.value()
}

macro_rules! arguments {
    ($($ty:ty: |$x:ident| $value:expr;)*) => {$(
        impl Argument for $ty {
            fn value(self) -> Value {
                let $x = self;
                $value
            }
        }
    )*};
}
arguments! {
    &Tensor: |x| x.clone().into();
    Option<&Tensor>: |x| x.map_or(Value::None, |t| t.clone().into());
    &[Tensor]: |x| x.to_vec().into();
    i64: |x| x.into();
    Option<i64>: |x| x.map_or(Value::None, Value::from);
    f64: |x| x.into();
    Option<f64>: |x| x.map_or(Value::None, Value::from);
    bool: |x| x.into();
    &str: |x| Value::str(x);
    &[i64]: |x| x.to_vec().into();
    Option<&[i64]>: |x| x.map_or(Value::None, |x| x.to_vec().into());
    &[f64]: |x| x.to_vec().into();
    DType: |x| x.code().into();
}

/// Declares the trait of all methods.
macro_rules! methods {
    ($($name:ident($schema:literal $(, $parameter:ident: $ty:ty)*) [$($value:expr),*] -> $out:ty;)*) => {
        impl Operators for Tensor {
            fn tensor(&self) -> &Tensor {
                self
            }
        }

        /// Operators whose first argument is a tensor, as methods of tensors. A method of [`Tensor`] itself of the same name goes
        /// before.
        ///
        /// ```
        /// # fn main() -> rushlight::Result<()> {
        /// use rushlight::{Tensor, operators::Methods};
        ///
        /// let x = Tensor::from_slice(&[-1.0f32, 2.0, 0.5, 3.0], &[2, 2])?;
        /// let y = x.relu()?.matmul(&x)?.add_scalar(1.0)?.softmax(-1)?;
        /// assert_eq!(y.sizes(), [2, 2]);
        /// let (values, indices) = y.topk(1)?;
        /// assert_eq!((values.sizes(), indices.sizes()), (&[2, 1][..], &[2, 1][..]));
        /// # Ok(()) }
        /// ```
        pub trait Methods: Operators {
            $(
                #[doc = concat!("`", $schema, "`")]
                #[allow(clippy::too_many_arguments, clippy::wrong_self_convention, reason = "the schema's parameters and names")]
                fn $name(&self $(, $parameter: $ty)*) -> Result<$out> {
                    static OPERATOR: Known = Known::new($schema);
                    OPERATOR.call(self.tensor(), vec![$($value),*])
                }
            )*
        }

        impl Methods for Tensor {}
    };
}

/// Who has operators as methods: tensors.
pub trait Operators {
    /// The first argument.
    fn tensor(&self) -> &Tensor;
}

mod methods;
pub use methods::Methods;
