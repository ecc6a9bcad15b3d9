//! Expressions.

use std::sync::Arc;

use super::{Ident, Name, Params};
use crate::source::Span;

/// An expression and its place.
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    Name(Name),
    Constant(Constant),
    /// An f-string, its implicitly concatenated neighbours included.
    JoinedStr(Vec<StringPart>),
    /// A t-string (`t"..."`).
    TemplateStr(Vec<StringPart>),
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    /// `a and b and c`: two or more operands of one operator.
    Bool {
        op: BoolOp,
        values: Vec<Expr>,
    },
    /// `a < b <= c`: a first operand and one or more comparisons.
    Compare {
        left: Box<Expr>,
        rest: Vec<(CompareOp, Expr)>,
    },
    Call(Box<Call>),
    Attribute {
        value: Box<Expr>,
        attr: Ident,
    },
    /// `value[index]`; the index is a `Slice`, a `Tuple` of indices and slices, or any expression.
    Subscript {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    /// `lower:upper:step`, only inside a subscript.
    Slice {
        lower: Option<Box<Expr>>,
        upper: Option<Box<Expr>>,
        step: Option<Box<Expr>>,
    },
    List(Vec<Expr>),
    Tuple {
        elements: Vec<Expr>,
        parenthesized: bool,
    },
    Dict(Vec<DictItem>),
    Set(Vec<Expr>),
    ListComp {
        element: Box<Expr>,
        generators: Vec<Comprehension>,
    },
    SetComp {
        element: Box<Expr>,
        generators: Vec<Comprehension>,
    },
    /// `{key: value for ...}`; the key is absent in `{**mapping for ...}`.
    DictComp {
        key: Option<Box<Expr>>,
        value: Box<Expr>,
        generators: Vec<Comprehension>,
    },
    Generator {
        element: Box<Expr>,
        generators: Vec<Comprehension>,
    },
    /// `body if test else orelse`.
    IfExp {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    Lambda(Box<Lambda>),
    Starred(Box<Expr>),
    Await(Box<Expr>),
    Yield(Option<Box<Expr>>),
    YieldFrom(Box<Expr>),
    /// `target := value`.
    NamedExpr {
        target: Box<Expr>,
        value: Box<Expr>,
    },
    /// A place where the parser reported a problem and went on.
    Invalid,
}

impl Expr {
    /// The dotted name that the expression spells, such as `torch.jit.annotate`.
    pub fn dotted_name(&self) -> Option<String> {
        let mut parts = Vec::new();
        let mut expr = self;
        while let ExprKind::Attribute { value, attr } = &expr.kind {
            parts.push(&*attr.name);
            expr = value;
        }
        let ExprKind::Name(root) = &expr.kind else {
            return None;
        };
        parts.push(root);
        parts.reverse();
        Some(parts.join("."))
    }

    /// Name of the node's class in Python's `ast` module.
    pub fn node_name(&self) -> &'static str {
        match &self.kind {
            ExprKind::Name(_) => "Name",
            ExprKind::Constant(_) => "Constant",
            ExprKind::JoinedStr(_) => "JoinedStr",
            ExprKind::TemplateStr(_) => "TemplateStr",
            ExprKind::Binary { .. } => "BinOp",
            ExprKind::Unary { .. } => "UnaryOp",
            ExprKind::Bool { .. } => "BoolOp",
            ExprKind::Compare { .. } => "Compare",
            ExprKind::Call(_) => "Call",
            ExprKind::Attribute { .. } => "Attribute",
            ExprKind::Subscript { .. } => "Subscript",
            ExprKind::Slice { .. } => "Slice",
            ExprKind::List(_) => "List",
            ExprKind::Tuple { .. } => "Tuple",
            ExprKind::Dict(_) => "Dict",
            ExprKind::Set(_) => "Set",
            ExprKind::ListComp { .. } => "ListComp",
            ExprKind::SetComp { .. } => "SetComp",
            ExprKind::DictComp { .. } => "DictComp",
            ExprKind::Generator { .. } => "GeneratorExp",
            ExprKind::IfExp { .. } => "IfExp",
            ExprKind::Lambda(_) => "Lambda",
            ExprKind::Starred(_) => "Starred",
            ExprKind::Await(_) => "Await",
            ExprKind::Yield(_) => "Yield",
            ExprKind::YieldFrom(_) => "YieldFrom",
            ExprKind::NamedExpr { .. } => "NamedExpr",
            ExprKind::Invalid => "Invalid",
        }
    }
}

/// A literal constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    None,
    Bool(bool),
    Int(i64),
    /// An integer literal beyond `i64`, as written but without underscores.
    BigInt(Name),
    Float(f64),
    /// An imaginary literal; the value is its imaginary part.
    Imaginary(f64),
    Str(Name),
    Bytes(Arc<[u8]>),
    Ellipsis,
}

/// A piece of an f-string.
#[derive(Clone, Debug, PartialEq)]
pub enum StringPart {
    Text {
        text: Name,
        span: Span,
    },
    /// `{value!conversion:spec}`.
    Value {
        value: Expr,
        conversion: Option<Conversion>,
        spec: Option<Vec<StringPart>>,
        /// The text that `{value=}` prints before the value, which then shows its `repr` unless told otherwise.
        debug_text: Option<Name>,
        span: Span,
    },
}

/// The conversion after `!` in an f-string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    Str,
    Repr,
    Ascii,
}

/// `func(args, keywords)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub func: Expr,
    /// Positional arguments; `*xs` is a `Starred`.
    pub args: Vec<Expr>,
    pub keywords: Vec<Keyword>,
}

/// `name=value`, or `**value` where the name is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyword {
    pub name: Option<Ident>,
    pub value: Expr,
    pub span: Span,
}

/// `key: value` of a dict display, or `**value` where the key is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct DictItem {
    pub key: Option<Expr>,
    pub value: Expr,
}

/// `for target in iter if condition...` of a comprehension.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    pub target: Expr,
    pub iter: Expr,
    pub conditions: Vec<Expr>,
    pub is_async: bool,
    pub span: Span,
}

/// `lambda params: body`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    pub params: Params,
    pub body: Expr,
}

/// Defines an operator enumeration with its spelling in Python.
macro_rules! operators {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($variant,)* }

        impl $name {
            /// The operator as written in Python.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

operators! {
    /// An arithmetic or bitwise operator of two operands.
    BinaryOp {
        Add = "+", Sub = "-", Mul = "*", MatMul = "@", Div = "/", Mod = "%", Pow = "**", FloorDiv = "//",
        LShift = "<<", RShift = ">>", BitOr = "|", BitXor = "^", BitAnd = "&",
    }
}

operators! {
    /// An operator of one operand.
    UnaryOp { Invert = "~", Not = "not", Plus = "+", Minus = "-", }
}

operators! {
    /// A short-circuiting operator.
    BoolOp { And = "and", Or = "or", }
}

operators! {
    /// A comparison.
    CompareOp {
        Eq = "==", NotEq = "!=", Lt = "<", LtE = "<=", Gt = ">", GtE = ">=",
        Is = "is", IsNot = "is not", In = "in", NotIn = "not in",
    }
}
