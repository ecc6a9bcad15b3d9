//! Arguments of calls.

/// An array of values: the arguments of a call.
///
/// ```
/// let arguments = rushlight::values![1, 2.5, "text", vec![1i64, 2], None::<i64>];
/// let shown = arguments.map(|value| value.to_string());
/// assert_eq!(shown, ["1", "2.5", "text", "[1, 2]", "None"]);
/// ```
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        [$($crate::Value::from($value)),*]
    };
}
