//! `bytecode.pkl` as data: functions with their instructions, operators, constants, types and schema.

use rushlight_types::Value;

type Read<T> = Result<T, String>;

macro_rules! instructions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal $number:literal,)*) => {
        /// What an instruction does. Operands stand on a stack; X and N are the numbers beside the name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Op {
            $($(#[$doc])* $variant,)*
        }

        /// Each by name, and by the number that flatbuffers have for it; below 0 where there is none.
        const NAMES: &[(&str, i16, Op)] = &[$(($name, $number, Op::$variant),)*];
    };
}

instructions! {
    /// Calls operator X.
    Operator = "OP" 0,
    /// Calls operator X on N operands.
    OperatorOf = "OPN" 1,
    /// Pushes register X.
    Load = "LOAD" 2,
    /// Pushes register X, which is not read again.
    Move = "MOVE" 3,
    /// Pops into register X.
    Store = "STORE" 5,
    /// Pops N values into the registers from X on.
    StoreAll = "STOREN" 4,
    /// Pops a value.
    Drop = "DROP" 6,
    /// Empties register X.
    Forget = "DROPR" 7,
    /// Pushes constant X.
    Constant = "LOADC" 8,
    /// Pops a condition; goes X on unless it holds.
    JumpUnless = "JF" 9,
    /// Goes X on.
    Jump = "JMP" 10,
    /// Begins an iteration, or goes X on; N + 1 values on the stack belong to the loop.
    Loop = "LOOP" 11,
    /// Returns.
    Return = "RET" 12,
    /// Replaces an object by its attribute X.
    GetAttr = "GET_ATTR" 21,
    /// Pops a value and an object: sets attribute X.
    SetAttr = "SET_ATTR" 22,
    /// Makes a list of type X of N values.
    List = "LIST_CONSTRUCT" 26,
    /// Pushes the X elements of a list.
    ListUnpack = "LIST_UNPACK" 23,
    /// Makes a tuple of X values.
    Tuple = "TUPLE_CONSTRUCT" 24,
    /// Makes a NamedTuple of type X of N values.
    NamedTuple = "NAMED_TUPLE_CONSTRUCT" 25,
    /// Takes N elements of a tuple, from X on.
    TupleSlice = "TUPLE_SLICE" 30,
    /// Pops a number and a tuple: pushes that element.
    TupleIndex = "TUPLE_INDEX" 31,
    /// Makes a dict of type X of N keys and values.
    Dict = "DICT_CONSTRUCT" 27,
    /// Pops a key and a dict: pushes the value.
    DictIndex = "DICT_INDEX" 33,
    /// Makes an object of class X.
    Create = "CREATE_OBJECT" 28,
    /// Whether a value is of one of the N types from X on.
    IsInstance = "ISINSTANCE" 29,
    /// Calls the method that constant X names, with N values.
    CallMethod = "INTERFACE_CALL" 20,
    /// Pops what `warnings.warn` takes.
    Warn = "WARN" 47,
    /// Pops a class and a message.
    Raise = "RAISE_EXCEPTION" 32,
    /// `in`.
    Contains = "__CONTAINS__" -1,
    Is = "__IS__" 35,
    IsNot = "__ISNOT__" 37,
    /// Fills the places of a text with X - 1 values.
    Format = "FORMAT" 38,
    Not = "__NOT__" 42,
    Device = "DEVICE" 39,
    DType = "DTYPE" 40,
    Dim = "DIM" 41,
    IsCuda = "IS_CUDA" 45,
    /// Leaves the value as it is.
    Cast = "UNCHECKED_CAST" 34,
    /// Pushes a value that is never looked at.
    Uninitialized = "UN_INITIALIZED" 36,
    /// `tensor.tolist()`.
    ToList = "TO_LIST" 43,
    NumToTensor = "NUM_TO_TENSOR" 44,
}

/// Instructions of the full interpreter, which PyTorch does not write for the mobile one; by number.
const OTHERS: &[(u8, &str)] = &[
    (13, "WAIT"),
    (14, "CALL"),
    (15, "GUARD"),
    (16, "TYPECHECK"),
    (17, "FAIL_GUARD"),
    (18, "PROFILE_OP"),
    (19, "TAIL_CALL"),
    (46, "FORK"),
    (48, "ENTER"),
    (49, "EXIT"),
    (50, "AWAITABLE"),
];

impl Op {
    fn of_name(name: &str) -> Read<Op> {
        let row = NAMES.iter().find(|row| row.0 == name);
        row.map(|row| row.2)
            .ok_or_else(|| format!("the instruction {name} is not supported"))
    }

    pub fn of_number(number: u8) -> Read<Op> {
        let row = NAMES.iter().find(|row| row.1 == i16::from(number));
        row.map(|row| row.2).ok_or_else(|| {
            let other = OTHERS.iter().find(|row| row.0 == number);
            match other {
                Some((_, name)) => format!("the instruction {name} is not supported"),
                None => format!("there is no instruction {number}"),
            }
        })
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub op: Op,
    pub x: i64,
    pub n: i64,
}

/// An operator that a function calls.
pub(super) struct Called {
    /// `aten::add.Tensor`.
    pub name: String,
    /// How many arguments the code gives; the others have their defaults. Absent before version 6.
    pub given: Option<usize>,
}

impl Called {
    pub fn new(name: &str, overload: &str, given: Option<usize>) -> Called {
        let name = match overload.is_empty() {
            true => name.to_string(),
            false => format!("{name}.{overload}"),
        };
        Called { name, given }
    }
}

/// A parameter.
pub(super) struct Parameter {
    pub name: String,
    pub ty: String,
    pub default: Option<Value>,
}

impl Parameter {
    /// A parameter with what stands for its default.
    pub fn new(name: &str, ty: &str, default: Option<Value>) -> Parameter {
        Parameter {
            name: name.into(),
            ty: ty.into(),
            default: match default {
                // There is no other word for "no default".
                Some(Value::None) if !ty.starts_with("Optional[") => None,
                other => other,
            },
        }
    }
}

/// The types of a function; absent before version 5.
pub(super) struct Signature {
    pub parameters: Vec<Parameter>,
    /// The type of the result.
    pub returns: Option<String>,
}

/// One function.
pub(super) struct Routine {
    /// The qualified name.
    pub name: String,
    pub instructions: Vec<Instruction>,
    pub operators: Vec<Called>,
    pub constants: Vec<Value>,
    pub types: Vec<String>,
    pub signature: Option<Signature>,
}

/// Reads the whole of it: a version, then functions.
pub(super) fn read(value: &Value) -> Read<Vec<Routine>> {
    items(value, "the bytecode")?
        .iter()
        .filter(|item| !matches!(item, Value::Int(_)))
        .map(routine)
        .collect()
}

fn routine(value: &Value) -> Read<Routine> {
    let parts = items(value, "a function")?;
    let [name, body, rest @ ..] = parts.as_slice() else {
        return Err("a function without name and body".into());
    };
    let name = text(name, "the name of a function")?;
    let within = |problem: String| format!("{name}: {problem}");
    let list = |key: &str| -> Read<Vec<Value>> {
        match field(body, key)? {
            Some(value) => items(&value, key),
            None => Ok(Vec::new()),
        }
    };
    let read = || -> Read<Routine> {
        Ok(Routine {
            name: name.clone(),
            instructions: each(&list("instructions")?, instruction)?,
            operators: each(&list("operators")?, operator)?,
            constants: list("constants")?,
            types: each(&list("types")?, |v| text(v, "a type"))?,
            signature: rest.first().map(signature).transpose()?,
        })
    };
    read().map_err(within)
}

fn instruction(value: &Value) -> Read<Instruction> {
    let parts = items(value, "an instruction")?;
    let (Some(name), numbers) = (parts.first(), &parts[1.min(parts.len())..]) else {
        return Err("an empty instruction".into());
    };
    let name = text(name, "an instruction")?;
    let op = Op::of_name(&name)?;
    let number = |i: usize| match numbers.get(i) {
        Some(Value::Int(number)) if i32::try_from(*number).is_ok() => Ok(*number),
        None => Ok(0),
        Some(_) => Err(format!("{name} takes small numbers")),
    };
    Ok(Instruction {
        op,
        x: number(0)?,
        n: number(1)?,
    })
}

fn operator(value: &Value) -> Read<Called> {
    let parts = items(value, "an operator")?;
    let [name, overload, rest @ ..] = parts.as_slice() else {
        return Err("an operator without name and overload".into());
    };
    let (name, overload) = (text(name, "an operator")?, text(overload, "an overload")?);
    let given = match rest.first() {
        Some(Value::Int(given)) => usize::try_from(*given).ok(),
        _ => None,
    };
    Ok(Called::new(&name, &overload, given))
}

fn signature(value: &Value) -> Read<Signature> {
    let list = |key: &str| -> Read<Vec<Value>> {
        field(value, key)?.map_or(Ok(Vec::new()), |v| items(&v, key))
    };
    let parameters = each(&list("arguments")?, |argument| {
        let ty = field(argument, "type")?.unwrap_or_default();
        let name = field(argument, "name")?.unwrap_or_default();
        Ok(Parameter::new(
            &text(&name, "the name of a parameter")?,
            &text(&ty, "the type of a parameter")?,
            field(argument, "default_value")?,
        ))
    })?;
    let returns = match list("returns")?.first() {
        Some(first) => field(first, "type")?
            .map(|ty| text(&ty, "the type of a result"))
            .transpose()?,
        None => None,
    };
    Ok(Signature {
        parameters,
        returns,
    })
}

/// The value under a key in a tuple of pairs.
fn field(pairs: &Value, key: &str) -> Read<Option<Value>> {
    for pair in items(pairs, "a table")? {
        let pair = items(&pair, "an entry of a table")?;
        if let [Value::Str(name), value] = pair.as_slice()
            && name == key
        {
            return Ok(Some(value.clone()));
        }
    }
    Ok(None)
}

fn each<T>(values: &[Value], read: impl Fn(&Value) -> Read<T>) -> Read<Vec<T>> {
    values.iter().map(read).collect()
}

fn items(value: &Value, what: &str) -> Read<Vec<Value>> {
    match value {
        Value::Tuple(tuple) => Ok(tuple.items.to_vec()),
        other if other.is_list() => other.list_items().map_err(|e| e.message().to_string()),
        _ => Err(format!("{what} is no tuple")),
    }
}

fn text(value: &Value, what: &str) -> Read<String> {
    match value {
        Value::Str(text) => Ok(text.to_string()),
        _ => Err(format!("{what} is no string")),
    }
}
