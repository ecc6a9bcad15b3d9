//! Rows of the operator table, derived: one definition gives the new, in-place and `out=` forms of an operator.
//!
//! ```text
//! forms! {
//!     /// Sums and differences of tensors.
//!     pub mod tensor ("self", ", Tensor other" * ", Scalar alpha=1") fresh ".Tensor", in_place ".Tensor", out ".out";
//!     (|cx, form, a, b: &Tensor, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
//!     { "add" => ADD, "sub" => SUB }
//! }
//! ```
//!
//! makes a module `tensor` with the tables `FRESH`, `IN_PLACE` and `OUT`, a row per name in each. The first literal names
//! the first tensor in the schemas, the second is the rest of the parameters, the third (after the star) those that
//! are given by keyword only. A clause that is left out (`in_place`, `out`, or `grad_input`, which is `out` by another name)
//! makes no table. In the body, `a` is the
//! first tensor, `form` where the result goes, `op` the definition. `"relu" => RELU => Numbers` also gives the rule for
//! quantized arguments, `"add" => ADD => [.wraps_numbers()]` other facts of the rows. `tiles [0, 1] [2]` before the names says that
//! the rows are steps of chains of elementwise operators: which arguments are operands and which are the operator's own numbers.

use rushlight_types::Operator;

/// One table: `aten::NAME` and a tail per row, whose kernel has `op` bound to the definition.
macro_rules! table {
    (
        $(#[$meta:meta])* $vis:vis static $rows:ident = $tail:expr;
        $body:tt $tiles:tt
        { $($name:literal => $def:expr $(=> $rule:ident)? $(=> [$($fact:tt)*])?),* $(,)? }
    ) => {
        $(#[$meta])*
        $vis static $rows: &[rushlight_types::Operator] = {
            static TABLE: [rushlight_types::Operator; [$($name),*].len()] =
                [$(table!(@row $name, $tail, $def, $body)
                    .tiled(table!(@tiles $def, $tiles))
                    $(.quantized(rushlight_types::Quantized::$rule))? $($($fact)*)?),*];
            &TABLE
        };
    };
    (
        $(#[$meta:meta])* $vis:vis static $rows:ident = $tail:expr;
        $body:tt $names:tt
    ) => {
        table! { $(#[$meta])* $vis static $rows = $tail; $body [] $names }
    };
    (@tiles $def:expr, []) => { &[] };
    (@tiles $def:expr, [$operands:tt $own:tt]) => { tiles!($def, $operands $own) };
    (@row $name:literal, $tail:expr, $def:expr, (|$($x:ident: $t:ty),* $(,)?| $op:ident => $body:expr)) => {{
        #[allow(clippy::too_many_arguments, reason = "the schema's parameters")]
        fn typed($($x: $t),*) -> rushlight_types::Result<rushlight_tensor::Tensor> {
            let $op = &$def;
            $body
        }
        rushlight_types::Operator::new(concat!("aten::", $name, $tail), rushlight_types::boxed!(typed))
            .sizes_are(rushlight_types::Sizes::Broadcast)
            .refused_as_out()
    }};
}

/// The forms of a step of a chain: `tiles!(ADD, [0, 1] [2])` is `ADD` of the arguments 0 and 1 with the number 2,
/// `tiles!(GELU, [0] [], 1 = "none")` is `GELU` where the argument 1 is that text.
macro_rules! tiles {
    ($($def:expr, $operands:tt $own:tt $(, $at:literal = $text:literal)?);+) => {{
        static FORMS: &[rushlight_types::TileForm] = &[$(rushlight_types::TileForm {
            op: &$def,
            operands: &$operands,
            numbers: &$own,
            texts: &[$(($at, $text))?],
        }),+];
        FORMS
    }};
}

/// The tables of one overload in its three forms; see the module comment.
macro_rules! forms {
    (
        @module [$(#[$meta:meta])* $vis:vis mod $module:ident] ($first:literal, $rest:literal, $star:literal, $keyword:literal)
        $($clause:ident $overload:literal),+; $body:tt $tiles:tt $names:tt
    ) => {
        $(#[$meta])*
        $vis mod $module {
            use super::*;
            $(forms! { @$clause [$overload, $first, $rest, $star, $keyword] $body $tiles $names })+
            forms! { @list $($clause)+ }
        }
    };
    (@fresh [$overload:expr, $first:expr, $rest:expr, $star:expr, $keyword:expr] $body:tt $tiles:tt $names:tt) => {
        forms! { @new concat!($overload, "(Tensor ", $first, $rest, $star, $keyword, ") -> Tensor"); $body $tiles $names }
    };
    (@in_place [$overload:expr, $first:expr, $rest:expr, $star:expr, $keyword:expr] $body:tt $tiles:tt $names:tt) => {
        forms! { @over concat!("_", $overload, "(Tensor(a!) ", $first, $rest, $star, $keyword, ") -> Tensor(a!)"); $body $tiles $names }
    };
    (@out [$overload:expr, $first:expr, $rest:expr, $star:expr, $keyword:expr] $body:tt $tiles:tt $names:tt) => {
        forms! { @given concat!($overload, "(Tensor ", $first, $rest, ", *", $keyword, ", Tensor(a!) out) -> Tensor(a!)"); $body $names }
    };
    (@grad_input [$overload:expr, $first:expr, $rest:expr, $star:expr, $keyword:expr] $body:tt $tiles:tt $names:tt) => {
        forms! { @given concat!($overload, "(Tensor ", $first, $rest, ", *", $keyword, ", Tensor(a!) grad_input) -> Tensor(a!)"); $body $names }
    };
    (@list $($clause:ident)+) => {
        /// The tables of this module.
        pub static TABLES: crate::pointwise::table::Tables = &[$(forms!(@name $clause)),+];
    };
    (@name fresh) => { FRESH };
    (@name in_place) => { IN_PLACE };
    (@name out) => { OUT };
    (@name grad_input) => { OUT };
    (@new $tail:expr; (|$cx:ident, $form:ident, $a:ident $(, $x:ident: $t:ty)*| $op:ident => $body:expr) $tiles:tt $names:tt) => {
        table! {
            /// Into a new tensor.
            pub static FRESH = $tail;
            (|$cx: &rushlight_types::Context, $a: &rushlight_tensor::Tensor $(, $x: $t)*| $op => {
                let $form = rushlight_tensor::iter::ResultForm::Fresh;
                $body
            })
            $tiles
            $names
        }
    };
    (@over $tail:expr; (|$cx:ident, $form:ident, $a:ident $(, $x:ident: $t:ty)*| $op:ident => $body:expr) $tiles:tt $names:tt) => {
        table! {
            /// In place.
            pub static IN_PLACE = $tail;
            (|$cx: &rushlight_types::Context, $a: &rushlight_tensor::Tensor $(, $x: $t)*| $op => {
                let $form = rushlight_tensor::iter::ResultForm::InPlace($a);
                $body
            })
            $tiles
            $names
        }
    };
    (@given $tail:expr; (|$cx:ident, $form:ident, $a:ident $(, $x:ident: $t:ty)*| $op:ident => $body:expr) $names:tt) => {
        table! {
            /// Into a given tensor.
            pub static OUT = $tail;
            (|$cx: &rushlight_types::Context, $a: &rushlight_tensor::Tensor $(, $x: $t)*, given: &rushlight_tensor::Tensor| $op => {
                let $form = rushlight_tensor::iter::ResultForm::Out(given);
                $body
            })
            []
            $names
        }
    };
    (
        $(#[$meta:meta])* $vis:vis mod $module:ident ($first:literal, $rest:literal)
        $($clause:ident $overload:literal),+; $body:tt tiles $operands:tt $own:tt $names:tt
    ) => {
        forms! {
            @module [$(#[$meta])* $vis mod $module] ($first, $rest, "", "")
            $($clause $overload),+; $body [$operands $own] $names
        }
    };
    (
        $(#[$meta:meta])* $vis:vis mod $module:ident ($first:literal, $rest:literal)
        $($clause:ident $overload:literal),+; $body:tt $names:tt
    ) => {
        forms! {
            @module [$(#[$meta])* $vis mod $module] ($first, $rest, "", "")
            $($clause $overload),+; $body [] $names
        }
    };
    (
        $(#[$meta:meta])* $vis:vis mod $module:ident ($first:literal, $rest:literal * $keyword:literal)
        $($clause:ident $overload:literal),+; $body:tt tiles $operands:tt $own:tt $names:tt
    ) => {
        forms! {
            @module [$(#[$meta])* $vis mod $module] ($first, $rest, ", *", $keyword)
            $($clause $overload),+; $body [$operands $own] $names
        }
    };
    (
        $(#[$meta:meta])* $vis:vis mod $module:ident ($first:literal, $rest:literal * $keyword:literal)
        $($clause:ident $overload:literal),+; $body:tt $names:tt
    ) => {
        forms! {
            @module [$(#[$meta])* $vis mod $module] ($first, $rest, ", *", $keyword)
            $($clause $overload),+; $body [] $names
        }
    };
}

/// The forms of an overload whose first operand is a number: new and `out`.
macro_rules! number_forms {
    (
        @module [$(#[$meta:meta])* $vis:vis mod $module:ident] ($first:literal, $rest:literal) $fresh:literal, $out:literal;
        (|$cx:ident, $form:ident, $a:ident, $b:ident| $op:ident => $body:expr) $tiles:tt $names:tt
    ) => {
        $(#[$meta])*
        $vis mod $module {
            use super::*;
            table! {
                /// Into a new tensor.
                pub static FRESH = concat!($fresh, "(Scalar ", $first, $rest, ") -> Tensor");
                (|$cx: &rushlight_types::Context, $a: rushlight_tensor::Scalar, $b: &rushlight_tensor::Tensor| $op => {
                    let $form = rushlight_tensor::iter::ResultForm::Fresh;
                    $body
                })
                $tiles
                $names
            }
            table! {
                /// Into a given tensor.
                pub static OUT = concat!($out, "(Scalar ", $first, $rest, ", *, Tensor(a!) out) -> Tensor(a!)");
                (|$cx: &rushlight_types::Context, $a: rushlight_tensor::Scalar, $b: &rushlight_tensor::Tensor, given: &rushlight_tensor::Tensor| $op => {
                    let $form = rushlight_tensor::iter::ResultForm::Out(given);
                    $body
                })
                []
                $names
            }
            forms! { @list fresh out }
        }
    };
    (
        $(#[$meta:meta])* $vis:vis mod $module:ident ($first:literal, $rest:literal) fresh $fresh:literal, out $out:literal;
        $body:tt tiles $operands:tt $own:tt $names:tt
    ) => {
        number_forms! {
            @module [$(#[$meta])* $vis mod $module] ($first, $rest) $fresh, $out; $body [$operands $own] $names
        }
    };
    (
        $(#[$meta:meta])* $vis:vis mod $module:ident ($first:literal, $rest:literal) fresh $fresh:literal, out $out:literal;
        $body:tt $names:tt
    ) => {
        number_forms! { @module [$(#[$meta])* $vis mod $module] ($first, $rest) $fresh, $out; $body [] $names }
    };
}

/// The tables of one module.
pub type Tables = &'static [&'static [Operator]];

/// How many tables there are in the groups of some files.
pub(super) const fn count(files: &[&[Tables]]) -> usize {
    let (mut n, mut file) = (0, 0);
    while file < files.len() {
        let mut group = 0;
        while group < files[file].len() {
            n += files[file][group].len();
            group += 1;
        }
        file += 1;
    }
    n
}

/// All tables of some files in one list; `N` is their [`count`].
pub(super) const fn flatten<const N: usize>(files: &[&[Tables]]) -> [&'static [Operator]; N] {
    let mut all: [&'static [Operator]; N] = [&[]; N];
    let (mut n, mut file) = (0, 0);
    while file < files.len() {
        let mut group = 0;
        while group < files[file].len() {
            let mut table = 0;
            while table < files[file][group].len() {
                all[n] = files[file][group][table];
                n += 1;
                table += 1;
            }
            group += 1;
        }
        file += 1;
    }
    all
}

pub(super) use {forms, number_forms, table, tiles};
