//! Functions as routines.

use super::table::{Read, Table};
use crate::mobile::program::{Called, Instruction, Op, Parameter, Routine, Signature};
use rushlight_types::Value;

/// The routine of a function; `value` makes a value of the file by its number.
pub fn routine(function: &Table<'_>, value: &mut dyn FnMut(usize) -> Read<Value>) -> Read<Routine> {
    let name = function.text(0)?.to_string();
    let mut read = || -> Read<Routine> {
        let constants = function.numbers::<u32>(3)?;
        let constants = constants.into_iter().map(|index| value(index as usize));
        let constants = constants.collect::<Read<Vec<Value>>>()?;
        let operators = function.tables(2)?;
        let instructions = function.octets(1)?;
        let types = function.texts(4)?.into_iter();
        Ok(Routine {
            name: name.clone(),
            instructions: instructions.iter().map(instruction).collect::<Read<_>>()?,
            operators: operators.iter().map(operator).collect::<Read<_>>()?,
            constants,
            types: types.map(str::to_string).collect(),
            signature: match function.table(6)? {
                Some(schema) => Some(signature(&schema, value)?),
                None => None,
            },
        })
    };
    read().map_err(|problem| format!("{name}: {problem}"))
}

/// A byte for what to do, an empty one, two for N and four for X.
fn instruction(bytes: &[u8; 8]) -> Read<Instruction> {
    let &[op, _, n0, n1, x0, x1, x2, x3] = bytes;
    Ok(Instruction {
        op: Op::of_number(op)?,
        x: i32::from_le_bytes([x0, x1, x2, x3]).into(),
        n: u16::from_le_bytes([n0, n1]).into(),
    })
}

fn operator(table: &Table<'_>) -> Read<Called> {
    let given = table.number::<i32>(2, -1)?;
    Ok(Called::new(
        table.text(0)?,
        table.text(1)?,
        usize::try_from(given).ok(),
    ))
}

fn signature(schema: &Table<'_>, value: &mut dyn FnMut(usize) -> Read<Value>) -> Read<Signature> {
    let mut parameters = Vec::new();
    for argument in schema.tables(0)? {
        let default = value(argument.index(2)?)?;
        parameters.push(Parameter::new(
            argument.text(0)?,
            argument.text(1)?,
            Some(default),
        ));
    }
    let returns = match schema.tables(1)?.first() {
        Some(result) => Some(result.text(1)?.to_string()),
        None => None,
    };
    Ok(Signature {
        parameters,
        returns,
    })
}
