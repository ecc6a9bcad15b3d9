//! Statements and definitions.

use super::{BinaryOp, Constant, Expr, Name};
use crate::source::Span;

/// A file of source: a list of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    pub body: Vec<Stmt>,
    pub span: Span,
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// A statement and its place.
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    Def(Box<Def>),
    Class(Box<ClassDef>),
    Return(Option<Expr>),
    Delete(Vec<Expr>),
    Assign(Box<Assign>),
    AugAssign {
        target: Expr,
        op: BinaryOp,
        value: Expr,
    },
    AnnAssign {
        target: Expr,
        annotation: Expr,
        value: Option<Expr>,
    },
    For(Box<For>),
    While(Box<While>),
    If(Box<If>),
    With(Box<With>),
    Match {
        subject: Expr,
        cases: Vec<MatchCase>,
    },
    Raise {
        exception: Option<Expr>,
        cause: Option<Expr>,
    },
    Try(Box<Try>),
    Assert {
        test: Expr,
        message: Option<Expr>,
    },
    Import(Vec<Alias>),
    ImportFrom(ImportFrom),
    Global(Vec<Ident>),
    Nonlocal(Vec<Ident>),
    TypeAlias {
        name: Expr,
        type_params: Vec<TypeParam>,
        value: Expr,
    },
    Expr(Expr),
    Pass,
    Break,
    Continue,
    /// A place where the parser reported a problem and went on.
    Invalid,
}

impl Stmt {
    /// Name of the node's class in Python's `ast` module.
    pub fn node_name(&self) -> &'static str {
        match &self.kind {
            StmtKind::Def(def) if def.is_async => "AsyncFunctionDef",
            StmtKind::Def(_) => "FunctionDef",
            StmtKind::Class(_) => "ClassDef",
            StmtKind::Return(_) => "Return",
            StmtKind::Delete(_) => "Delete",
            StmtKind::Assign(_) => "Assign",
            StmtKind::AugAssign { .. } => "AugAssign",
            StmtKind::AnnAssign { .. } => "AnnAssign",
            StmtKind::For(node) if node.is_async => "AsyncFor",
            StmtKind::For(_) => "For",
            StmtKind::While(_) => "While",
            StmtKind::If(_) => "If",
            StmtKind::With(node) if node.is_async => "AsyncWith",
            StmtKind::With(_) => "With",
            StmtKind::Match { .. } => "Match",
            StmtKind::Raise { .. } => "Raise",
            StmtKind::Try(node) if node.is_star => "TryStar",
            StmtKind::Try(_) => "Try",
            StmtKind::Assert { .. } => "Assert",
            StmtKind::Import(_) => "Import",
            StmtKind::ImportFrom(_) => "ImportFrom",
            StmtKind::Global(_) => "Global",
            StmtKind::Nonlocal(_) => "Nonlocal",
            StmtKind::TypeAlias { .. } => "TypeAlias",
            StmtKind::Expr(_) => "Expr",
            StmtKind::Pass => "Pass",
            StmtKind::Break => "Break",
            StmtKind::Continue => "Continue",
            StmtKind::Invalid => "Invalid",
        }
    }
}

/// A function definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Def {
    pub name: Ident,
    pub params: Params,
    pub returns: Option<Expr>,
    /// The first `# type: (...) -> ...` comment after the header, on a line of its own or that of the header.
    pub signature: Option<SignatureComment>,
    pub body: Vec<Stmt>,
    pub decorators: Vec<Expr>,
    pub type_params: Vec<TypeParam>,
    pub is_async: bool,
    pub span: Span,
}

impl Def {
    /// The docstring, if the body opens with one. It stays a statement of the body as well.
    pub fn docstring(&self) -> Option<&str> {
        docstring(&self.body)
    }

    /// The same body with the parameters and the result of a declaration: one of several ways to call it.
    pub fn typed_as(&self, declaration: &Def) -> Def {
        Def {
            params: declaration.params.clone(),
            returns: declaration.returns.clone(),
            signature: declaration.signature.clone(),
            ..self.clone()
        }
    }
}

/// The parameters of a function, in the order in which they are written.
///
/// `*` and `/` separators leave their trace in [`ParamKind`] alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(pub Vec<Param>);

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    pub name: Ident,
    pub kind: ParamKind,
    pub annotation: Option<Expr>,
    /// The type of a `# type:` comment on the parameter's line.
    pub type_comment: Option<Expr>,
    pub default: Option<Expr>,
    pub span: Span,
}

/// How a parameter takes its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// Before `/`.
    PositionalOnly,
    Normal,
    /// `*args`.
    VarArgs,
    /// After `*` or `*args`.
    KeywordOnly,
    /// `**kwargs`.
    VarKeywords,
}

/// A `# type: (int, Tensor) -> List[int]` comment.
#[derive(Clone, Debug, PartialEq)]
pub struct SignatureComment {
    /// Types of the parameters; `None` for `(...)`, which leaves them to comments on the parameters.
    pub params: Option<Vec<Expr>>,
    /// The result, which a comment may leave out together with its arrow.
    pub returns: Option<Expr>,
    pub span: Span,
}

/// A class definition.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassDef {
    pub name: Ident,
    pub bases: Vec<Expr>,
    /// `metaclass=...` and the like.
    pub keywords: Vec<super::Keyword>,
    pub body: Vec<Stmt>,
    pub decorators: Vec<Expr>,
    pub type_params: Vec<TypeParam>,
    pub span: Span,
}

impl ClassDef {
    /// The docstring, if the body opens with one. It stays a statement of the body as well.
    pub fn docstring(&self) -> Option<&str> {
        docstring(&self.body)
    }
}

impl Stmt {
    /// The text that a statement consists of: documentation, wherever it stands.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            StmtKind::Expr(Expr {
                kind: super::ExprKind::Constant(Constant::Str(text)),
                ..
            }) => Some(text),
            _ => None,
        }
    }
}

fn docstring(body: &[Stmt]) -> Option<&str> {
    body.first()?.text()
}

/// `targets[0] = targets[1] = ... = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assign {
    pub targets: Vec<Expr>,
    pub value: Expr,
    /// The type of a `# type:` comment at the end of the statement.
    pub type_comment: Option<Expr>,
}

/// `for target in iter: ... else: ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct For {
    pub target: Expr,
    pub iter: Expr,
    pub body: Vec<Stmt>,
    pub orelse: Vec<Stmt>,
    pub is_async: bool,
}

/// `while test: ... else: ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct While {
    pub test: Expr,
    pub body: Vec<Stmt>,
    pub orelse: Vec<Stmt>,
}

/// `if test: ... else: ...`; an `elif` is an `if` alone in `orelse`.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    pub test: Expr,
    pub body: Vec<Stmt>,
    pub orelse: Vec<Stmt>,
}

/// `with items: ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct With {
    pub items: Vec<WithItem>,
    pub body: Vec<Stmt>,
    pub is_async: bool,
}

/// `context as target`.
#[derive(Clone, Debug, PartialEq)]
pub struct WithItem {
    pub context: Expr,
    pub target: Option<Expr>,
    pub span: Span,
}

/// `try: ... except ...: ... else: ... finally: ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Try {
    pub body: Vec<Stmt>,
    pub handlers: Vec<ExceptHandler>,
    pub orelse: Vec<Stmt>,
    pub finally: Vec<Stmt>,
    /// `except*`.
    pub is_star: bool,
}

/// `except exception as name: ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceptHandler {
    pub exception: Option<Expr>,
    pub name: Option<Ident>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

/// `name as asname` of an import; the name may be dotted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    pub name: Ident,
    pub asname: Option<Ident>,
}

/// `from ..module import names`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFrom {
    pub module: Option<Ident>,
    pub names: Vec<Alias>,
    /// The number of leading dots.
    pub level: u32,
}

/// `case pattern if guard: ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchCase {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

/// A pattern and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

/// What a pattern is.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    Value(Expr),
    /// `None`, `True` or `False`.
    Singleton(Constant),
    Sequence(Vec<Pattern>),
    Mapping {
        entries: Vec<(Expr, Pattern)>,
        rest: Option<Ident>,
    },
    Class {
        class: Expr,
        patterns: Vec<Pattern>,
        keywords: Vec<(Ident, Pattern)>,
    },
    Star(Option<Ident>),
    /// `pattern as name`, a bare name, or `_` (neither).
    As {
        pattern: Option<Box<Pattern>>,
        name: Option<Ident>,
    },
    Or(Vec<Pattern>),
}

/// `T: bound = default` between the brackets of a generic definition.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeParam {
    pub name: Ident,
    pub kind: TypeParamKind,
    pub bound: Option<Expr>,
    pub default: Option<Expr>,
}

/// How a type parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeParamKind {
    /// `T`.
    TypeVar,
    /// `*T`.
    TypeVarTuple,
    /// `**T`.
    ParamSpec,
}
