//! Batches of matrices from and to tensors, and how operators refuse tensors that are none.

use super::matrix::{Dense, Mat};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, Complex64, DType, Dims, Element, Fault, Result, Tensor};
use std::borrow::{Borrow, Cow};

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
        if is_refused(name, t) {
            return Err(no_dtype(name, t));
        }
        let (rows, cols) = (t.size(t.rank() - 2), t.size(t.rank() - 1));
        let sizes: Dims = lead.iter().copied().chain([rows, cols]).collect();
        let whole = t.expand_to(&sizes)?;
        let count: usize = lead.iter().product();
        let precision = epsilon(t.dtype()) / 2.0;
        let matrices = if t.dtype().is_complex() {
            let all = whole.to_vec::<Complex64>();
            each(all, count, rows, cols)
                .map(|m| Dense::Complex(m.with_precision(precision)))
                .collected()
        } else {
            let all = whole.to_vec::<f64>();
            each(all, count, rows, cols)
                .map(|m| Dense::Real(m.with_precision(precision)))
                .collected()
        };
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
        if let [.., rows, cols] = t.sizes()
            && rows != cols
        {
            return Err(Fault::runtime(format!(
                "{name}: A must be batches of square matrices, but they are {rows} by {cols} matrices"
            )));
        }
        Batch::read(name, t)
    }

    /// A tensor of matrices of one shape, column-major as LAPACK leaves them.
    pub fn tensor<D: Borrow<Dense>>(
        &self,
        matrices: &[D],
        rows: usize,
        cols: usize,
    ) -> Result<Tensor> {
        let sizes: Dims = self.lead.iter().copied().chain([cols, rows]).collect();
        self.of_elements(matrices, &sizes, true)?.transpose(-1, -2)
    }

    /// As [`Batch::tensor`], row-major.
    pub fn row_major<D: Borrow<Dense>>(
        &self,
        matrices: &[D],
        rows: usize,
        cols: usize,
    ) -> Result<Tensor> {
        let sizes: Dims = self.lead.iter().copied().chain([rows, cols]).collect();
        self.of_elements(matrices, &sizes, false)
    }

    fn of_elements<D: Borrow<Dense>>(
        &self,
        matrices: &[D],
        sizes: &[usize],
        transposed: bool,
    ) -> Result<Tensor> {
        let all = matrices.iter().map(Borrow::borrow);
        let tensor = if all.clone().all(|m| matches!(m, Dense::Real(_))) {
            let real = all.filter_map(|m| match m {
                Dense::Real(m) => Some(Cow::Borrowed(m)),
                Dense::Complex(_) => None,
            });
            joined(real, sizes, transposed)?
        } else {
            joined(all.map(Dense::complex), sizes, transposed)?
        };
        Ok(tensor.to_dtype(self.dtype))
    }

    /// A tensor of matrices of their columns, one after the other.
    pub fn columns<T: Element>(&self, all: Vec<T>, rows: usize, cols: usize) -> Result<Tensor> {
        let sizes: Dims = self.lead.iter().copied().chain([cols, rows]).collect();
        let out = Tensor::from_vec(all, &sizes)?.to_dtype(self.dtype);
        out.transpose(-1, -2)
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

/// The matrices of their elements.
fn each<T: Field>(
    all: Vec<T>,
    count: usize,
    rows: usize,
    cols: usize,
) -> Box<dyn Iterator<Item = Mat<T>>> {
    if count == 1 {
        return Box::new(std::iter::once(Mat::new(rows, cols, all)));
    }
    let size = rows * cols;
    Box::new((0..count).map(move |b| {
        let own = &all[b * size..(b + 1) * size];
        Mat::new(rows, cols, memory::copied(own))
    }))
}

/// A tensor of the elements of matrices, one after the other.
fn joined<'a, T: Field>(
    matrices: impl Iterator<Item = Cow<'a, Mat<T>>>,
    sizes: &[usize],
    transposed: bool,
) -> Result<Tensor> {
    let mut all = memory::with_capacity(memory::numel(sizes));
    for m in matrices {
        if transposed && m.rows > 1 && m.cols > 1 {
            all.extend_from_slice(m.transposed().elements());
        } else {
            all.extend_from_slice(m.elements());
        }
    }
    Tensor::from_vec(all, sizes)
}

/// An operator whose kernel refuses dtypes that it has no loop for.
struct Kernel {
    name: &'static str,
    kernel: &'static str,
    /// Whether what is no number with a fraction is refused before the kernel, in the operator's own words.
    checks: bool,
    /// Whether the kernel is asked where there is nothing to compute, too.
    asks_empty: bool,
}

const fn kernel(
    name: &'static str,
    kernel: &'static str,
    checks: bool,
    asks_empty: bool,
) -> Kernel {
    Kernel {
        name,
        kernel,
        checks,
        asks_empty,
    }
}

const KERNELS: &[Kernel] = &[
    kernel("linalg.eigh", "linalg_eigh_cpu", false, false),
    kernel("linalg.lu", "lu_cpu", false, false),
    kernel("torch.lu_factor", "lu_cpu", false, false),
    kernel("linalg.cholesky", "cholesky_cpu", true, false),
    kernel("cholesky_inverse", "cholesky_inverse_out_cpu", false, true),
    kernel("cholesky_solve", "cholesky_solve_cpu", false, true),
    kernel("linalg.det", "lu_cpu", true, false),
    kernel("linalg.solve", "lu_cpu", true, false),
    kernel("linalg.eig", "linalg_eig_out_cpu", true, true),
    kernel("linalg.eigvals", "linalg_eig_out_cpu", true, true),
    kernel("torch.linalg.householder_product", "orgqr_cpu", false, true),
    kernel(
        "torch.linalg.ldl_factor_ex",
        "ldl_factor_kernel_cpu",
        true,
        false,
    ),
    kernel(
        "torch.linalg.ldl_solve",
        "ldl_solve_kernel_cpu",
        true,
        false,
    ),
    kernel("linalg.lu_solve", "linalg.lu_solve_cpu", true, false),
    kernel("linalg.qr", "geqrf_cpu", true, true),
    kernel(
        "linalg.solve_triangular",
        "triangular_solve_cpu",
        false,
        true,
    ),
    kernel("triangular_solve", "triangular_solve_cpu", false, true),
    kernel("linalg.svd", "linalg_svd_cpu", true, false),
    kernel("linalg.polar", "linalg_svd_cpu", true, false),
    kernel("torch.geqrf", "geqrf_cpu", false, true),
    kernel("torch.ormqr", "ormqr_cpu", false, true),
];

/// The kernel that a refusal of a dtype names, if the operator gets as far as to it.
fn refusing(name: &str, dtype: DType) -> Option<&'static Kernel> {
    let own = KERNELS.iter().find(|own| own.name == name)?;
    let is_narrow = matches!(dtype, DType::F16 | DType::BF16);
    (is_narrow || !own.checks).then_some(own)
}

/// Whether an operator refuses matrices for their dtype.
fn is_refused(name: &str, t: &Tensor) -> bool {
    let dtype = t.dtype();
    let computed = matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128);
    let is_empty = || t.numel() == 0;
    let asked = |own: &Kernel| own.asks_empty || !is_empty();
    // Unpacking computes nothing.
    !computed && name != "torch.lu_unpack" && refusing(name, dtype).is_none_or(asked)
}

/// The refusal of a tensor that has no matrices, in the words of an operator.
pub fn no_matrix(name: &str, t: &Tensor) -> Fault {
    Fault::runtime(match name {
        "linalg.pinv" => return no_dtype(name, t),
        "linalg.lu" | "torch.lu_factor" => format!(
            "{name}: Expected tensor with 2 or more dimensions. Got size: {} instead",
            list(t.sizes())
        ),
        "torch.geqrf" => format!("{name}: input must have at least 2 dimensions."),
        "linalg.cond" => format!("{name}: The input tensor must have at least 2 dimensions."),
        "torch.linalg.matrix_rank" => {
            format!("{name}: The input tensor input must have at least 2 dimensions.")
        }
        _ => format!("{name}: The input tensor A must have at least 2 dimensions."),
    })
}

/// The refusal of matrices of a dtype that nothing is computed in, in the words of an operator.
pub fn no_dtype(name: &str, t: &Tensor) -> Fault {
    let dtype = t.dtype().class_name();
    match (name, refusing(name, t.dtype())) {
        (_, Some(own)) => {
            Fault::not_implemented(format!("\"{}\" not implemented for '{dtype}'", own.kernel))
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
        ("linalg.lu_solve", _) => not_computed("torch.linalg.lu_solve", t),
        _ => not_computed(name, t),
    }
}

/// The refusal of a tensor whose numbers have no fractions.
pub fn not_computed(name: &str, t: &Tensor) -> Fault {
    Fault::not_implemented(format!(
        "{name}: Expected a floating point or complex tensor as input. Got {}",
        t.dtype().class_name()
    ))
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
