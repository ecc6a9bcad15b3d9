//! Where a fault happened: the script call stack, attached to the fault once, and its text in the reference's form.

use crate::code::{Code, Origin, Surroundings};
use rushlight_ir::CallSite;
use rushlight_syntax::Span;
use rushlight_syntax::diagnostic::highlight;
use rushlight_types::Fault;
use std::sync::Arc;

/// One level of the script call stack.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptFrame {
    /// The name of the function, without its path.
    pub function: Arc<str>,
    pub span: Option<Span>,
}

/// What [`Fault::trace`] holds after a fault has left the interpreter: the frames from the outermost call inward.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ScriptTrace {
    pub frames: Vec<ScriptFrame>,
}

impl ScriptTrace {
    /// The trace of a fault; `None` for one that did not come out of a script.
    pub fn of(fault: &Fault) -> Option<&ScriptTrace> {
        fault.trace()?.downcast_ref()
    }
}

/// The whole text of a fault that came out of a script; the bare message of any other.
pub fn error_text(fault: &Fault) -> String {
    let Some(trace) = ScriptTrace::of(fault) else {
        return fault.message().to_string();
    };
    let frames = |place: fn(&Span) -> Option<Span>| -> Vec<highlight::Frame> {
        let frame = |f: &ScriptFrame| highlight::Frame {
            span: f
                .span
                .as_ref()
                .and_then(place)
                .unwrap_or_else(Span::unknown),
            function: f.function.to_string(),
        };
        trace.frames.iter().map(frame).collect()
    };
    let is_derived = |f: &ScriptFrame| f.span.as_ref().is_some_and(Span::is_derived);
    let class = match fault.raised_class() {
        Some("") => "RuntimeError",
        Some(class) => class,
        // Whatever else goes wrong in a script is shown as this, also where Python sees another class.
        None => "RuntimeError",
    };
    let error = format!("{class}: {}", fault.message());
    let here = frames(|span| Some(span.clone()));
    if trace.frames.iter().any(is_derived) {
        highlight::render_archive_traceback(&here, &frames(Span::origin), &error)
    } else {
        highlight::render_traceback(&here, &error)
    }
}

/// A place in running code: the instruction that a frame stands at.
pub(crate) struct Place<'a> {
    pub code: &'a Code,
    pub insn: usize,
    /// Whether the function was found at run time.
    pub is_dynamic: bool,
}

/// Attaches the places (outermost first) to a fault, around those that it has already.
pub(crate) fn attach(fault: Fault, places: &[Place<'_>]) -> Fault {
    let mut frames = frames_of(places);
    if let Some(inner) = ScriptTrace::of(&fault) {
        frames.extend(inner.frames.iter().cloned());
    }
    fault.with_trace(Arc::new(ScriptTrace { frames }))
}

/// A place and the calls that were inlined around it, outermost first.
pub(crate) fn frames_at(place: &Place<'_>) -> Vec<ScriptFrame> {
    let origin = place.code.origin(place.insn);
    let mut frames = vec![ScriptFrame {
        function: place.code.name.clone(),
        span: None,
    }];
    for site in inlined_calls(origin) {
        if let Some(caller) = frames.last_mut() {
            caller.span = site.span.clone();
        }
        frames.push(ScriptFrame {
            function: crate::lower::shown_name(&site.function),
            span: None,
        });
    }
    if let Some(innermost) = frames.last_mut() {
        innermost.span = origin.and_then(|o| o.span.clone());
    }
    frames
}

fn inlined_calls(origin: Option<&Origin>) -> Vec<&CallSite> {
    let mut calls: Vec<&CallSite> = Vec::new();
    let mut site = origin.and_then(|o| o.call_site.as_deref());
    while let Some(call) = site {
        calls.push(call);
        site = call.caller.as_deref();
    }
    calls.reverse();
    calls
}

/// The frames of places. The reference puts the bodies of calls known beforehand in the place of the calls and remembers
/// that for nodes with results and what stands inside them: where neither the node nor what stands around it outermost in
/// the body has results, the call shows as one frame with its caller, with the caller's name and the place in the body.
fn frames_of(places: &[Place<'_>]) -> Vec<ScriptFrame> {
    let mut frames: Vec<ScriptFrame> = Vec::new();
    let surroundings: Vec<Surroundings> = places
        .iter()
        .map(|p| p.code.origin(p.insn))
        .map(|o| o.map_or(Surroundings::None, |o| o.surroundings))
        .collect();
    for (i, place) in places.iter().enumerate() {
        let dynamic_inside = places[i + 1..].iter().position(|p| p.is_dynamic);
        let end = dynamic_inside.map_or(places.len(), |n| i + 1 + n);
        let outermost = surroundings[i..end]
            .iter()
            .find(|s| **s != Surroundings::None);
        let is_kept = match outermost {
            Some(around) => *around == Surroundings::WithResults,
            None => true,
        };
        let mut here = frames_at(place);
        if let Some(frame) = frames.last_mut()
            && !place.is_dynamic
            && !is_kept
        {
            frame.span = here.remove(0).span;
        }
        frames.extend(here);
    }
    frames
}
