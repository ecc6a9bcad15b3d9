//! Mobile archives that hold bytecode and no source: `bytecode.pkl` becomes graphs. Flatbuffers ([`flat`]) hold the same.
//!
//! The bytecode of the mobile interpreter is a graph written down for a stack machine: every `JF` and `LOOP` comes from a
//! block, and every value has a register of its own. [`translate`] reads it back, so that the rest of the
//! program sees what it sees of other archives: it runs, prints, saves and inspects such a module like any other. Types are not
//! written down except those of parameters and of containers; they follow from operators and from what attributes hold, and where two
//! ways give two types, translation begins again with what they have in common.

mod calls;
mod control;
mod flat;
mod program;
mod translate;
mod types;

use crate::LoadError;
use crate::code::Importer;
use crate::module::{Refusal, Unpickler};
use crate::pickle::Pickle;
use program::Routine;
use rushlight_frontend::Problem;
use rushlight_ir::passes::PassRun;
use rushlight_ir::pipeline::Pipeline;
use rushlight_types::{ClassType, Object, Type};
use std::rc::Rc;
use std::sync::Arc;
use translate::Knowledge;
use types::Types;

pub(crate) use flat::FlatFile;

/// The record with the code.
pub(crate) const BYTECODE: &str = "bytecode.pkl";

/// Translations that lead to new types are repeated at most this often.
const MAX_ROUNDS: usize = 40;

/// The code of an archive.
pub(crate) struct Bytecode {
    routines: Vec<Routine>,
    types: Types,
    importer: Rc<Importer>,
}

impl Bytecode {
    /// Reads the code and declares the types of what `data` describes. `program` makes the values in the code, which lie
    /// in `file` or are all there is.
    pub fn read(
        program: &mut Unpickler<'_>,
        file: Option<&FlatFile>,
        data: &Pickle,
        importer: &Rc<Importer>,
    ) -> Result<Bytecode, LoadError> {
        let unit = &importer.compiler().unit;
        types::declare_enums(unit, &[data, program.pickle()]);
        let routines = match file {
            Some(file) => file
                .routines(&mut |node| program.value(node, None).map_err(Refusal::in_words))
                .map_err(flat::wrong)?,
            None => program
                .root()
                .and_then(|program| Ok(program::read(&program)?))
                .map_err(|refusal| refusal.of_record(BYTECODE))?,
        };
        let types = Types::new(importer);
        types.define_named_tuples(&routines)?;
        types::declare_classes(unit, data);
        Ok(Bytecode {
            routines,
            types,
            importer: importer.clone(),
        })
    }

    /// Makes graphs of the functions by which objects restore themselves: these are needed before there are objects.
    pub fn translate_restoring(&self) -> Result<(), LoadError> {
        self.translate_those(|name| name.ends_with(".__setstate__"))
    }

    /// Makes graphs of all functions.
    pub fn translate(&self) -> Result<(), LoadError> {
        self.translate_those(|_| true)
    }

    fn translate_those(&self, wanted: impl Fn(&str) -> bool) -> Result<(), LoadError> {
        let mut knowledge = Knowledge::new(&self.routines, &self.types)?;
        for _ in 0..MAX_ROUNDS {
            knowledge.begin_round();
            let mut first = Ok(());
            let indices = 0..self.routines.len();
            for index in indices.filter(|&index| wanted(&self.routines[index].name)) {
                first = first.and(self.routine(index, &mut knowledge));
            }
            // What looks wrong before the types are known may be right when they are.
            if knowledge.is_settled() {
                return Ok(first?);
            }
        }
        Err(LoadError::Pickle {
            record: BYTECODE.into(),
            message: "the types of its values do not settle".into(),
        })
    }

    /// After the root has been made: what attributes hold says what they are.
    pub fn refine(&self, root: &Arc<Object>) {
        types::refine(root, &self.importer.compiler().unit);
    }

    fn routine(&self, index: usize, knowledge: &mut Knowledge) -> Result<(), Problem> {
        let routine = &self.routines[index];
        let unit = &self.importer.compiler().unit;
        let (mut graph, schema) =
            translate::translate(routine, index, &self.importer, &self.types, knowledge)?;
        // Branches on what is always None would not compile again as source.
        let table = self.importer.compiler().table;
        Pipeline::tidy().run(&mut graph, &mut PassRun::new(table));
        let class = self.class_of(routine);
        let function = match unit.function(&routine.name) {
            Some(known) => known,
            None => unit.declare(&routine.name, class.clone()),
        };
        function.set_schema(schema);
        function.set_graph(graph);
        if let Some(class) = class {
            class.add_method(function.basename(), function.known_schema());
        }
        Ok(())
    }

    /// The class that a function is a method of.
    fn class_of(&self, routine: &Routine) -> Option<Arc<ClassType>> {
        let (path, _) = routine.name.rsplit_once('.')?;
        match self.importer.compiler().unit.ty(path)? {
            Type::Class(class) => Some(class),
            _ => None,
        }
    }
}

impl From<Problem> for LoadError {
    fn from(problem: Problem) -> LoadError {
        LoadError::Code(vec![*problem])
    }
}
