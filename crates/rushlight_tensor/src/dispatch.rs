//! From a run-time dtype to a kernel written once over element types.
//!
//! `dispatch!(dtype, Real, T => body, else => fallback)` runs `body` with `T` bound to the element type. The sets:
//! `All` (everything; quantized numbers as the integers that are stored, floats of eight bits as bytes), `NotBool`, `Real` (integers and floats), `RealBool`, `Integer`, `IntegerBool`, `Float`,
//! `FloatComplex`, `Complex`; `Whole`, `All` without the 16-bit floats; and `Wide`, one for each width ([`as_wide`](crate::DType::as_wide)). The dtypes that may only be made, moved and converted (`complex32` and the wide unsigned
//! integers) are in `All` alone.

/// Binds `T` to the element type of a dtype. See the module comment for the sets of dtypes.
#[macro_export]
macro_rules! dispatch {
    ($d:expr, All, $T:ident => $body:expr) => {
        $crate::dispatch!(@m $d.held(), $T, $body, unreachable!("every stored dtype is covered"); U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64, C32 $crate::Complex16, C64 $crate::Complex32, C128 $crate::Complex64, Bool $crate::Bool8, U16 u16, U32 u32, U64 u64)
    };
    ($d:expr, Whole, $T:ident => $body:expr) => {
        $crate::dispatch!(@m $d.held(), $T, $body, unreachable!("16-bit floats go by way of f32"); U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F32 f32, F64 f64, C32 $crate::Complex16, C64 $crate::Complex32, C128 $crate::Complex64, Bool $crate::Bool8, U16 u16, U32 u32, U64 u64)
    };
    ($d:expr, Wide, $T:ident => $body:expr) => {
        $crate::dispatch!(@m $d, $T, $body, unreachable!("the dtype stands for those as wide"); U8 u8, I16 i16, I32 i32, I64 i64, C128 $crate::Complex64)
    };
    ($d:expr, NotBool, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64, C64 $crate::Complex32, C128 $crate::Complex64)
    };
    ($d:expr, Real, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64)
    };
    ($d:expr, RealBool, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64, Bool $crate::Bool8)
    };
    ($d:expr, Integer, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; U8 u8, I8 i8, I16 i16, I32 i32, I64 i64)
    };
    ($d:expr, IntegerBool, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, Bool $crate::Bool8)
    };
    ($d:expr, Float, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64)
    };
    ($d:expr, FloatComplex, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; F16 $crate::f16, BF16 $crate::bf16, F32 f32, F64 f64, C64 $crate::Complex32, C128 $crate::Complex64)
    };
    ($d:expr, Complex, $T:ident => $body:expr, else => $e:expr) => {
        $crate::dispatch!(@m $d, $T, $body, $e; C64 $crate::Complex32, C128 $crate::Complex64)
    };
    (@m $d:expr, $T:ident, $body:expr, $e:expr; $($v:ident $t:ty),*) => {
        match $d {
            $($crate::DType::$v => {
                type $T = $t;
                $body
            })*
            #[allow(unreachable_patterns)]
            _ => $e,
        }
    };
}

/// Runs an expression with `$N` as the constant number of bytes that elements have: `by_width!(width, N => copy::<N>(to, from))`.
#[macro_export]
macro_rules! by_width {
    ($width:expr, $N:ident => $body:expr) => {
        $crate::by_width!(@m $width, $N, $body; 1 2 4 8)
    };
    (@m $width:expr, $N:ident, $body:expr; $($n:literal)*) => {
        match $width {
            $($n => {
                const $N: usize = $n;
                $body
            })*
            _ => {
                const $N: usize = 16;
                $body
            }
        }
    };
}
