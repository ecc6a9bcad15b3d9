//! Function definitions: parameters, the body, the result, and the schema that follows from them.

use super::annotation::{ByResolver, broadcasting_size};
use super::class::{has_decorator, named_by};
use super::compiler::shown_name;
use super::{Compiler, Emitter, FunctionSource, annotation_type, environment::Variable, exits};
use crate::error::problem;
use crate::script::Bound;
use crate::sugared::class::ClassValue;
use crate::{Outcome, Problem, Sugared};
use rushlight_ir::Function;
use rushlight_syntax::Span;
use rushlight_syntax::diagnostic::CompiledFrom;
use rushlight_syntax::tree::{
    Constant, Def, Expr, ExprKind, Param, ParamKind, Stmt, StmtKind, UnaryOp,
};
use rushlight_types::{Argument, Schema, Type, Value};
use std::sync::Arc;

/// Compiles a function: sets its schema and its graph.
pub(super) fn define(
    compiler: &Compiler,
    function: &Arc<Function>,
    source: &FunctionSource,
) -> Outcome<()> {
    let def = &*source.def;
    let in_header = |error| named_by(error, function.qualified_name(), &def.span);
    let (arguments, misfit) = parameters(compiler, source).map_err(in_header)?;
    let declared_return = declared_return(source).map_err(in_header)?;
    if let Some(ty) = &declared_return {
        // Known before the body, so that the function may call itself.
        function.set_schema(schema(function, &arguments, ty.clone()));
        publish(function);
    }
    let ty = body(compiler, function, source, &arguments, declared_return)?;
    // A body that is wrong is told first.
    if let Some(misfit) = misfit {
        compiler.keep_misfit(function, misfit)?;
    }
    function.set_schema(schema(function, &arguments, ty));
    publish(function);
    Ok(())
}

/// How a function that is not compiled is called: its annotations, tensors where there are none.
pub fn signature(compiler: &Compiler, name: &str, source: &FunctionSource) -> Outcome<Schema> {
    let (arguments, misfit) = parameters(compiler, source)?;
    if let Some(misfit) = misfit {
        return Err(misfit);
    }
    let returned = declared_return(source)?.unwrap_or(Type::TENSOR);
    // What `*args` takes has no types; `**kwargs` are not handed on.
    let params = &source.def.params.0;
    let named = params
        .iter()
        .zip(arguments)
        .filter(|(param, _)| !matches!(param.kind, ParamKind::VarArgs | ParamKind::VarKeywords));
    let arguments = named.map(|(_, argument)| argument).collect();
    let mut schema = Schema::new(name, arguments, vec![Argument::new("0", returned)]);
    schema.varargs = params.iter().any(|p| p.kind == ParamKind::VarArgs);
    Ok(schema)
}

/// Refuses defaults of a text that are no values of their parameters. As in the reference, a tuple of them all is what
/// another function returns, which the one of this name calls.
pub fn check_defaults(compiler: &Compiler, name: &str, source: &FunctionSource) -> Outcome<()> {
    let def = &*source.def;
    let given = || {
        def.params
            .0
            .iter()
            .enumerate()
            .filter_map(|(i, param)| Some((i, param.default.as_ref()?)))
    };
    if given().next().is_none() {
        return Ok(());
    }
    let callee = "defaults";
    let mut emitter = Emitter::new(compiler, source.resolver.clone(), callee.into());
    let mut returned = || -> Outcome<()> {
        let names = ByResolver(&*source.resolver);
        let types = given().map(|(i, _)| match written_type(def, i) {
            Some(annotation) if broadcasting_size(annotation).is_some() => {
                let text = annotation.span.text();
                let constructor = text.split('[').next().unwrap_or(text);
                let message = format!("Unknown type constructor {constructor}");
                Err(problem("unknown-type", message, &annotation.span))
            }
            Some(annotation) => annotation_type(annotation, &names),
            None => Ok(Type::TENSOR),
        });
        let types = types.collect::<Outcome<Vec<Type>>>()?;
        emitter.function.declared_return = Some(Type::tuple(types));
        let span = declaration(def);
        let tuple = Expr {
            kind: ExprKind::Tuple {
                elements: given().map(|(_, default)| default.clone()).collect(),
                parenthesized: true,
            },
            span: span.clone(),
        };
        let kind = StmtKind::Return(Some(tuple));
        emitter.statements(&[Stmt { kind, span }])
    };
    let result = returned();
    result.map_err(|error| {
        let mut error = named_by(error, callee, &emitter.pending);
        error.chain.push(CompiledFrom {
            callee: callee.to_string(),
            caller: shown_name(name),
            span: def.span.clone(),
        });
        error
    })
}

/// The place of the parameters and the result of a function.
fn declaration(def: &Def) -> Span {
    let source = def.span.source();
    let text = source.text();
    let behind = |at: u32, mark: char| {
        let found = text.get(at as usize..).and_then(|rest| rest.find(mark));
        found.map_or(at, |length| at + length as u32)
    };
    let start = behind(def.name.span.extent().end, '(');
    let comment = def.signature.as_ref().map(|s| &s.span);
    let end = match (comment, &def.returns, def.params.0.last()) {
        (Some(comment), ..) => comment.extent().end,
        (None, Some(result), _) => result.span.extent().end,
        (None, None, last) => {
            let last = last.map_or(start, |param| param.span.extent().end);
            behind(behind(last, ')'), ':') + 1
        }
    };
    source.span(start..end)
}

fn schema(function: &Function, arguments: &[Argument], returned: Type) -> Schema {
    Schema::new(
        function.basename(),
        arguments.to_vec(),
        vec![Argument::new("", returned)],
    )
}

/// Methods are called through their class, which must know the schema.
fn publish(function: &Function) {
    if let Some(class) = &function.class {
        class.add_method(function.basename(), function.known_schema());
    }
}

/// The parameters, and what is wrong with the first default that is no value of its parameter.
fn parameters(
    compiler: &Compiler,
    source: &FunctionSource,
) -> Outcome<(Vec<Argument>, Option<Problem>)> {
    let def = &*source.def;
    let names = ByResolver(&*source.resolver);
    let has_self = source.class.is_some();
    let comment = def.signature.as_ref().and_then(|s| s.params.as_ref());
    let Some(expected) = def.params.0.len().checked_sub(has_self as usize) else {
        return Err(problem(
            "no-self",
            "methods must have a self argument",
            &header(def),
        ));
    };
    let annotated = match (comment, &def.signature) {
        (Some(types), _) => Some(types.len()).filter(|&n| n != def.params.0.len()),
        // `# type: (...) -> T` below parameters with comments of their own.
        (None, Some(_)) => {
            let commented = def.params.0.iter().filter(|p| p.type_comment.is_some());
            Some(commented.count()).filter(|&n| n > 0)
        }
        (None, None) => None,
    };
    if let Some(found) = annotated.filter(|&n| n != expected) {
        return Err(problem(
            "parameter-count",
            format!(
                "Number of type annotations ({found}) did not match the number of function parameters ({expected})"
            ),
            &header(def),
        ));
    }
    let mut out = Vec::new();
    let mut misfit = None;
    for (i, param) in def.params.0.iter().enumerate() {
        let mut argument = if i == 0 && has_self {
            Argument::new(
                &param.name.name,
                Type::Class(source.class.clone().expect("methods have a class")),
            )
        } else {
            let known = source
                .parameter_types
                .iter()
                .find(|(n, _)| *n == param.name.name);
            let written = written_type(def, i);
            let ty = match (written, known) {
                (_, Some((_, ty))) => ty.clone(),
                (Some(annotation), None) => annotation_type(annotation, &names)?,
                (None, None) => Type::TENSOR,
            };
            let mut argument = Argument::new(&param.name.name, ty);
            argument.inferred = known.is_none() && written.is_none();
            argument
        };
        argument.kwarg_only = param.kind == ParamKind::KeywordOnly;
        argument.list_size = written_type(def, i).and_then(broadcasting_size);
        match default_value(compiler, source, param, &argument)? {
            Ok(default) => argument.default = default,
            Err(problem) => misfit = misfit.or(Some(problem)),
        }
        out.push(argument);
    }
    Ok((out, misfit))
}

/// What a parameter is annotated with: beside its name, in a comment behind it, or in the comment that has all types.
pub(super) fn written_type(def: &Def, i: usize) -> Option<&Expr> {
    let param = def.params.0.get(i)?;
    let commented = || {
        let types = def.signature.as_ref()?.params.as_ref()?;
        let skip = def.params.0.len().checked_sub(types.len())?;
        types.get(i.checked_sub(skip)?)
    };
    let own = param.annotation.as_ref().or(param.type_comment.as_ref());
    own.or_else(commented)
}

/// What the result is annotated with, behind the arrow or in a comment.
pub(super) fn written_result(def: &Def) -> Option<&Expr> {
    let commented = def.signature.as_ref().and_then(|s| s.returns.as_ref());
    def.returns.as_ref().or(commented)
}

/// The place of a function's header: from `def` to its last parameter.
pub(super) fn header(def: &Def) -> Span {
    match def.params.0.last() {
        // What a parameter is by default is not part of its declaration.
        Some(last) => {
            let annotation = last.annotation.as_ref().map(|a| &a.span);
            let end = annotation.unwrap_or(&last.name.span);
            def.span.head(3).join(end)
        }
        None => def.span.head(3),
    }
}

/// The default of a parameter; inside, what is wrong with a known one.
fn default_value(
    compiler: &Compiler,
    source: &FunctionSource,
    param: &Param,
    argument: &Argument,
) -> Outcome<Outcome<Option<Value>>> {
    let ty = &argument.ty;
    let Some(expr) = &param.default else {
        return Ok(Ok(None));
    };
    let value = match source.defaults.iter().find(|(n, _)| *n == param.name.name) {
        Some((_, Ok(value))) => value.clone(),
        Some((_, Err(misfit))) => return Ok(Err(misfit.clone())),
        None => literal(expr)
            .or_else(|| source.resolver.constant(expr))
            .or_else(|| super::default::value_of(compiler, &source.resolver, expr, ty))
            .ok_or_else(|| {
                problem(
                    "default-value",
                    format!(
                        "the default value of '{}' is not a constant",
                        param.name.name
                    ),
                    &expr.span,
                )
            })?,
    };
    let value = match (argument.list_size, ty.list_element()) {
        (Some(size), Some(element)) if !value.is_list() => {
            Value::list(element, vec![value.clone(); size as usize]).unwrap_or(value)
        }
        _ => value,
    };
    // A tensor that is None by default is an undefined one.
    if matches!(argument.ty, Type::Tensor(_)) && matches!(value, Value::None) {
        return Ok(Ok(Some(value)));
    }
    Ok(fit_default(value, &argument.ty).map(Some).ok_or_else(|| {
        let mut message = format!(
            "Expected a default value of type {} on parameter \"{}\".",
            argument.shown_type(),
            param.name.name
        );
        if argument.inferred {
            message.push_str(&format!(
                "Because \"{}\" was not annotated with an explicit type it is assumed to be type 'Tensor'.",
                param.name.name
            ));
        }
        problem("default-value", message, &source.def.span)
    }))
}

/// A default in the representation of its type.
pub(super) fn fit_default(value: Value, ty: &Type) -> Option<Value> {
    let inner = match ty {
        Type::Optional(inner) => inner,
        other => other,
    };
    match (&value, inner) {
        (Value::None, _) if ty.accepts_none() => Some(value),
        (Value::Int(_) | Value::Bool(_), Type::Int | Type::Float | Type::Bool | Type::Complex)
        | (Value::Float(_), Type::Complex) => fit_number(&value, inner),
        (Value::Tuple(t), Type::Tuple(wanted)) if t.items.len() == wanted.elements.len() => {
            let items = t.items.iter().zip(wanted.elements.iter());
            items
                .map(|(v, ty)| fit_default(v.clone(), ty))
                .collect::<Option<Vec<_>>>()
                .map(Value::tuple)
        }
        (Value::Tuple(t), Type::List(element)) => t
            .items
            .iter()
            .map(|v| fit_default(v.clone(), element))
            .collect::<Option<Vec<_>>>()
            .and_then(|items| Value::list(element, items).ok()),
        (v, Type::List(element)) if v.is_list() => Value::list(element, v.list_items().ok()?).ok(),
        (Value::Str(s), Type::Device) => rushlight_tensor::Device::parse(s.text()?)
            .ok()
            .map(Value::Device),
        (v, t) if v.type_of().is_subtype_of(t) => Some(value),
        _ => None,
    }
}

/// A number in the representation of its type: Python takes a whole number where a script says `float`.
fn fit_number(value: &Value, ty: &Type) -> Option<Value> {
    let number = match value {
        Value::Bool(b) => *b as i64 as f64,
        Value::Int(i) => *i as f64,
        Value::Float(f) => *f,
        _ => return None,
    };
    Some(match (value, ty) {
        (Value::Int(i), Type::Int) => Value::Int(*i),
        (Value::Bool(b), Type::Int) => Value::Int(*b as i64),
        (Value::Int(_) | Value::Bool(_), Type::Bool) => Value::Bool(number != 0.0),
        (_, Type::Float) => Value::Float(number),
        (_, Type::Complex) => Value::complex(rushlight_tensor::Complex64::new(number, 0.0)),
        _ => return None,
    })
}

/// The value of a literal expression: what defaults in source may be.
pub fn literal(expr: &Expr) -> Option<Value> {
    Some(match &expr.kind {
        ExprKind::Constant(Constant::None) => Value::None,
        ExprKind::Constant(Constant::Bool(b)) => Value::Bool(*b),
        ExprKind::Constant(Constant::Int(i)) => Value::Int(*i),
        ExprKind::Constant(Constant::Float(f)) => Value::Float(*f),
        ExprKind::Constant(Constant::Str(s)) => Value::str(&**s),
        ExprKind::Constant(Constant::Imaginary(i)) => {
            Value::complex(rushlight_tensor::Complex64::new(0.0, *i))
        }
        ExprKind::Unary {
            op: UnaryOp::Minus,
            operand,
        } => match literal(operand)? {
            Value::Int(i) => Value::Int(i.checked_neg()?),
            Value::Float(f) => Value::Float(-f),
            _ => return None,
        },
        ExprKind::Tuple { elements, .. } => {
            Value::tuple(elements.iter().map(literal).collect::<Option<Vec<_>>>()?)
        }
        ExprKind::List(elements) => {
            let items = elements.iter().map(literal).collect::<Option<Vec<_>>>()?;
            let ty = items.first().map_or(Type::TENSOR, Value::type_of);
            Value::list(&ty, items).ok()?
        }
        _ => return None,
    })
}

fn declared_return(source: &FunctionSource) -> Outcome<Option<Type>> {
    let names = ByResolver(&*source.resolver);
    match written_result(&source.def) {
        Some(annotation) => annotation_type(annotation, &names).map(Some),
        None => Ok(None),
    }
}

fn body(
    compiler: &Compiler,
    function: &Arc<Function>,
    source: &FunctionSource,
    arguments: &[Argument],
    declared_return: Option<Type>,
) -> Outcome<Type> {
    let def = &*source.def;
    let mut emitter = Emitter::new(
        compiler,
        source.resolver.clone(),
        function.qualified_name().clone(),
    );
    emitter.function.declared_return = declared_return;
    if &*def.name.name == "__init__" {
        // Only a check looks at how modules are made.
        let class = source.class.clone();
        emitter.function.initialising = class.filter(|c| !c.is_module() || compiler.is_checking());
    }
    for (i, argument) in arguments.iter().enumerate() {
        let name = Some(&*argument.name).filter(|name| rushlight_ir::is_telling(name));
        let top = emitter.graph.top();
        let value = emitter.graph.add_param(top, argument.ty.clone(), name);
        let stands_for = match (&source.class, i) {
            (Some(class), 0) if !class.is_module() && has_decorator(def, "classmethod") => {
                let class = class.clone();
                Some(Sugared::special(ClassValue { class }))
            }
            _ => source.resolver.parameter(i, value),
        };
        if argument.inferred {
            emitter.inferred.insert(value);
        }
        emitter.note_type(&def.params.0[i].name.span, &argument.ty);
        match stands_for {
            Some(special) => emitter.env.bind(&argument.name, Bound::Fixed(special)),
            None => {
                let variable = Variable {
                    inferred: argument.inferred,
                    ..Variable::assigned(argument.ty.clone())
                };
                emitter.store(&argument.name, value, variable);
            }
        }
    }
    emitter
        .statements(&def.body)
        .map_err(|error| named_by(error, function.qualified_name(), &emitter.pending))?;
    if let Some(problem) = emitter.failed {
        return Err(problem);
    }
    if !emitter.exited {
        emitter.implicit_return(&def.span)?;
    }
    let returned = match (
        &emitter.function.declared_return,
        &emitter.function.returned,
    ) {
        (Some(declared), _) => declared.clone(),
        (None, Some(inferred)) => inferred.clone(),
        (None, None) => Type::None,
    };
    let (mut graph, decided) = (emitter.graph, emitter.decided);
    let parameters = graph.params(graph.top()).iter();
    let inferred: Vec<_> = parameters
        .filter(|v| emitter.inferred.contains(v))
        .copied()
        .collect();
    let (table, mark) = (compiler.table, emitter.function.last_returned_mark);
    let returns_inferred = emitter.function.declared_return.is_none() && !mark.is_empty();
    exits::structure(
        &mut graph,
        &returned,
        &decided,
        inferred,
        returns_inferred,
        table,
        &def.span,
    )?;
    compiler.tidy(&mut graph);
    function.set_graph(graph);
    Ok(returned)
}
