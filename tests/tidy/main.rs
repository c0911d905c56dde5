//! The rules of the house as tests: one file per rule, each with a sample that breaks it.

mod allowances;
mod budget;
mod edges;
mod file_names;
mod guests;
mod justification;
mod leftovers;
mod lexer;
mod links;
mod manifest;
mod openings;
mod purity;
mod safety;
mod sync_models;
mod sync_tags;
mod tree;
mod unsafe_list;
mod unwraps;
mod violation;
mod workplace;
