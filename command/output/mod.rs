//! The output of whyperf: the report, and the terminal and files that it goes to.

pub(crate) mod delivery;
pub(crate) mod file_size_limit;
pub(crate) mod page_server;
pub(crate) mod report;
pub(crate) mod streams;
pub(crate) mod terminal;
pub(crate) mod top_screen;
pub(crate) mod whole_file;
