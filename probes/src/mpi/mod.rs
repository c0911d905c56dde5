//! The wrappers of MPI: one table of functions, one macro that wraps them, and the data that must be kept between calls.
//!
//! | file | content |
//! |---|---|
//! | [`functions`] | the table |
//! | [`call`] | one line of the table, as its wrapper uses it |
//! | [`words`] | the arguments of one call |
//! | [`wrapper`], [`visit`], [`completion`] | what happens around the real function |
//! | [`lookup`] | functions that a program fetches by hand |
//! | [`dialect`], [`real`], [`status`] | the differences between the MPIs |
//! | [`communicator`], [`members`], [`window`], [`file`], [`request`] | what handles stand for |
//! | [`messages`], [`peer`] | which rank a message goes to or comes from |
//! | [`traced`] | what a trace says of a call |
//! | [`flow`], [`volume`], [`datatype`] | how many bytes a call moves |

mod association;
mod call;
mod communicator;
mod completion;
mod datatype;
mod dialect;
mod file;
mod flow;
mod functions;
mod lookup;
mod members;
mod messages;
mod peer;
mod real;
mod request;
mod room;
mod setup;
mod status;
mod text;
mod traced;
mod visit;
mod volume;
mod window;
mod words;
mod wrapper;

pub(crate) use dialect::forget;
