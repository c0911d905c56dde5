//! Tells how control leaves a function: whether its frame is on the stack until its last callee returns.
//!
//! ```text
//!   returns     f: push ─ call g ─ pop ─ ret        stack in g:  g ◄── f ◄── main
//!   jumps on    f: push ─ pop ─ jmp g               stack in g:  g ◄── main
//! ```

use super::body::Body;
use super::flow::Flow;
use crate::function::FunctionId;
use crate::object::Object;

/// How control leaves a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeExit {
    /// By returning only.
    Returns,
    /// By a jump to another function, or it is not known that it does not.
    JumpsOn,
}

/// How control leaves a function.
#[must_use]
pub fn exit(object: &Object, function: FunctionId) -> CodeExit {
    let Some(function) = object.functions().get(function.index()) else { return CodeExit::JumpsOn };
    let body = Body::of(object, function);
    let flow = Flow::of(object, &body);
    let jumps_on = body.undecodable.is_some()
        || flow.blind_tail_call.is_some()
        || flow.unknown_jump.is_some()
        || !(flow.tail_calls.is_empty() && flow.open_jumps.is_empty());
    if jumps_on { CodeExit::JumpsOn } else { CodeExit::Returns }
}
