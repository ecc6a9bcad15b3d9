//! Views under their usual names, with the reference's checks and messages. No element is touched.

use crate::{Dims, Fault, Layout, Result, Tensor};

/// Turns a dimension that may be negative into an index; `rank` 0 counts as 1, as in the reference.
pub fn wrap_dim(dim: i64, rank: usize) -> Result<usize> {
    let n = rank.max(1) as i64;
    if dim < -n || dim >= n {
        return Err(Fault::index(format!(
            "Dimension out of range (expected to be in range of [{}, {}], but got {dim})",
            -n,
            n - 1
        )));
    }
    Ok(if dim < 0 { dim + n } else { dim } as usize)
}

/// The fault of asking a number for the size of a dimension.
pub fn no_dimensions(dim: i64) -> Fault {
    Fault::index(format!(
        "Dimension specified as {dim} but tensor has no dimensions"
    ))
}

/// Resolves one -1 in `sizes` against an element count.
pub fn infer_sizes(sizes: &[i64], numel: usize) -> Result<Dims> {
    let text = || {
        let items: Vec<String> = sizes.iter().map(i64::to_string).collect();
        format!("[{}]", items.join(", "))
    };
    let invalid = || {
        Fault::runtime(format!(
            "shape '{}' is invalid for input of size {numel}",
            text()
        ))
    };
    let mut hole = None;
    let mut product = 1usize;
    for (i, &size) in sizes.iter().enumerate() {
        if size == -1 {
            if hole.replace(i).is_some() {
                return Err(Fault::runtime("only one dimension can be inferred"));
            }
        } else if size < 0 {
            return Err(Fault::runtime(format!(
                "invalid shape dimension {size} at index {i} of shape {sizes:?}"
            )));
        } else {
            product = product.checked_mul(size as usize).ok_or_else(invalid)?;
        }
    }
    let mut out: Dims = sizes.iter().map(|&s| s.max(0) as usize).collect();
    match hole {
        None if product == numel => Ok(out),
        Some(_) if product == 0 && numel == 0 => Err(Fault::runtime(format!(
            "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be any value and is ambiguous",
            text()
        ))),
        Some(i) if product != 0 && numel.is_multiple_of(product) => {
            out[i] = numel / product;
            Ok(out)
        }
        _ => Err(invalid()),
    }
}

impl Tensor {
    pub(crate) fn derive(&self, layout: Layout) -> Tensor {
        // The layout methods only ever restrict or permute what this tensor already reaches.
        self.view_with(layout)
            .unwrap_or_else(|fault| crate::memory::give_up(fault))
    }

    /// Exchanges two dimensions.
    pub fn transpose(&self, a: i64, b: i64) -> Result<Tensor> {
        let (a, b) = (wrap_dim(a, self.rank())?, wrap_dim(b, self.rank())?);
        Ok(if self.rank() == 0 {
            self.alias()
        } else {
            self.derive(self.layout().transpose(a, b))
        })
    }

    /// Reorders dimensions.
    pub fn permute(&self, order: &[i64]) -> Result<Tensor> {
        if order.len() != self.rank() {
            return Err(Fault::runtime(format!(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
                self.rank(),
                order.len()
            )));
        }
        let mut wrapped = Dims::new();
        for &dim in order {
            let d = wrap_dim(dim, self.rank())?;
            if wrapped.contains(&d) {
                return Err(Fault::runtime("permute(): duplicate dims are not allowed."));
            }
            wrapped.push(d);
        }
        Ok(self.derive(self.layout().permute(&wrapped)))
    }

    /// `start..end` along a dimension; bounds must be within the size.
    pub fn narrow(&self, dim: usize, start: usize, length: usize) -> Result<Tensor> {
        if dim >= self.rank()
            || start
                .checked_add(length)
                .is_none_or(|end| end > self.size(dim))
        {
            return Err(Fault::runtime(format!(
                "start ({start}) + length ({length}) exceeds dimension size"
            )));
        }
        Ok(self.derive(self.layout().slice(dim, start, start + length, 1)))
    }

    /// Python slicing along a dimension: bounds clamp, negative ones count from the end.
    pub fn slice(
        &self,
        dim: i64,
        start: Option<i64>,
        end: Option<i64>,
        step: i64,
    ) -> Result<Tensor> {
        if self.rank() == 0 {
            return Err(Fault::index("slice() cannot be applied to a 0-dim tensor."));
        }
        if step <= 0 {
            return Err(Fault::runtime("slice step must be positive"));
        }
        let dim = wrap_dim(dim, self.rank())?;
        let n = self.size(dim) as i64;
        let clamp = |v: i64| if v < 0 { v.saturating_add(n) } else { v }.clamp(0, n);
        let start = clamp(start.unwrap_or(0));
        let end = clamp(end.unwrap_or(i64::MAX)).max(start);
        // A step beyond the end shows in the stride, but for ones that no stride could take.
        let step = step.min(n.max(1 << 20));
        Ok(self.derive(
            self.layout()
                .slice(dim, start as usize, end as usize, step as usize),
        ))
    }

    /// One index along a dimension, which disappears.
    pub fn select(&self, dim: i64, index: i64) -> Result<Tensor> {
        if self.rank() == 0 {
            return Err(Fault::index(
                "select() cannot be applied to a 0-dim tensor.",
            ));
        }
        let d = wrap_dim(dim, self.rank())?;
        let n = self.size(d) as i64;
        if index < -n || index >= n {
            return Err(Fault::index(format!(
                "select(): index {index} out of range for tensor of size {} at dimension {d}",
                crate::layout::list(self.sizes())
            )));
        }
        let index = if index < 0 { index + n } else { index } as usize;
        Ok(self.derive(self.layout().select(d, index)))
    }

    /// Inserts a dimension of size 1.
    pub fn unsqueeze(&self, dim: i64) -> Result<Tensor> {
        let d = wrap_dim(dim, self.rank() + 1)?;
        Ok(self.derive(self.layout().unsqueeze(d)))
    }

    /// Broadcasts to `sizes` without copying; -1 keeps a size.
    pub fn expand(&self, sizes: &[i64]) -> Result<Tensor> {
        let text = || {
            let items: Vec<String> = sizes.iter().map(i64::to_string).collect();
            format!("[{}]", items.join(", "))
        };
        let own = self.sizes();
        if sizes.len() < own.len() {
            return Err(Fault::runtime(format!(
                "expand({}{{{}}}, size={}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor ({})",
                self.dtype().tensor_type_name(),
                crate::layout::list(own),
                text(),
                sizes.len(),
                own.len()
            )));
        }
        let lead = sizes.len() - own.len();
        // Dimensions are looked at from the last.
        for (i, &size) in sizes.iter().enumerate().rev() {
            let existing = i.checked_sub(lead).map(|d| own[d]);
            match existing {
                None if size == -1 => {
                    return Err(Fault::runtime(format!(
                        "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {i}"
                    )));
                }
                Some(own_size) if size != -1 && own_size != 1 && own_size as i64 != size => {
                    return Err(Fault::runtime(format!(
                        "The expanded size of the tensor ({size}) must match the existing size ({own_size}) at non-singleton dimension {i}.  Target sizes: {}.  Tensor sizes: {}",
                        text(),
                        crate::layout::list(own)
                    )));
                }
                _ => {}
            }
        }
        let target: Option<Dims> = sizes
            .iter()
            .enumerate()
            .map(|(i, &size)| match size {
                -1 => Some(own[i - lead]),
                size => usize::try_from(size).ok(),
            })
            .collect();
        // So many elements as a negative size makes nobody can count.
        let target =
            target.ok_or_else(|| Fault::runtime("numel: integer multiplication overflow"))?;
        self.expand_to(&target)
    }

    /// Broadcasts to exactly `sizes` without copying.
    pub fn expand_to(&self, sizes: &[usize]) -> Result<Tensor> {
        match self.layout().expand(sizes) {
            Some(layout) => {
                crate::layout::checked_numel(sizes)?;
                Ok(self.derive(layout))
            }
            None => Err(Fault::runtime(format!(
                "The expanded size {} does not match the existing size {}",
                crate::layout::list(sizes),
                crate::layout::list(self.sizes())
            ))),
        }
    }

    /// Other sizes of the same element count as a view; fails where a copy would be needed.
    pub fn view(&self, sizes: &[i64]) -> Result<Tensor> {
        let sizes = infer_sizes(sizes, self.numel())?;
        if let Some(view) = self.row_major_view(&sizes) {
            return Ok(view);
        }
        match self.layout().view(&sizes) {
            Some(layout) => Ok(self.derive(layout)),
            None => Err(Fault::runtime(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
            )),
        }
    }

    /// Other sizes of the same element count: a view where possible, else a copy.
    pub fn reshape(&self, sizes: &[i64]) -> Result<Tensor> {
        let sizes = infer_sizes(sizes, self.numel())?;
        self.reshape_to(&sizes)
    }

    /// As [`Tensor::reshape`], with sizes known to multiply to the element count.
    pub fn reshape_to(&self, sizes: &[usize]) -> Result<Tensor> {
        if crate::layout::checked_numel(sizes)? != self.numel() {
            return Err(Fault::runtime(format!(
                "shape '{}' is invalid for input of size {}",
                crate::layout::list(sizes),
                self.numel()
            )));
        }
        if let Some(view) = self.row_major_view(sizes) {
            return Ok(view);
        }
        match self.layout().view(sizes) {
            Some(layout) => Ok(self.derive(layout)),
            None => {
                let copy = self.contiguous_copy();
                Ok(copy.derive(Layout::contiguous(sizes)))
            }
        }
    }
}
