//! Elements in and out for programs that hold tensors: what [`Tensor::data`] and its kin take for granted is checked here.

use crate::{Data, Element, Fault, Result, Tensor};

impl Tensor {
    /// The elements in row-major order, borrowed where they lie so. Fails where `T` is not the tensor's dtype, and for
    /// tensors without elements of their own (meta) or whose elements stand for others (quantized).
    ///
    /// ```
    /// use rushlight_tensor::Tensor;
    /// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0], &[3])?;
    /// assert_eq!(&x.try_data::<f32>()?[..], [1.0, 2.0, 3.0]);
    /// assert!(x.try_data::<i64>().is_err());
    /// # Ok::<(), rushlight_tensor::Fault>(())
    /// ```
    pub fn try_data<T: Element>(&self) -> Result<Data<'_, T>> {
        self.check_plain("read")?;
        if self.dtype() != T::DTYPE {
            return Err(Fault::type_error(format!(
                "the tensor has elements of {}, not of {}; `to_dtype` converts it, `try_to_vec` converts while it copies",
                self.dtype(),
                T::DTYPE
            )));
        }
        Ok(self.data::<T>())
    }

    /// The elements in row-major order, converted as [`Tensor::to_dtype`] does. Fails for meta and quantized tensors.
    pub fn try_to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.check_plain("read")?;
        Ok(self.to_vec())
    }

    /// The elements in row-major order into memory of the caller's, converted. Fails unless there is a place for each; makes
    /// no memory for a dense tensor of `T`.
    ///
    /// ```
    /// use rushlight_tensor::Tensor;
    /// let mut out = [0.0f32; 2];
    /// Tensor::from_slice(&[3i64, 4], &[2])?.read_into(&mut out)?;
    /// assert_eq!(out, [3.0, 4.0]);
    /// # Ok::<(), rushlight_tensor::Fault>(())
    /// ```
    pub fn read_into<T: Element>(&self, out: &mut [T]) -> Result<()> {
        self.check_plain("read")?;
        self.check_count(out.len())?;
        if self.dtype() == T::DTYPE {
            out.copy_from_slice(&self.data::<T>());
        } else {
            out.copy_from_slice(&self.to_vec::<T>());
        }
        Ok(())
    }

    /// Overwrites the elements, in row-major order, as a write in place. Fails unless `T` is the tensor's dtype and there is
    /// a value for each element; makes no memory for a dense tensor.
    ///
    /// ```
    /// use rushlight_tensor::{DType, Tensor};
    /// let x = Tensor::zeros(&[2], DType::F32)?;
    /// x.write_from(&[1.0f32, 2.0])?;
    /// assert_eq!(x.to_vec::<f32>(), [1.0, 2.0]);
    /// # Ok::<(), rushlight_tensor::Fault>(())
    /// ```
    pub fn write_from<T: Element>(&self, values: &[T]) -> Result<()> {
        self.check_plain("written")?;
        self.check_inference()?;
        self.check_count(values.len())?;
        if self.dtype() != T::DTYPE {
            return Err(Fault::type_error(format!(
                "the tensor has elements of {}, not of {}",
                self.dtype(),
                T::DTYPE
            )));
        }
        if values.is_empty() {
            return Ok(());
        }
        if self.is_contiguous() && self.marks().is_none() {
            self.cells::<T>().set_row(0, values);
            return Ok(());
        }
        self.copy_from(&Tensor::from_slice(values, self.sizes())?)
    }

    fn check_count(&self, count: usize) -> Result<()> {
        if self.numel() == count {
            return Ok(());
        }
        Err(Fault::value(format!(
            "a tensor of sizes {} has {} elements, not {count}",
            crate::layout::list(self.sizes()),
            self.numel()
        )))
    }

    fn check_plain(&self, what: &str) -> Result<()> {
        if self.is_meta() {
            return Err(Fault::not_implemented(format!(
                "a meta tensor has no elements that could be {what}"
            )));
        }
        if self.quantizer().is_some() {
            return Err(Fault::type_error(format!(
                "the elements of a quantized tensor cannot be {what} as they are; `dequantize` gives what they stand for"
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::{DType, Layout, Tensor};

    #[test]
    fn elements_go_in_and_out_through_views() {
        let x = Tensor::from_slice(&[1i32, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
        let turned = x.transpose(0, 1).unwrap();
        let mut out = [0i32; 6];
        turned.read_into(&mut out).unwrap();
        assert_eq!(out, [1, 4, 2, 5, 3, 6]);
        turned.write_from(&[10i32, 40, 20, 50, 30, 60]).unwrap();
        assert_eq!(x.to_vec::<i32>(), [10, 20, 30, 40, 50, 60]);
        assert_eq!(x.try_to_vec::<f64>().unwrap()[1], 20.0);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let x = Tensor::zeros(&[2], DType::F32).unwrap();
        let told = |fault: crate::Fault| fault.message().to_string();
        assert_eq!(
            told(x.write_from(&[1.0f32]).unwrap_err()),
            "a tensor of sizes [2] has 2 elements, not 1"
        );
        assert!(x.write_from(&[1.0f64, 2.0]).is_err());
        assert!(x.read_into(&mut [0.0f32; 3]).is_err());
        assert!(x.try_data::<f64>().is_err());
        let meta = Tensor::meta(&Layout::contiguous(&[2]), DType::F32).unwrap();
        assert!(meta.try_data::<f32>().is_err());
        assert!(meta.write_from(&[1.0f32, 2.0]).is_err());
    }
}
