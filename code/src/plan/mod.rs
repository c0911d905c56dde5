//! How a function's entry can be changed so that its calls are seen: where, by which bytes, or why not.
