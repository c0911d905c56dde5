//! The verbs about several runs, and about what other tools know: `compare`, `scale`, `query`, `import` and `export`.

mod amounts;
pub(crate) mod compare;
mod condition;
pub(crate) mod export;
pub(crate) mod import;
mod markdown;
mod operand;
pub(crate) mod query;
mod read_options;
pub(crate) mod scale;
mod text;
