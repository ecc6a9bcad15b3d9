//! The shared vocabulary: types, schemas, runtime values, operators and the one call path.
//!
//! Everything above this crate speaks in these terms; operators live in `rushlight_lang`, `rushlight_ops` and `rushlight_nn` and are reached
//! through an [`OperatorTable`] that is handed in. There are no bodies of functions here (`rushlight_ir`) and no side effects.

mod alias;
mod call;
mod context;
mod counters;
mod defined;
pub mod determinism;
mod element_op;
mod facts;
mod files;
mod kept;
mod lazy;
mod meta;
pub mod modes;
pub mod native;
mod operator;
mod outs;
mod quantized;
mod remote;
mod scalar_op;
mod schema;
mod schema_text;
mod stand_in;

mod symbol;
pub mod ty;
mod value;
pub mod warning;

pub use alias::AliasInfo;
pub use call::{Call, KernelResult, QuickTyped, Typed};
pub use context::{Context, DEFAULT_SEED, Layer, Limits, WarningSink, shared_generator};
pub use counters::{Aggregation, Counters};
pub use element_op::ElementOp;
pub use facts::{
    Apart, Beside, CallStack, Dispatch, Effect, Elements, Functional, OutDtype, Sizes, TileForm,
};
pub use files::Files;
pub use kept::{Keeper, Parts as KeptParts, keeper, nobody as nobody_keeps, set_keeper};
pub use modes::GradMode;
pub use operator::{
    Callable, GradientRequest, Gradients, Kernel, Observer, Operator, OperatorTable, Quick,
    layer_is_on, without_overload,
};
pub use outs::Deliver;
pub use quantized::Quantized;
pub use remote::{RRef, Remote, Worker};
pub use rushlight_tensor::{ErrorClass, Fault, Result, Trace};
pub use scalar_op::ScalarOp;
pub use schema::{Argument, MOST_REPEATED, Schema};
pub use schema_text::TypeLookup;
pub use symbol::Symbol;
pub use ty::{
    Attribute, AttributeKind, Bindings, ClassType, EnumType, FunctionType, InterfaceType, Method,
    Property, TensorInfo, TupleType, Type, unify, unify_list,
};
pub use value::guarded;
pub use value::{
    AnyDType, Await, Copier, Described, Dict, DictKey, Entries, EnumValue, FromCall, FromValue,
    Future, GenericList, IntoTuple, IntoValues, Key, List, Object, PlainCopies, SharedGenerator,
    Str, Tuple, Value, ValueKind, deep_copy, float_text, general_text, print_str, print_text,
    repr_text, undecodable, with_printed,
};
