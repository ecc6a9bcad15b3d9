//! The one call path: a window of slots that holds the arguments and then the results.
//!
//! The interpreter keeps the window in its register file, eager code in an array; nothing is allocated per call.

use crate::{
    Context, Fault, FromCall, IntoValues, Result, Str, Value, ValueKind, operator::too_few_slots,
};
use rushlight_tensor::{Complex64, Device, Scalar, Tensor};

/// One call of an operator in flight.
pub struct Call<'a> {
    context: &'a Context,
    slots: &'a mut [Value],
    inputs: usize,
}

impl<'a> Call<'a> {
    /// A call whose first `inputs` slots are the arguments.
    #[inline(always)]
    pub fn new(context: &'a Context, slots: &'a mut [Value], inputs: usize) -> Call<'a> {
        debug_assert!(inputs <= slots.len());
        Call {
            context,
            slots,
            inputs,
        }
    }

    /// The context of the call.
    #[inline(always)]
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// The arguments.
    #[inline(always)]
    pub fn inputs(&self) -> &[Value] {
        &self.slots[..self.inputs]
    }

    /// Drops the arguments and writes the results from the first slot on.
    #[inline(always)]
    pub fn finish<R: IntoValues>(&mut self, results: R) -> Result<()> {
        if R::COUNT > self.slots.len() {
            return Err(too_few_slots(self.slots.len(), R::COUNT));
        }
        for slot in &mut self.slots[R::COUNT.min(self.inputs)..self.inputs] {
            *slot = Value::None;
        }
        results.into_values(self.slots);
        Ok(())
    }

    /// As [`Call::finish`], for results whose number is known only at run time.
    pub fn finish_many(&mut self, results: Vec<Value>) -> Result<()> {
        if results.len() > self.slots.len() {
            return Err(too_few_slots(self.slots.len(), results.len()));
        }
        for slot in &mut self.slots[..self.inputs] {
            *slot = Value::None;
        }
        for (slot, value) in self.slots.iter_mut().zip(results) {
            *slot = value;
        }
        Ok(())
    }

    /// The slots from the first result on; meaningful after the kernel has run.
    pub fn results(&self) -> &[Value] {
        self.slots
    }
}

/// A typed function that can be a kernel. Implemented for functions of up to twenty-four parameters.
pub trait Typed<'a, Parameters> {
    type Output: IntoValues;
    /// Reads the parameters from the call and runs the function.
    fn run(&self, call: &'a Call<'_>) -> Result<Self::Output>;
}

/// What a kernel function may return: a result, or a plain value where nothing can fail.
pub trait KernelResult {
    type Values: IntoValues;
    fn into_result(self) -> Result<Self::Values>;
}
impl<T: IntoValues> KernelResult for Result<T> {
    type Values = T;
    #[inline(always)]
    fn into_result(self) -> Result<T> {
        self
    }
}

macro_rules! infallible {
    ($($t:ty)*) => {$(
        impl KernelResult for $t {
            type Values = $t;
            #[inline(always)]
            fn into_result(self) -> Result<$t> {
                Ok(self)
            }
        }
    )*};
}
infallible!(() i64 f64 bool Tensor Scalar String Str Value Device Complex64 Vec<i64> Vec<f64> Vec<bool> Vec<Tensor> Vec<String> Vec<Str> (Str, Str, Str) Option<i64> Option<Tensor>);

macro_rules! typed {
    ($($p:ident)*) => {
        impl<'a, Func, Out, $($p),*> Typed<'a, ($($p,)*)> for Func
        where
            Func: Fn($($p),*) -> Out,
            Out: KernelResult,
            $($p: FromCall<'a>,)*
        {
            type Output = Out::Values;
            #[inline(always)]
            #[allow(non_snake_case, unused_mut, unused_variables)]
            fn run(&self, call: &'a Call<'_>) -> Result<Out::Values> {
                let mut index = 0usize;
                $(let $p = $p::from_call(call, &mut index)?;)*
                self($($p),*).into_result()
            }
        }
    };
}
macro_rules! typed_all {
    ($first:ident $($rest:ident)*) => {
        typed!($first $($rest)*);
        typed_all!($($rest)*);
    };
    () => { typed!(); };
}
typed_all!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22 A23 A24);

/// A typed function that can be the quick form of a kernel. Implemented for functions of up to four parameters.
pub trait QuickTyped<'a, Parameters> {
    /// Reads the parameters and runs the function.
    fn run(&self, inputs: &[&'a Value], result: &mut Value) -> Result<()>;
}

macro_rules! quick_typed {
    ($($p:ident $input:ident),*) => {
        impl<'a, Func, Out, $($p),*> QuickTyped<'a, ($($p,)*)> for Func
        where
            Func: Fn($($p),*) -> Out,
            Out: KernelResult,
            Out::Values: Into<Value>,
            $($p: ValueKind<'a>,)*
        {
            #[inline(always)]
            fn run(&self, inputs: &[&'a Value], result: &mut Value) -> Result<()> {
                let [$($input),*] = *inputs else {
                    return Err(other_count(inputs.len()));
                };
                *result = self($($p::from_value($input)?),*).into_result()?.into();
                Ok(())
            }
        }
    };
}
quick_typed!(A a);
quick_typed!(A a, B b);
quick_typed!(A a, B b, C c);
quick_typed!(A a, B b, C c, D d);

#[cold]
fn other_count(count: usize) -> Fault {
    Fault::internal(format!("operator called with {count} arguments"))
}

/// A typed function as a [`Quick`](crate::Quick) kernel.
#[macro_export]
macro_rules! quick {
    ($function:expr) => {{
        fn quick(inputs: &[&$crate::Value], result: &mut $crate::Value) -> $crate::Result<bool> {
            $crate::QuickTyped::run(&$function, inputs, result)?;
            Ok(true)
        }
        quick
    }};
}

/// As [`op!`], for a function that is also the quick form of its kernel.
#[macro_export]
macro_rules! quick_op {
    ($schema:literal, $function:expr) => {
        $crate::op!($schema, $function).quick($crate::quick!($function))
    };
}

/// As [`quick_op!`], for a function that has an effect and no result: `quick_effect!("…", reverse, |list: Sequence<'_>|)`.
#[macro_export]
macro_rules! quick_effect {
    ($schema:literal, $function:ident, |$($p:ident: $t:ty),*|) => {
        $crate::op!($schema, $function).quick($crate::quick!(
            |$($p: $t),*| -> $crate::Result<$crate::Value> {
                $crate::KernelResult::into_result($function($($p),*))?;
                Ok($crate::Value::None)
            }
        ))
    };
}

/// A typed function as a boxed [`Kernel`](crate::Kernel): `boxed!(add_tensor)`.
#[macro_export]
macro_rules! boxed {
    ($function:expr) => {{
        fn kernel(call: &mut $crate::Call<'_>) -> $crate::Result<()> {
            let results = $crate::Typed::run(&$function, &*call)?;
            call.finish(results)
        }
        kernel
    }};
}

/// Several parameters of a schema as one: a struct whose fields are read from a call in their order, for kernels that would
/// have more parameters than anybody can keep apart.
///
/// ```text
/// arguments! {
///     /// How a window moves.
///     pub struct Window<'a> { stride: Option<&'a [i64]>, padding: i64 }
/// }
/// ```
#[macro_export]
macro_rules! arguments {
    (
        $(#[$meta:meta])* $vis:vis struct $name:ident $(<$life:lifetime>)? {
            $($(#[$of_field:meta])* $field_vis:vis $field:ident: $ty:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $name $(<$life>)? {
            $($(#[$of_field])* $field_vis $field: $ty),*
        }
        $crate::arguments! { @read $name [$($life)?] $($field: $ty),* }
    };
    (@read $name:ident [$life:lifetime] $($field:ident: $ty:ty),*) => {
        impl<$life> $crate::FromCall<$life> for $name<$life> {
            #[inline(always)]
            fn from_call(call: &$life $crate::Call<'_>, index: &mut usize) -> $crate::Result<Self> {
                Ok($name {
                    $($field: $crate::FromCall::from_call(call, index)?),*
                })
            }
        }
    };
    (@read $name:ident [] $($field:ident: $ty:ty),*) => {
        impl<'a> $crate::FromCall<'a> for $name {
            #[inline(always)]
            fn from_call(call: &'a $crate::Call<'_>, index: &mut usize) -> $crate::Result<Self> {
                Ok($name {
                    $($field: $crate::FromCall::from_call(call, index)?),*
                })
            }
        }
    };
}

/// A row of the operator table: `op!("aten::add.Tensor(...) -> Tensor", add_tensor)`. Chain `.effect(..)`,
/// `.quantized(..)`, `.scalar(..)` and `.elements_are(..)` for the other columns.
#[macro_export]
macro_rules! op {
    ($schema:literal, $function:expr) => {
        $crate::Operator::new($schema, $crate::boxed!($function))
    };
}

/// The rows of a family: `operators! { pub static ROWS = [op!(..), op!(..).effect(..)]; }`.
#[macro_export]
macro_rules! operators {
    ($(#[$meta:meta])* $vis:vis static $name:ident = [$($row:expr),* $(,)?];) => {
        $(#[$meta])*
        $vis static $name: &[$crate::Operator] = {
            static TABLE: [$crate::Operator; [$(stringify!($row)),*].len()] = [$($row),*];
            &TABLE
        };
    };
}
