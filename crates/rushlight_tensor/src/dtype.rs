//! Element types and memory formats, with the numbers that graphs and archives use for them.

use std::fmt;

/// The type of a tensor's elements. Discriminants are the reference's `ScalarType` numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum DType {
    U8 = 0,
    I8 = 1,
    I16 = 2,
    I32 = 3,
    I64 = 4,
    F16 = 5,
    F32 = 6,
    F64 = 7,
    C32 = 8,
    C64 = 9,
    C128 = 10,
    Bool = 11,
    /// Quantized numbers; see [`crate::Quantizer`]. Kernels compute with what they stand for, or with [`DType::stored`].
    QI8 = 12,
    QU8 = 13,
    QI32 = 14,
    BF16 = 15,
    /// Floats of eight bits, named for the bits of exponent and mantissa; see [`crate::eight`].
    F8E5M2 = 23,
    F8E4M3FN = 24,
    F8E5M2FNUZ = 25,
    F8E4M3FNUZ = 26,
    U16 = 27,
    U32 = 28,
    U64 = 29,
    F8E8M0FNU = 44,
}

/// dtype, Python name, alternative Python name, name in printed graphs and legacy tensor types, storage class name.
const NAMES: &[(DType, &str, &str, &str)] = &[
    (DType::U8, "uint8", "", "Byte"),
    (DType::I8, "int8", "", "Char"),
    (DType::I16, "int16", "short", "Short"),
    (DType::I32, "int32", "int", "Int"),
    (DType::I64, "int64", "long", "Long"),
    (DType::F16, "float16", "half", "Half"),
    (DType::F32, "float32", "float", "Float"),
    (DType::F64, "float64", "double", "Double"),
    (DType::C32, "complex32", "chalf", "ComplexHalf"),
    (DType::C64, "complex64", "cfloat", "ComplexFloat"),
    (DType::C128, "complex128", "cdouble", "ComplexDouble"),
    (DType::Bool, "bool", "", "Bool"),
    (DType::QI8, "qint8", "", "QInt8"),
    (DType::QU8, "quint8", "", "QUInt8"),
    (DType::QI32, "qint32", "", "QInt32"),
    (DType::BF16, "bfloat16", "", "BFloat16"),
    (DType::U16, "uint16", "", "UInt16"),
    (DType::U32, "uint32", "", "UInt32"),
    (DType::U64, "uint64", "", "UInt64"),
    (DType::F8E5M2, "float8_e5m2", "", "Float8_e5m2"),
    (DType::F8E4M3FN, "float8_e4m3fn", "", "Float8_e4m3fn"),
    (DType::F8E5M2FNUZ, "float8_e5m2fnuz", "", "Float8_e5m2fnuz"),
    (DType::F8E4M3FNUZ, "float8_e4m3fnuz", "", "Float8_e4m3fnuz"),
    (DType::F8E8M0FNU, "float8_e8m0fnu", "", "Float8_e8m0fnu"),
];

impl DType {
    /// Every dtype that has elements of its own (quantized ones do not), in the order of their numbers.
    pub const ALL: [DType; 21] = [
        DType::U8,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::F16,
        DType::F32,
        DType::F64,
        DType::C32,
        DType::C64,
        DType::C128,
        DType::Bool,
        DType::BF16,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F8E5M2,
        DType::F8E4M3FN,
        DType::F8E5M2FNUZ,
        DType::F8E4M3FNUZ,
        DType::F8E8M0FNU,
    ];

    fn row(self) -> &'static (DType, &'static str, &'static str, &'static str) {
        NAMES
            .iter()
            .find(|row| row.0 == self)
            .expect("every dtype has a row in NAMES")
    }

    /// The number that graphs and archives use.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// The dtype with that number, `None` for numbers of dtypes that are not supported.
    pub fn from_code(code: i64) -> Option<DType> {
        NAMES.iter().map(|row| row.0).find(|d| d.code() == code)
    }

    /// The Python name without `torch.`: `float32`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Looks a Python name up (`float32`, `float`, `long`, ...), without `torch.`.
    pub fn from_name(name: &str) -> Option<DType> {
        NAMES
            .iter()
            .find(|row| row.1 == name || (!row.2.is_empty() && row.2 == name))
            .map(|row| row.0)
    }

    /// The name in printed graphs, error messages and storage classes: `Float`, `Long`.
    pub fn class_name(self) -> &'static str {
        self.row().3
    }

    /// The name of the type of tensors in messages that know the old classes: `torch.FloatTensor`, and `CPUBoolType` for
    /// dtypes that have none.
    pub fn tensor_type_name(self) -> String {
        match self {
            DType::Bool
            | DType::BF16
            | DType::C32
            | DType::C64
            | DType::C128
            | DType::U16
            | DType::U32
            | DType::U64 => {
                format!("CPU{}Type", self.class_name())
            }
            _ => format!("torch.{}Tensor", self.class_name()),
        }
    }

    /// The dtype of a class name (`Float`, `Long`), as printed in graphs and in `FloatStorage`.
    pub fn from_class_name(name: &str) -> Option<DType> {
        NAMES.iter().find(|row| row.3 == name).map(|row| row.0)
    }

    /// The name of the C++ element type in the reference's error messages: `float`, `long int`, `c10::Half`.
    pub fn scalar_name(self) -> &'static str {
        match self {
            DType::U8 => "unsigned char",
            DType::I8 => "signed char",
            DType::I16 => "short int",
            DType::I32 => "int",
            DType::I64 => "long int",
            DType::F16 => "c10::Half",
            DType::F32 => "float",
            DType::F64 => "double",
            DType::C32 => "c10::complex<c10::Half>",
            DType::C64 => "c10::complex<float>",
            DType::C128 => "c10::complex<double>",
            DType::Bool => "bool",
            DType::QI8 => "c10::qint8",
            DType::QU8 => "c10::quint8",
            DType::QI32 => "c10::qint32",
            DType::BF16 => "c10::BFloat16",
            DType::U16 => "uint16_t",
            DType::U32 => "uint32_t",
            DType::U64 => "uint64_t",
            DType::F8E5M2 => "c10::Float8_e5m2",
            DType::F8E4M3FN => "c10::Float8_e4m3fn",
            DType::F8E5M2FNUZ => "c10::Float8_e5m2fnuz",
            DType::F8E4M3FNUZ => "c10::Float8_e4m3fnuz",
            DType::F8E8M0FNU => "c10::Float8_e8m0fnu",
        }
    }

    /// A dtype whose elements are as wide, for what moves them without looking at them.
    pub const fn as_wide(self) -> DType {
        match self.size() {
            1 => DType::U8,
            2 => DType::I16,
            4 => DType::I32,
            8 => DType::I64,
            _ => DType::C128,
        }
    }

    /// Bytes per element.
    pub const fn size(self) -> usize {
        match self {
            DType::U8 | DType::I8 | DType::Bool | DType::QI8 | DType::QU8 => 1,
            DType::F8E5M2 | DType::F8E4M3FN | DType::F8E5M2FNUZ | DType::F8E4M3FNUZ => 1,
            DType::F8E8M0FNU => 1,
            DType::I16 | DType::F16 | DType::BF16 | DType::U16 => 2,
            DType::I32 | DType::F32 | DType::QI32 | DType::C32 | DType::U32 => 4,
            DType::I64 | DType::F64 | DType::C64 | DType::U64 => 8,
            DType::C128 => 16,
        }
    }

    /// Whether this is a real floating point dtype.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F16 | DType::F32 | DType::F64 | DType::BF16) || self.is_eight()
    }

    /// Whether this is a float of eight bits.
    pub const fn is_eight(self) -> bool {
        matches!(self as u8, 23..=26 | 44)
    }

    /// Fails with the kernel's name for floats of eight bits, which nothing computes in.
    pub fn computes(self, kernel: &str) -> crate::Result<()> {
        match self.is_eight() {
            true => Err(crate::Fault::no_kernel(kernel, self)),
            false => Ok(()),
        }
    }

    /// Whether this is an unsigned integer of more than eight bits.
    pub const fn is_wide_unsigned(self) -> bool {
        matches!(self, DType::U16 | DType::U32 | DType::U64)
    }

    /// As [`DType::computes`], for kernels that have no loop for the wide unsigned integers either.
    pub fn computes_in_full(self, kernel: &str) -> crate::Result<()> {
        match self.is_wide_unsigned() {
            true => Err(crate::Fault::no_kernel(kernel, self)),
            false => self.computes(kernel),
        }
    }

    /// Whether this is a complex dtype.
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C32 | DType::C64 | DType::C128)
    }

    /// Whether this is an integral dtype; `bool` counts when `include_bool`.
    pub const fn is_integral(self, include_bool: bool) -> bool {
        match self {
            DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => true,
            DType::U16 | DType::U32 | DType::U64 => true,
            DType::Bool => include_bool,
            _ => false,
        }
    }

    /// Whether values can be negative.
    pub const fn is_signed(self) -> bool {
        !matches!(
            self,
            DType::U8
                | DType::U16
                | DType::U32
                | DType::U64
                | DType::Bool
                | DType::QU8
                | DType::F8E8M0FNU
        )
    }

    /// Whether elements stand for other numbers, by a [`crate::Quantizer`].
    pub const fn is_quantized(self) -> bool {
        matches!(self, DType::QI8 | DType::QU8 | DType::QI32)
    }

    /// The dtype of the integers in memory: that of quantized numbers, else the dtype itself.
    pub const fn stored(self) -> DType {
        match self {
            DType::QI8 => DType::I8,
            DType::QU8 => DType::U8,
            DType::QI32 => DType::I32,
            other => other,
        }
    }

    /// The dtype whose elements are Rust's: as [`DType::stored`], and bytes for floats of eight bits.
    pub const fn held(self) -> DType {
        match self.is_eight() {
            true => DType::U8,
            false => self.stored(),
        }
    }

    /// The dtype of the real and imaginary parts; real dtypes are their own.
    pub const fn to_real(self) -> DType {
        match self {
            DType::C32 => DType::F16,
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The complex dtype whose parts hold this dtype.
    pub const fn to_complex(self) -> DType {
        match self {
            DType::F64 | DType::C128 => DType::C128,
            DType::F16 | DType::C32 => DType::C32,
            _ => DType::C64,
        }
    }
}

impl fmt::Display for DType {
    /// Prints `torch.float32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "torch.{}", self.name())
    }
}

/// How the dimensions of a result are ordered in memory, with the reference's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum MemoryFormat {
    Contiguous = 0,
    Preserve = 1,
    ChannelsLast = 2,
    ChannelsLast3d = 3,
}

impl MemoryFormat {
    /// The number that graphs and archives use.
    pub fn code(self) -> i64 {
        self as i64
    }

    /// The memory format with that number.
    pub fn from_code(code: i64) -> Option<MemoryFormat> {
        use MemoryFormat::*;
        [Contiguous, Preserve, ChannelsLast, ChannelsLast3d]
            .into_iter()
            .find(|m| m.code() == code)
    }

    /// The Python name without `torch.`: `contiguous_format`.
    pub fn name(self) -> &'static str {
        match self {
            MemoryFormat::Contiguous => "contiguous_format",
            MemoryFormat::Preserve => "preserve_format",
            MemoryFormat::ChannelsLast => "channels_last",
            MemoryFormat::ChannelsLast3d => "channels_last_3d",
        }
    }
}
