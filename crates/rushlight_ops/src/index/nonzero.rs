//! Where elements are not zero: `nonzero`, `nonzero_static`, `argwhere`, `where` with one argument.

use rushlight_kernels::index::nonzero::table;
pub(crate) use rushlight_kernels::index::nonzero::{nonzero_columns, true_places};
use rushlight_tensor::{DType, Dims, Fault, Result, Tensor};
use rushlight_types::{OutDtype, Sizes, op, operators};

operators! {
    /// Indices of non-zero elements.
    pub static ROWS = [
        op!("aten::nonzero(Tensor self) -> Tensor", nonzero).sizes_are(Sizes::ByElements).out("out", crate::out::cast_like).out_dtype(OutDtype::Same("nonzero: Expected out tensor to have scalar type Long but got scalar type{out}")),
        op!("aten::nonzero_numpy(Tensor self) -> Tensor[]", nonzero_numpy).sizes_are(Sizes::ByElements),
        op!("aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor", nonzero_static).out("out", crate::out::cast),
        op!("aten::argwhere(Tensor self) -> Tensor", nonzero).sizes_are(Sizes::ByElements),
        op!("aten::where(Tensor condition) -> Tensor[]", nonzero_numpy),
    ];
}

/// `nonzero`: one row of indices per element, stored column by column.
pub fn nonzero(t: &Tensor) -> Result<Tensor> {
    let columns = nonzero_columns(t)?;
    let count = match columns.first() {
        Some(column) => column.numel(),
        None => true_places(t).len(),
    };
    table(&columns, count)
}

fn nonzero_numpy(t: &Tensor) -> Result<Vec<Tensor>> {
    if t.rank() == 0 {
        return nonzero_columns(&t.reshape_to(&[1])?);
    }
    nonzero_columns(t)
}

/// As `nonzero`, cut or filled to `size` rows.
fn nonzero_static(t: &Tensor, size: i64, fill: i64) -> Result<Tensor> {
    let size = usize::try_from(size)
        .map_err(|_| Fault::runtime("nonzero_static: 'size' must be an non-negative integer"))?;
    let sizes: Dims = smallvec::smallvec![size, t.rank()];
    let out = Tensor::full(&sizes, fill.into(), DType::I64)?;
    let found = nonzero(t)?;
    let rows = found.size(0).min(size);
    out.narrow(0, 0, rows)?
        .copy_from(&found.narrow(0, 0, rows)?)?;
    Ok(out)
}
