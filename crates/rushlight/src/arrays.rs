//! Tensors and arrays of the `ndarray` crate: views without a copy, arrays handed over without one.

use ndarray::{ArrayBase, ArrayD, ArrayView1, ArrayViewD, DataOwned, Dimension, IxDyn, OwnedRepr};
use rushlight_tensor::{Data, Element, Fault, Tensor};

/// The elements of a tensor as an array: [`Elements::view`] gives the view. Borrowed where they lie row by row, gathered once
/// where they do not.
///
/// ```
/// use ndarray::array;
/// use rushlight::arrays;
/// # fn main() -> rushlight::Result<()> {
/// let x = arrays::tensor(array![[1.0f32, 2.0], [3.0, 4.0]])?;
/// let elements = arrays::elements::<f32>(&x)?;
/// assert_eq!(elements.view().sum(), 10.0);
/// assert_eq!(elements.view()[[1, 0]], 3.0);
/// # Ok(()) }
/// ```
pub struct Elements<'t, T: Element> {
    data: Data<'t, T>,
    sizes: &'t [usize],
}

/// The elements of a tensor. Fails where `T` is not its dtype.
pub fn elements<T: Element>(tensor: &Tensor) -> Result<Elements<'_, T>, Fault> {
    Ok(Elements {
        data: tensor.try_data()?,
        sizes: tensor.sizes(),
    })
}

impl<T: Element> Elements<'_, T> {
    /// The view.
    pub fn view(&self) -> ArrayViewD<'_, T> {
        // The sizes of a tensor multiply to its number of elements; one that is changed meanwhile has no view.
        let view = ArrayViewD::from_shape(IxDyn(self.sizes), &self.data);
        view.unwrap_or_else(|_| ArrayView1::from(&[][..]).into_dyn())
    }
}

/// A copy of the elements of a tensor as an array of its own. Fails where `T` is not its dtype.
pub fn array<T: Element>(tensor: &Tensor) -> Result<ArrayD<T>, Fault> {
    Ok(elements::<T>(tensor)?.view().to_owned())
}

/// A tensor that takes an array over: without a copy where it lies row by row. Arrays that are borrowed are copied first
/// (`to_owned`).
pub fn tensor<T, S, D>(array: ArrayBase<S, D>) -> Result<Tensor, Fault>
where
    T: Element,
    S: DataOwned<Elem = T>,
    D: Dimension,
{
    let array: ArrayBase<OwnedRepr<T>, D> = array.into_owned();
    let sizes = array.shape().to_vec();
    if !array.is_standard_layout() {
        return Tensor::from_vec(array.iter().copied().collect(), &sizes);
    }
    let count = array.len();
    match array.into_raw_vec_and_offset() {
        (values, None | Some(0)) if values.len() == count => Tensor::from_vec(values, &sizes),
        (values, offset) => {
            let first = offset.unwrap_or(0);
            let end = first.saturating_add(count);
            let part = values
                .get(first..end)
                .ok_or_else(|| Fault::internal("an array lies outside its memory"))?;
            Tensor::from_slice(part, &sizes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, s};

    #[test]
    fn arrays_go_in_without_a_copy_and_views_come_out_without_one() {
        let array = Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as f64);
        let at = array.as_ptr();
        let x = tensor(array).unwrap();
        assert_eq!(x.address().cast::<f64>().cast_const(), at);
        let held = elements::<f64>(&x).unwrap();
        assert_eq!(held.view().as_ptr(), at);
        assert_eq!(held.view()[[2, 3]], 23.0);
        assert!(elements::<f32>(&x).is_err());
    }

    #[test]
    fn turned_and_cut_arrays_keep_their_order() {
        let array = Array2::from_shape_fn((3, 4), |(i, j)| (10 * i + j) as i64);
        let turned = tensor(array.clone().reversed_axes()).unwrap();
        assert_eq!(turned.sizes(), [4, 3]);
        assert_eq!(turned.to_vec::<i64>()[..3], [0, 10, 20]);
        let cut = tensor(array.clone().slice_move(s![1.., ..])).unwrap();
        assert_eq!(cut.to_vec::<i64>()[0], 10);
        assert_eq!(
            super::array::<i64>(&turned).unwrap(),
            array.reversed_axes().into_dyn()
        );
        let view = turned.transpose(0, 1).unwrap();
        assert_eq!(elements::<i64>(&view).unwrap().view()[[2, 1]], 21);
    }
}
