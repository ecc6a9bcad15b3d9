//! Mobile modules as flatbuffers (`.ptl`, `.ff`; `PTMF` stands at byte 4).
//!
//! Such a file is a list of values, each of which may refer to earlier ones: attributes, objects, functions as bytecode. Beside it
//! lie the bytes of tensors, extra files, and mostly the source code. All of that is what a zip archive holds in
//! another dress, so that it is read as one: texts and tensors become records (in place, without a copy), values the trees that
//! pickles would be, and functions the same routines as those of `bytecode.pkl`.

mod functions;
mod table;
mod values;

use super::program::Routine;
use crate::LoadError;
use crate::bytes::Bytes;
use crate::pickle::{NodeId, Pickle, PickleLimits, TreeBuilder};
use crate::zip::Archive;
use rushlight_types::Value;
use std::ops::Range;
use std::rc::Rc;
use table::{Buffer, Read, Table};
use values::Values;

/// Fields of the table that the file is, by number.
mod field {
    pub const EXTRA_FILES: usize = 1;
    pub const METHODS: usize = 2;
    pub const STATE: usize = 3;
    pub const VALUES: usize = 4;
    pub const STORAGES: usize = 6;
    pub const OBJECT_TYPES: usize = 7;
    pub const SOURCES: usize = 8;
    pub const CONSTANTS: usize = 9;
    pub const OPERATOR_VERSION: usize = 10;
}

/// A file that has been read, except for its functions.
pub(crate) struct FlatFile {
    bytes: Bytes,
    /// Source code, extra files and the bytes of tensors.
    pub archive: Rc<Archive>,
    /// The version of the operators.
    pub version: u64,
    /// The module.
    pub data: Pickle,
    /// What the source code calls `CONSTANTS`.
    pub constants: Pickle,
    /// The node of each value.
    nodes: Vec<NodeId>,
    /// The constants of functions.
    pub program: Pickle,
}

/// An error of such a file.
pub(super) fn wrong(message: String) -> LoadError {
    LoadError::Pickle {
        record: "the flatbuffer".into(),
        message,
    }
}

impl FlatFile {
    /// Reads everything but functions.
    pub fn open(bytes: &Bytes, limits: &PickleLimits) -> Result<FlatFile, LoadError> {
        FlatFile::read(bytes, limits).map_err(wrong)
    }

    fn read(bytes: &Bytes, limits: &PickleLimits) -> Read<FlatFile> {
        let buffer = Buffer::new(bytes);
        let file = buffer.root()?;
        let archive = Archive::of_parts(bytes, parts(&file)?);
        let mut builder = TreeBuilder::new(limits);
        let values = Values::read(
            &mut builder,
            &file.tables(field::OBJECT_TYPES)?,
            &file.tables(field::VALUES)?,
        )?;
        let indices = file.numbers::<u32>(field::CONSTANTS)?;
        let constants = values.nodes_of(&indices)?;
        let state = values.node(file.index(field::STATE)?)?;
        let trees = |mut builder: TreeBuilder<'_>| {
            let constants = builder.tuple(&constants)?;
            let program = builder.tuple(&values.nodes)?;
            Ok((
                builder.tree(state)?,
                builder.tree(constants)?,
                builder.tree(program)?,
            ))
        };
        let (data, constants, program) = trees(builder).map_err(values::beyond)?;
        Ok(FlatFile {
            archive: Rc::new(archive),
            version: u64::from(file.number::<u32>(field::OPERATOR_VERSION, 0)?),
            data,
            constants,
            program,
            nodes: values.nodes,
            bytes: bytes.clone(),
        })
    }

    /// Whether there is source code, which says more than bytecode.
    pub fn has_code(&self) -> bool {
        self.archive.names().any(|name| name.starts_with("code/"))
    }

    /// The functions; `value` makes the value of a node of [`FlatFile::program`].
    pub(super) fn routines(
        &self,
        value: &mut dyn FnMut(NodeId) -> Read<Value>,
    ) -> Read<Vec<Routine>> {
        let buffer = Buffer::new(&self.bytes);
        let file = buffer.root()?;
        let values = file.tables(field::VALUES)?;
        let mut value = |index: usize| match self.nodes.get(index) {
            Some(&node) => value(node),
            None => Err(format!("there is no value {index}")),
        };
        let mut routines = Vec::new();
        for index in file.numbers::<u32>(field::METHODS)? {
            let found = values.get(index as usize);
            let function = found.map(values::function).transpose()?.flatten();
            let function = function
                .ok_or_else(|| format!("a method is value {index}, which is no function"))?;
            routines.push(functions::routine(&function, &mut value)?);
        }
        Ok(routines)
    }
}

/// Where the source code, extra files and bytes of tensors lie, by the names that records have.
fn parts(file: &Table<'_>) -> Read<Vec<(String, Range<usize>)>> {
    let mut parts = Vec::new();
    for source in file.tables(field::SOURCES)? {
        let path = source.text(0)?.replace('.', "/");
        parts.push((format!("code/{path}.py"), source.bytes(1)?));
    }
    for extra in file.tables(field::EXTRA_FILES)? {
        parts.push((format!("extra/{}", extra.text(0)?), extra.bytes(1)?));
    }
    for (number, storage) in file.tables(field::STORAGES)?.iter().enumerate() {
        parts.push((values::storage_record(number), storage.bytes(0)?));
    }
    Ok(parts)
}
