//! `bytecode.pkl` as data: functions with their instructions, operators, constants, types and schema.

use rushlight_types::Value;

type Read<T> = Result<T, String>;

macro_rules! instructions {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What an instruction does. Operands stand on a stack; X and N are the numbers beside the name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Op {
            $($(#[$doc])* $variant,)*
        }

        const NAMES: &[(&str, Op)] = &[$(($name, Op::$variant),)*];
    };
}

instructions! {
    /// Calls operator X.
    Operator = "OP",
    /// Calls operator X on N operands.
    OperatorOf = "OPN",
    /// Pushes register X.
    Load = "LOAD",
    /// Pushes register X, which is not read again.
    Move = "MOVE",
    /// Pops into register X.
    Store = "STORE",
    /// Pops N values into the registers from X on.
    StoreAll = "STOREN",
    /// Pops a value.
    Drop = "DROP",
    /// Empties register X.
    Forget = "DROPR",
    /// Pushes constant X.
    Constant = "LOADC",
    /// Pops a condition; goes X on unless it holds.
    JumpUnless = "JF",
    /// Goes X on.
    Jump = "JMP",
    /// Begins an iteration, or goes X on; N + 1 values on the stack belong to the loop.
    Loop = "LOOP",
    /// Returns.
    Return = "RET",
    /// Replaces an object by its attribute X.
    GetAttr = "GET_ATTR",
    /// Pops a value and an object: sets attribute X.
    SetAttr = "SET_ATTR",
    /// Makes a list of type X of N values.
    List = "LIST_CONSTRUCT",
    /// Pushes the X elements of a list.
    ListUnpack = "LIST_UNPACK",
    /// Makes a tuple of X values.
    Tuple = "TUPLE_CONSTRUCT",
    /// Makes a NamedTuple of type X of N values.
    NamedTuple = "NAMED_TUPLE_CONSTRUCT",
    /// Takes N elements of a tuple, from X on.
    TupleSlice = "TUPLE_SLICE",
    /// Pops a number and a tuple: pushes that element.
    TupleIndex = "TUPLE_INDEX",
    /// Makes a dict of type X of N keys and values.
    Dict = "DICT_CONSTRUCT",
    /// Pops a key and a dict: pushes the value.
    DictIndex = "DICT_INDEX",
    /// Makes an object of class X.
    Create = "CREATE_OBJECT",
    /// Whether a value is of one of the N types from X on.
    IsInstance = "ISINSTANCE",
    /// Calls the method that constant X names, with N values.
    CallMethod = "INTERFACE_CALL",
    /// Pops what `warnings.warn` takes.
    Warn = "WARN",
    /// Pops a class and a message.
    Raise = "RAISE_EXCEPTION",
    /// `in`.
    Contains = "__CONTAINS__",
    Is = "__IS__",
    IsNot = "__ISNOT__",
    /// Fills the places of a text with X - 1 values.
    Format = "FORMAT",
    Not = "__NOT__",
    Device = "DEVICE",
    DType = "DTYPE",
    Dim = "DIM",
    IsCuda = "IS_CUDA",
    /// Leaves the value as it is.
    Cast = "UNCHECKED_CAST",
    /// Pushes a value that is never looked at.
    Uninitialized = "UN_INITIALIZED",
    /// `tensor.tolist()`.
    ToList = "TO_LIST",
    NumToTensor = "NUM_TO_TENSOR",
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

/// A parameter.
pub(super) struct Parameter {
    pub name: String,
    pub ty: String,
    pub default: Option<Value>,
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
    let op = NAMES
        .iter()
        .find(|row| row.0 == name)
        .map(|row| row.1)
        .ok_or_else(|| format!("the instruction {name} is not supported"))?;
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
    Ok(Called {
        name: match overload.is_empty() {
            true => name,
            false => format!("{name}.{overload}"),
        },
        given: match rest.first() {
            Some(Value::Int(given)) => usize::try_from(*given).ok(),
            _ => None,
        },
    })
}

fn signature(value: &Value) -> Read<Signature> {
    let list = |key: &str| -> Read<Vec<Value>> {
        field(value, key)?.map_or(Ok(Vec::new()), |v| items(&v, key))
    };
    let parameters = each(&list("arguments")?, |argument| {
        let ty = field(argument, "type")?.unwrap_or_default();
        let name = field(argument, "name")?.unwrap_or_default();
        let ty = text(&ty, "the type of a parameter")?;
        let default = match field(argument, "default_value")? {
            // There is no other word for "no default".
            Some(Value::None) if !ty.starts_with("Optional[") => None,
            other => other,
        };
        Ok(Parameter {
            name: text(&name, "the name of a parameter")?,
            ty,
            default,
        })
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
            && &**name == key
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
