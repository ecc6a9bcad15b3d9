//! The families of operators that pictures tell apart by colour.

use rushlight::ir::Node;

/// Words in names of operators, and the family that they stand for; the first that is found counts.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "shape",
        &[
            "size",
            "view",
            "reshape",
            "flatten",
            "permute",
            "transpose",
            "squeeze",
            "expand",
            "slice",
            "select",
            "cat",
            "stack",
            "chunk",
            "split",
            "index",
            "gather",
            "contiguous",
            "t",
            "dim",
            "pad",
        ],
    ),
    (
        "weights",
        &[
            "conv",
            "linear",
            "addmm",
            "matmul",
            "bmm",
            "mm",
            "lstm",
            "gru",
            "rnn",
            "embedding",
            "attention",
        ],
    ),
    ("norm", &["norm", "dropout"]),
    (
        "activation",
        &[
            "relu", "sigmoid", "tanh", "gelu", "silu", "softmax", "elu", "hardtanh", "softplus",
        ],
    ),
    (
        "reduce",
        &[
            "pool", "sum", "mean", "max", "min", "argmax", "topk", "sort",
        ],
    ),
    ("call", &["CallMethod", "CallFunction"]),
];

/// The family of an operator, for its colour.
pub fn family(node: &Node) -> &'static str {
    let name = super::fold::short(node.kind.name());
    let is = |word: &&str| match *word {
        "t" | "dim" | "mm" | "max" | "min" | "sum" => name == *word,
        word => name.contains(word),
    };
    let found = FAMILIES.iter().find(|(_, words)| words.iter().any(is));
    found.map_or("other", |(family, _)| family)
}
