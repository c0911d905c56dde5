//! Whether a filter leaves out a function of an object.

use whyperf_code::{FunctionId, Object};
use whyperf_model::{CodeFilter, FilteredFunction};

/// By what the function and its module are called in the hierarchy of code, by its symbols, and by the path of its source where the filter asks for that.
pub(crate) fn is_left_out(
    filter: &CodeFilter,
    (object, function): (&Object, FunctionId),
    [name, module]: [&str; 2],
) -> bool {
    let symbols: Vec<String> = object.names(function).into_iter().map(|name| name.text).collect();
    let path = filter.asks_for_paths().then(|| object.source_path(function)).flatten();
    filter.leaves_out(&FilteredFunction {
        name,
        module,
        symbols: Some(&symbols),
        path: path.as_deref(),
    })
}
