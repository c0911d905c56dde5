//! The source location of an address in a program: module, function and line, as people know them.

/// Where in a program an address lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// Source file of the function where debug information says so, else its object file.
    pub module: String,
    /// The function as it was compiled, not one inlined into it; or the variable.
    pub function: String,
    /// Source file and line of the address itself.
    pub line: Option<(String, u32)>,
}

impl SourceLocation {
    /// `oned.c:88`.
    #[must_use]
    pub fn position(&self) -> Option<String> {
        self.line.as_ref().map(|(file, line)| format!("{file}:{line}"))
    }

    /// The function as it reads outside its module: an address alone would say nothing.
    #[must_use]
    pub fn caller(&self) -> String {
        if self.function.starts_with("0x") {
            format!("{}+{}", self.module, self.function)
        } else {
            self.function.clone()
        }
    }
}
