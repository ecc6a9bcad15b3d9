//! Going on after a problem, so that a check tells all of them.
//!
//! A function that is compiled to be run fails with its first problem. One that is checked goes on with the next
//! statement: what the failed one would have bound is *lost*, and a problem that only follows from the use of a lost name
//! is not told. What stands behind the failed part of a statement is looked at, too ([`beside`]). The graph that comes out
//! of this is nobody's: a function with a problem fails all the same.

mod beside;

use super::Emitter;
use super::environment::Bound;
use super::{Facts, advice};
use crate::error::problem;
use crate::sugared::containers::Container;
use crate::sugared::layers::LIBRARY;
use crate::{Outcome, Problem};
use rushlight_syntax::tree::{Alias, Expr, ExprKind, Stmt, StmtKind};
use rushlight_syntax::{Diagnostic, Source, Span};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// What stands in the place of a lost variable's value: no message, which nobody is told.
const LOST: &str = "";
/// The code of problems that follow from others.
const FOLLOWS: &str = "follows";
/// More problems than this nobody reads.
const MOST: usize = 200;

/// The problems of a file that is checked.
pub(super) struct Collected {
    source: Arc<Source>,
    problems: Vec<Diagnostic>,
    pub facts: Facts,
    /// Attributes that failed statements would have set.
    pub lost_attributes: BTreeSet<Arc<str>>,
    /// Classes of which more is there than the file shows.
    pub lost_types: BTreeSet<String>,
    /// Parts of the file whose problems are not told.
    pub silent: Vec<Span>,
    /// What is known of containers of modules, by the names of their types.
    pub containers: HashMap<String, Rc<Container>>,
    /// Attributes of classes of modules that no instance has in scripts.
    pub unconverted: HashMap<(String, Arc<str>), Unconverted>,
}

/// What an attribute is in Python that cannot be one in scripts: it says nothing of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unconverted {
    EmptyList,
    EmptyDict,
}

impl Unconverted {
    /// What the reference says of all.
    const TOLD: &str = "(This attribute exists on the Python module, but we failed to convert";

    /// What the reference says behind the name of the attribute.
    pub fn told(self) -> String {
        let (class, why) = match self {
            Unconverted::EmptyList => ("list", "List trace inputs must have elements"),
            Unconverted::EmptyDict => ("dict", "Dictionary inputs must have entries"),
        };
        format!(
            "{} Python type: '{class}' to a TorchScript type. {why}. Its type was inferred; try adding a type annotation for the attribute.)",
            Unconverted::TOLD
        )
    }

    /// What would mend it.
    pub fn hint(self, name: &str) -> String {
        let ty = match self {
            Unconverted::EmptyList => "List[Tensor]",
            Unconverted::EmptyDict => "Dict[str, Tensor]",
        };
        format!("say of what it is in the body of the class, above `__init__`: `{name}: {ty}`")
    }
}

impl Collected {
    pub fn new(source: &Arc<Source>) -> Collected {
        Collected {
            source: source.clone(),
            problems: Vec::new(),
            facts: Facts::default(),
            lost_attributes: BTreeSet::new(),
            lost_types: BTreeSet::from([LIBRARY.to_string()]),
            silent: Vec::new(),
            containers: HashMap::new(),
            unconverted: HashMap::new(),
        }
    }

    /// Whether a source is of the file.
    pub fn is_about(&self, source: &Source) -> bool {
        self.source.is_of_file(source)
    }

    /// The problems in the order of the text, and the facts.
    pub fn finish(mut self) -> (Vec<Diagnostic>, Facts) {
        // Those of other files come behind.
        let source = self.source.clone();
        let place = |p: &Diagnostic| {
            let span = p.span.as_ref()?;
            let is_other = !source.is_of_file(span.source());
            Some((is_other, span.line(), span.column()))
        };
        rushlight_tensor::order::sort_by_key(&mut self.problems, place);
        (first_of_lines(self.problems), self.facts)
    }

    /// Adds a problem, unless it follows from another or has been told.
    pub fn add(&mut self, problem: &Diagnostic) {
        let mut problem = problem.clone();
        problem.span = problem.span.take().or(problem.about.take());
        let message = &problem.message;
        let lost = self.lost_attributes.iter();
        let about_lost = match problem.code {
            "no-attribute" => lost
                .into_iter()
                .any(|n| message.contains(&format!("'{n}'"))),
            "attribute-assignment" => lost
                .into_iter()
                .any(|n| message.contains(&format!("attribute: {n}."))),
            _ => false,
        };
        let is_silent = self.lost_types.iter().any(|name| message.contains(&**name))
            || problem
                .span
                .as_ref()
                .is_some_and(|span| self.silent.iter().any(|part| beside::is_in(span, part)));
        // What is wrong with an attribute is one mistake, wherever it is used.
        let is_unconverted = message.contains(Unconverted::TOLD);
        let told = |p: &Diagnostic| {
            p.message == problem.message && (p.span == problem.span || is_unconverted)
        };
        if problem.code != FOLLOWS
            && !about_lost
            && !is_silent
            && self.problems.len() < MOST
            && !self.problems.iter().any(told)
        {
            advice::complete(&mut problem);
            self.problems.push(problem);
        }
    }
}

/// The problems without those that only a line which cannot be read makes: of such a line the first problem of the syntax is
/// told, and nothing else.
fn first_of_lines(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let line_of = |problem: &Diagnostic| {
        let span = problem.span.as_ref()?;
        Some((span.source().name().to_string(), span.line()))
    };
    let is_syntax = |problem: &&Diagnostic| problem.code == "syntax";
    let unread: HashSet<_> = problems
        .iter()
        .filter(is_syntax)
        .filter_map(line_of)
        .collect();
    let mut told = HashSet::new();
    let mut is_told = |problem: &Diagnostic| match line_of(problem) {
        Some(line) if unread.contains(&line) => problem.code == "syntax" && told.insert(line),
        _ => true,
    };
    problems.into_iter().filter(|p| is_told(p)).collect()
}

/// A use of what a failed statement would have made.
pub(crate) fn follows(span: &Span) -> Problem {
    problem(FOLLOWS, "this follows from another problem", span)
}

/// Whether this is why the value of a lost variable cannot be used.
pub(super) fn is_lost(why: &str) -> bool {
    why == LOST
}

impl Emitter<'_> {
    /// Goes on after a problem of a statement where the file is checked; otherwise gives it back. `bodies` is how many
    /// bodies had been begun before the statement.
    pub(super) fn recover(
        &mut self,
        statement: &Stmt,
        problem: Problem,
        bodies: usize,
        outside: &Outside,
    ) -> Outcome<()> {
        {
            let mut collected = self.compiler.collected.borrow_mut();
            let Some(collected) = collected.as_mut() else {
                return Err(problem);
            };
            if !collected.is_about(statement.span.source()) {
                return Err(problem);
            }
            // What is nested too deeply or too large stays so.
            if problem.code.starts_with("too-") {
                return Err(problem);
            }
            collected.add(&problem);
            attributes(statement, &mut collected.lost_attributes);
        }
        let names = lost_by(statement, &problem);
        self.back_to(outside);
        named_in(statement).iter().for_each(|name| self.lose(name));
        self.beside(statement, &problem, outside);
        self.failed.get_or_insert(problem);
        if bodies == self.bodies {
            self.alone(statement, &names)?;
        }
        for name in names {
            self.lose(&name);
        }
        self.exited = matches!(
            statement.kind,
            StmtKind::Return(_) | StmtKind::Raise { .. } | StmtKind::Break | StmtKind::Continue
        );
        Ok(())
    }

    /// Checks the bodies of a statement whose beginning has failed, each for itself.
    fn alone(&mut self, statement: &Stmt, names: &BTreeSet<Arc<str>>) -> Outcome<()> {
        let bodies: &[&[Stmt]] = match &statement.kind {
            StmtKind::If(branch) => &[&branch.body, &branch.orelse],
            StmtKind::While(while_) => &[&while_.body],
            StmtKind::For(for_) => &[&for_.body],
            StmtKind::With(with) => &[&with.body],
            _ => &[],
        };
        for body in bodies {
            let outside = self.outside();
            self.env.frames.push(Default::default());
            named_in(statement).iter().for_each(|n| self.lose(n));
            match &statement.kind {
                StmtKind::For(_) | StmtKind::While(_) => {
                    names.iter().for_each(|n| self.lose(n));
                    self.loops += 1;
                }
                StmtKind::With(_) => assigned_by(statement).iter().for_each(|n| self.lose(n)),
                _ => {}
            }
            self.statements(body)?;
            self.back_to(&outside);
            self.exited = false;
        }
        Ok(())
    }

    fn lose(&mut self, name: &Arc<str>) {
        self.env.bind(name, Bound::unusable(LOST));
    }

    /// Where statements stand.
    pub(super) fn outside(&self) -> Outside {
        Outside {
            block: self.block,
            frames: self.env.frames.len(),
            loops: self.loops,
            composing: self.composing,
        }
    }

    /// Leaves what a statement had begun when it failed.
    fn back_to(&mut self, outside: &Outside) {
        self.block = outside.block;
        self.env.frames.truncate(outside.frames);
        self.loops = outside.loops;
        self.composing = outside.composing;
        self.left_loop = false;
    }
}

/// Where a statement stands: what is left as it was when the statement fails.
pub(super) struct Outside {
    block: rushlight_ir::BlockId,
    frames: usize,
    loops: usize,
    composing: bool,
}

/// The variables of which nothing is known behind a statement that has failed: those that it would have assigned, and the
/// one that a method, which did not take its arguments, would have changed.
fn lost_by(statement: &Stmt, problem: &Diagnostic) -> BTreeSet<Arc<str>> {
    let mut names = BTreeSet::from_iter(named_in(statement));
    statement.walk(&mut |inner| names.extend(assigned_by(inner)));
    if problem.code == "no-matching-overload"
        && let StmtKind::Expr(expr) = &statement.kind
        && let ExprKind::Call(call) = &expr.kind
        && let ExprKind::Attribute { value, .. } = &call.func.kind
        && let ExprKind::Name(object) = &value.kind
    {
        names.insert(object.clone());
    }
    names
}

/// The names that `:=` would have bound in the statement's own expressions.
fn named_in(statement: &Stmt) -> Vec<Arc<str>> {
    let expressions = statement.expressions().into_iter();
    expressions.flat_map(Expr::named).cloned().collect()
}

/// The names that a statement itself binds.
fn assigned_by(statement: &Stmt) -> Vec<Arc<str>> {
    let imported = |names: &[Alias]| -> Vec<Arc<str>> {
        let bound = names.iter().map(|alias| match &alias.asname {
            Some(name) => name.name.clone(),
            None => Arc::from(alias.name.name.split('.').next().unwrap_or_default()),
        });
        bound.collect()
    };
    match &statement.kind {
        StmtKind::Def(def) => return vec![def.name.name.clone()],
        StmtKind::Class(class) => return vec![class.name.name.clone()],
        StmtKind::Import(names) => return imported(names),
        StmtKind::ImportFrom(from) => return imported(&from.names),
        _ => {}
    }
    let places = statement.targets().into_iter().flat_map(Expr::places);
    places.filter_map(Expr::as_name).cloned().collect()
}

/// The attributes that a statement assigns.
fn attributes(statement: &Stmt, out: &mut BTreeSet<Arc<str>>) {
    for place in statement.targets().into_iter().flat_map(Expr::places) {
        if let ExprKind::Attribute { attr, .. } = &place.kind {
            out.insert(attr.name.clone());
        }
    }
}
