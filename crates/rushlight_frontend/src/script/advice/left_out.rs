//! Python that the language leaves out.

/// Python that the language leaves out: how the message calls it, how people do, and what to do instead.
pub const LEFT_OUT: &[(&str, &str, &str)] = &[
    (
        "Await",
        "`await`",
        "start work with `torch.jit.fork` and take its result with `torch.jit.wait`",
    ),
    (
        "Global",
        "global variables",
        "pass the value in, and return the new one",
    ),
    (
        "Lambda",
        "lambdas",
        "define a function and call it by its name",
    ),
    ("Match", "`match`", "write `if` and `elif`"),
    ("NamedExpr", "`:=`", "assign the name on a line of its own"),
    (
        "Set",
        "sets",
        "use a dict whose values do not matter: `{1: True, 2: True}`",
    ),
    (
        "SetComp",
        "sets",
        "use a dict whose values do not matter: `{k: True for k in xs}`",
    ),
    (
        "TypeAlias",
        "`type` statements",
        "assign the type at the top of the file: `Pair = Tuple[int, int]`",
    ),
    (
        "Yield",
        "generators",
        "return a list of what would be yielded",
    ),
    (
        "YieldFrom",
        "generators",
        "return a list of what would be yielded",
    ),
    ("async for loops", "`async for`", "use a plain loop"),
    (
        "async function definitions",
        "async functions",
        "start work with `torch.jit.fork`",
    ),
    (
        "async with statements",
        "`async with`",
        "use a plain `with`",
    ),
    (
        "class definitions",
        "classes inside functions",
        "define the class at the top of the file",
    ),
    (
        "else branches of for loops",
        "`else` behind a loop",
        "set a flag in the loop and look at it behind",
    ),
    (
        "else branches of while loops",
        "`else` behind a loop",
        "set a flag in the loop and look at it behind",
    ),
    (
        "function definitions",
        "functions inside functions",
        "define the function at the top of the file and pass it what it needs",
    ),
    (
        "global variables",
        "global variables",
        "pass the value in, and return the new one",
    ),
    (
        "import statements",
        "imports inside functions",
        "import at the top of the file",
    ),
    (
        "nonlocal variables",
        "nonlocal variables",
        "pass the value in, and return the new one",
    ),
    (
        "try blocks",
        "`try`",
        "scripts raise errors but cannot catch them: look at what could fail before",
    ),
    (
        "annotated assignments without assigned value",
        "declarations without a value",
        "assign a value where the variable is declared",
    ),
];
