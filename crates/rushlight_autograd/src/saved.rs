//! What programs do with the tensors that operators save for gradients: each is given to the innermost function of the
//! thread, which keeps it in its own way and says how to have it again.

use rushlight_tensor::{Result, Tensor};
use std::cell::RefCell;
use std::sync::Arc;

/// Takes a tensor that is saved.
pub type Pack = Arc<dyn Fn(&Tensor) -> Result<Unpack> + Send + Sync>;

/// Gives the tensor again that was saved.
pub type Unpack = Box<dyn Fn() -> Result<Tensor> + Send + Sync>;

thread_local! {
    static PACKS: RefCell<Vec<Pack>> = const { RefCell::new(Vec::new()) };
}

/// What this thread saves from now on goes through a function, until [`pop_pack`].
pub fn push_pack(pack: Pack) {
    PACKS.with_borrow_mut(|packs| packs.push(pack));
}

/// Ends what the last [`push_pack`] of this thread began.
pub fn pop_pack() {
    PACKS.with_borrow_mut(|packs| drop(packs.pop()));
}

/// What the innermost function of the thread makes of a tensor, if there is one. Numbers that stand as tensors are not given.
pub(crate) fn pack(tensor: &Tensor) -> Result<Option<Unpack>> {
    if tensor.is_wrapped_number() {
        return Ok(None);
    }
    let innermost = PACKS.with_borrow(|packs| packs.last().cloned());
    innermost.map(|pack| pack(tensor)).transpose()
}
