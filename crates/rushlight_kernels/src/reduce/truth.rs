//! Whether all or any elements are true.

use super::fold::Fold;
use rushlight_tensor::Bool8;

/// Whether all (`ALL`) or any of the elements are true.
pub struct Truth<const ALL: bool>;

impl<const ALL: bool> Fold for Truth<ALL> {
    type In = Bool8;
    type Acc = bool;
    fn start(&self) -> bool {
        ALL
    }
    #[inline(always)]
    fn run(&self, acc: bool, run: &[Bool8]) -> bool {
        if ALL {
            acc && run.iter().all(|x| x.get())
        } else {
            acc || run.iter().any(|x| x.get())
        }
    }
    #[inline(always)]
    fn rows(&self, acc: &mut [bool], rows: &[Bool8]) {
        for row in rows.chunks_exact(acc.len()) {
            for (a, x) in acc.iter_mut().zip(row) {
                *a = if ALL { *a & x.get() } else { *a | x.get() };
            }
        }
    }
}
