//! Tensors as text.
use crate::Tensor;
impl Tensor {
    /// The text that a script's `print` and `str` show.
    pub fn script_text(&self) -> String {
        format!("{self:?}")
    }
}
