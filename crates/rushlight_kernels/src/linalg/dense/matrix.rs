//! The dense matrix that the decompositions work on, and batches of them from and to tensors.

use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, Complex64, DType, Dims, Fault, Result, Tensor, watch};
use std::ops::{Index, IndexMut};

/// A complex matrix, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    pub rows: usize,
    pub cols: usize,
    data: Vec<Complex64>,
}

pub const ZERO: Complex64 = Complex64::new(0.0, 0.0);
pub const ONE: Complex64 = Complex64::new(1.0, 0.0);

impl Index<(usize, usize)> for Dense {
    type Output = Complex64;
    #[inline]
    fn index(&self, (i, j): (usize, usize)) -> &Complex64 {
        &self.data[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for Dense {
    #[inline]
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Complex64 {
        &mut self.data[i * self.cols + j]
    }
}

impl Dense {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Dense {
        Dense {
            rows,
            cols,
            data: memory::filled(memory::times([rows, cols]), ZERO),
        }
    }

    /// Ones on the diagonal.
    pub fn identity(n: usize) -> Dense {
        Dense::eye(n, n)
    }

    /// Ones on the diagonal of a matrix of any shape.
    pub fn eye(rows: usize, cols: usize) -> Dense {
        Dense::from_fn(rows, cols, |i, j| if i == j { ONE } else { ZERO })
    }

    /// A matrix by its elements.
    pub fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> Complex64) -> Dense {
        let data = (0..rows.saturating_mul(cols))
            .map(|k| f(k / cols.max(1), k % cols.max(1)))
            .collected();
        Dense { rows, cols, data }
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> &[Complex64] {
        &self.data
    }

    /// The conjugate transpose.
    pub fn adjoint(&self) -> Dense {
        Dense::from_fn(self.cols, self.rows, |i, j| self[(j, i)].conj())
    }

    /// The transpose.
    pub fn transposed(&self) -> Dense {
        Dense::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    /// The product with another matrix.
    pub fn times(&self, other: &Dense) -> Dense {
        let mut out = Dense::zeros(self.rows, other.cols);
        for i in 0..self.rows {
            watch::poll();
            for k in 0..self.cols {
                let factor = self[(i, k)];
                if factor == ZERO {
                    continue;
                }
                for j in 0..other.cols {
                    out[(i, j)] += factor * other[(k, j)];
                }
            }
        }
        out
    }

    /// Every element changed.
    pub fn map(&self, f: impl Fn(Complex64) -> Complex64) -> Dense {
        Dense {
            rows: self.rows,
            cols: self.cols,
            data: self.data.iter().map(|v| f(*v)).collected(),
        }
    }

    /// The sum with a multiple of another matrix.
    pub fn plus(&self, factor: f64, other: &Dense) -> Dense {
        let data = self
            .data
            .iter()
            .zip(&other.data)
            .map(|(a, b)| a + b * factor)
            .collected();
        Dense {
            rows: self.rows,
            cols: self.cols,
            data,
        }
    }

    /// Exchanges two rows.
    pub fn swap_rows(&mut self, a: usize, b: usize) {
        if a != b {
            for j in 0..self.cols {
                self.data.swap(a * self.cols + j, b * self.cols + j);
            }
        }
    }

    /// The largest sum of magnitudes of a column.
    pub fn one_norm(&self) -> f64 {
        (0..self.cols)
            .map(|j| (0..self.rows).map(|i| self[(i, j)].norm()).sum::<f64>())
            .fold(0.0, f64::max)
    }

    /// A matrix of what is not a number.
    pub fn unknown(rows: usize, cols: usize) -> Dense {
        Dense::from_fn(rows, cols, |_, _| Complex64::new(f64::NAN, 0.0))
    }

    /// Whether no element has an imaginary part.
    pub fn is_real(&self) -> bool {
        self.data.iter().all(|c| c.im == 0.0)
    }

    /// Whether an element is not a number.
    pub fn has_nan(&self) -> bool {
        self.data.iter().any(|c| c.re.is_nan() || c.im.is_nan())
    }

    /// Whether all elements are finite.
    pub fn is_finite(&self) -> bool {
        self.data
            .iter()
            .all(|c| c.re.is_finite() && c.im.is_finite())
    }
}

/// The matrices in the last two dimensions of a tensor.
pub struct Batch {
    pub lead: Dims,
    pub matrices: Vec<Dense>,
    pub dtype: DType,
    pub rows: usize,
    pub cols: usize,
}

impl Batch {
    /// Reads the matrices of a floating point or complex tensor of at least two dimensions.
    pub fn read(name: &str, t: &Tensor) -> Result<Batch> {
        if t.rank() < 2 {
            return Err(no_matrix(name, t));
        }
        let lead = Dims::from_slice(&t.sizes()[..t.rank() - 2]);
        Batch::read_expanded(name, t, &lead)
    }

    /// As [`Batch::read`], broadcast to leading sizes.
    pub fn read_expanded(name: &str, t: &Tensor, lead: &[usize]) -> Result<Batch> {
        if !matches!(
            t.dtype(),
            DType::F32 | DType::F64 | DType::C64 | DType::C128
        ) {
            return Err(no_dtype(name, t));
        }
        let (rows, cols) = (t.size(t.rank() - 2), t.size(t.rank() - 1));
        let sizes: Dims = lead.iter().copied().chain([rows, cols]).collect();
        let elements = t.expand_to(&sizes)?.to_vec::<Complex64>();
        let count: usize = lead.iter().product();
        let matrices = (0..count)
            .map(|b| Dense {
                rows,
                cols,
                data: elements[b * rows * cols..(b + 1) * rows * cols].to_vec(),
            })
            .collected();
        Ok(Batch {
            lead: Dims::from_slice(lead),
            matrices,
            dtype: t.dtype(),
            rows,
            cols,
        })
    }

    /// As [`Batch::read`], for square matrices.
    pub fn read_square(name: &str, t: &Tensor) -> Result<Batch> {
        let batch = Batch::read(name, t)?;
        if batch.rows != batch.cols {
            return Err(Fault::runtime(format!(
                "{name}: A must be batches of square matrices, but they are {} by {} matrices",
                batch.rows, batch.cols
            )));
        }
        Ok(batch)
    }

    /// A tensor of matrices of one shape, column-major as LAPACK leaves them.
    pub fn tensor(&self, matrices: &[Dense], rows: usize, cols: usize) -> Result<Tensor> {
        let flipped: Vec<Complex64> = matrices
            .iter()
            .flat_map(|m| m.transposed().data)
            .collected();
        let sizes: Dims = self.lead.iter().copied().chain([cols, rows]).collect();
        Tensor::from_vec(flipped, &sizes)?
            .to_dtype(self.dtype)
            .transpose(-1, -2)
    }

    /// As [`Batch::tensor`], row-major.
    pub fn row_major(&self, matrices: &[Dense], rows: usize, cols: usize) -> Result<Tensor> {
        let elements: Vec<Complex64> = matrices
            .iter()
            .flat_map(|m| m.data.iter().copied())
            .collected();
        let sizes: Dims = self.lead.iter().copied().chain([rows, cols]).collect();
        Ok(Tensor::from_vec(elements, &sizes)?.to_dtype(self.dtype))
    }

    /// A tensor of vectors, one per matrix.
    pub fn vectors(&self, values: Vec<Complex64>, n: usize, dtype: DType) -> Result<Tensor> {
        let sizes: Dims = self.lead.iter().copied().chain([n]).collect();
        Ok(Tensor::from_vec(values, &sizes)?.to_dtype(dtype))
    }

    /// A tensor of numbers, one per matrix.
    pub fn numbers(&self, values: Vec<Complex64>, dtype: DType) -> Result<Tensor> {
        Ok(Tensor::from_vec(values, &self.lead)?.to_dtype(dtype))
    }

    /// A tensor of integers, `n` per matrix.
    pub fn integers(&self, values: Vec<i64>, n: usize) -> Result<Tensor> {
        let sizes: Dims = self.lead.iter().copied().chain([n]).collect();
        Ok(Tensor::from_vec(values, &sizes)?.to_dtype(DType::I32))
    }

    /// A tensor of LAPACK's status numbers, one per matrix.
    pub fn infos(&self, values: &[usize]) -> Result<Tensor> {
        let values: Buffer<i32> = values.iter().map(|v| *v as i32).collect();
        Ok(values.into_tensor(&self.lead))
    }

    /// How messages name a matrix of the batch.
    pub fn place(&self, index: usize) -> String {
        if self.lead.is_empty() {
            String::new()
        } else {
            format!("(Batch element {index}): ")
        }
    }
}

/// Operators whose kernels refuse a dtype, with the name of the kernel.
const REFUSED_BY_KERNEL: &[(&str, &str)] = &[
    ("linalg.eigh", "linalg_eigh_cpu"),
    ("linalg.lu", "lu_cpu"),
    ("torch.lu_factor", "lu_cpu"),
];

/// The refusal of a tensor that has no matrices, in the words of an operator.
pub fn no_matrix(name: &str, t: &Tensor) -> Fault {
    Fault::runtime(match name {
        "linalg.pinv" => return no_dtype(name, t),
        "linalg.lu" | "torch.lu_factor" => format!(
            "{name}: Expected tensor with 2 or more dimensions. Got size: {} instead",
            list(t.sizes())
        ),
        "linalg.cond" => format!("{name}: The input tensor must have at least 2 dimensions."),
        "torch.linalg.matrix_rank" => {
            format!("{name}: The input tensor input must have at least 2 dimensions.")
        }
        _ => format!("{name}: The input tensor A must have at least 2 dimensions."),
    })
}

/// The refusal of matrices of a dtype that nothing is computed in, in the words of an operator.
fn no_dtype(name: &str, t: &Tensor) -> Fault {
    let dtype = t.dtype().class_name();
    let kernel = REFUSED_BY_KERNEL.iter().find(|(own, _)| *own == name);
    match (name, kernel) {
        (_, Some((_, kernel))) => {
            Fault::not_implemented(format!("\"{kernel}\" not implemented for '{dtype}'"))
        }
        ("torch.linalg.matrix_rank" | "torch.linalg.lstsq", _) => {
            Fault::runtime("This function doesn't handle types other than float and double")
        }
        ("linalg.pinv", _) => Fault::runtime(format!(
            "{name}({dtype}{{{}}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
            list(t.sizes())
        )),
        ("linalg.eig" | "linalg.eigvals", _) if t.dtype().is_integral(true) => {
            Fault::runtime(format!("Unknown Complex ScalarType for {dtype}"))
        }
        _ if matches!(t.dtype(), DType::F16 | DType::BF16) => Fault::not_implemented(format!(
            "{name}: Low precision dtypes not supported. Got {dtype}"
        )),
        _ => Fault::not_implemented(format!(
            "{name}: Expected a floating point or complex tensor as input. Got {dtype}"
        )),
    }
}

/// The relative precision of a dtype.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype.to_real() {
        DType::F64 => f64::EPSILON,
        _ => f32::EPSILON as f64,
    }
}

/// The message for sizes that do not fit, with the unknown on the left or not.
pub fn incompatible(name: &str, a: &Tensor, b: &Tensor, left: bool) -> Fault {
    let shape = |t: &Tensor| format!("{}x{}", t.size(t.rank() - 2), t.size(t.rank() - 1));
    Fault::runtime(format!(
        "{name}: Incompatible shapes of A and B for the equation {} = B ({} and {})",
        if left { "AX" } else { "XA" },
        shape(a),
        shape(b)
    ))
}
