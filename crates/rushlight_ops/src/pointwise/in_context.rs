//! Calls of elementwise operators as operators make them: the context says which dtype integers become.

use rushlight_kernels::pointwise::definition::Pointwise;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::{Operand, Result, Scalar, Tensor};
use rushlight_types::Context;

/// What is called in a context.
pub(crate) trait InContext {
    /// Calls the operator: promotes, checks, finds the loop, prepares the destination, runs.
    fn call(
        &self,
        context: &Context,
        form: ResultForm<'_>,
        operands: &[Operand<'_>],
        numbers: &[Scalar],
    ) -> Result<Tensor>;
}

impl InContext for Pointwise {
    #[inline]
    fn call(
        &self,
        context: &Context,
        form: ResultForm<'_>,
        operands: &[Operand<'_>],
        numbers: &[Scalar],
    ) -> Result<Tensor> {
        match form {
            ResultForm::Fresh => {
                if let Some(result) = self.dense(operands, numbers) {
                    return Ok(result);
                }
            }
            ResultForm::InPlace(tensor) => {
                if let Some(Operand::Tensor(first)) = operands.first()
                    && first.is(tensor)
                    && let Some(done) = self.dense_over(operands, numbers)
                {
                    return done.map(|()| tensor.clone());
                }
            }
            ResultForm::Out(_) => {}
        }
        self.call_any(context.default_dtype(), form, operands, numbers)
    }
}
