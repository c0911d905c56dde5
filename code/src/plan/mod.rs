//! Plans how a function's entry is patched so that its calls are seen: where, with which bytes, or why it must be refused.
//!
//! A changed entry jumps to a *stub*, and the stub jumps through a word in memory: to the *copy* of the displaced
//! instructions while the function is off, to a thunk that calls the copy while it is on. A plan is made from the file
//! alone; its bytes follow when the addresses in a process are known.
//!
//! A plan rests on these checks: the whole function is decoded, and its stack pointer followed along every path; no direct
//! branch of the whole object, no jump table of the function and no entry of exceptions leads into the bytes that change;
//! every copy is decoded again and compared with the original.

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
