//! The verbs about several runs, and about what other tools know: `compare`, `ci`, `scale`, `query`, `reduce`, `import` and `export`.

mod amounts;
pub(crate) mod ci;
mod ci_report;
pub(crate) mod compare;
mod condition;
pub(crate) mod export;
mod failure_rules;
pub(crate) mod import;
mod markdown;
mod operand;
pub(crate) mod query;
mod read_options;
pub(crate) mod reduce;
mod rule_verdict;
pub(crate) mod scale;
mod text;
