//! How a function's entry can be changed so that its calls are seen: where, by which bytes, or why not.
//!
//! A changed entry jumps to a *stub*, and the stub jumps through a word in memory: to the *copy* of the displaced
//! instructions while the function is off, to a thunk that calls the copy while it is on. A plan is made from the file
//! alone; its bytes follow when the places in a process are known.
//!
//! What a plan rests on: the whole function is decoded and its stack pointer followed along every way; every direct
//! branch of the whole object, every jump table of the function and every entry of exceptions is kept
//! out of the bytes that change; every copy is decoded again and compared with what was copied.

mod body;
mod check;
mod deny;
mod displace;
mod encode;
mod encoded;
mod exit;
mod flow;
mod islands;
mod jump_table;
mod landing;
mod moved_code;
mod padding;
mod planner;
mod proof;
mod prototype;
mod refusal;
mod site;
mod stack_state;

pub use deny::{Group, denied};
pub use encode::{Plan, STUB_LENGTH};
pub use encoded::{Encoded, Island};
pub use exit::{CodeExit, exit};
pub use islands::Islands;
pub use planner::plan;
pub use proof::Unproved;
pub use refusal::{Language, Refusal, Unmovable};
pub use site::SiteClass;
