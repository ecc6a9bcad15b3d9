//! Modules: from an archive to objects, and back.

mod json;
mod load;
mod objects;
mod refusal;
mod retarget;
mod save;
mod states;
mod value;
mod wrap;

pub use load::{LoadOptions, Loaded, load, load_with, records};
pub(crate) use refusal::Refusal;
pub use retarget::{Changes, Target, retarget};
pub use save::{SaveError, SaveOptions, save, save_kept, save_value};
pub use states::{KeptStates, Restore};
pub(crate) use value::Unpickler;
pub use wrap::{forget_module, module_of};
