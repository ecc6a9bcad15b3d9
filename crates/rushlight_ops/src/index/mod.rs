//! Indexing, gathering, scattering, masks.

pub mod advanced;
pub mod along;
pub mod backward;
pub mod flat;
pub mod nonzero;
pub mod slices;
pub mod views;

pub use rushlight_kernels::index::runs;
use rushlight_tensor::iter::has_repeats;
use rushlight_tensor::{Result, Tensor};
use rushlight_types::{Context, Operator, warning};

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    advanced::ROWS,
    along::ROWS,
    slices::ROWS,
    flat::ROWS,
    nonzero::ROWS,
    views::ROWS,
    backward::ROWS,
];

/// Says that a tensor several elements of which are one place should not be written to by indices.
fn warn_of_repeats(cx: &Context, target: &Tensor, operator: &str, such_as: &str) -> Result<()> {
    if !has_repeats(target) {
        return Ok(());
    }
    let message = format!(
        "Use of {operator} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also applies to advanced indexing e.g. {such_as}"
    );
    warning::warn(cx, &message, None)
}
