//! A filter of code: rules that say which functions are left out of measuring, by their names and by the files they are in.
//!
//! ```text
//!   function ──► rules of files      the last one that is about it says whether it is left out ─┐
//!            └─► rules of functions  the last one that is about it says whether it is left out ─┴► either is enough
//! ```
//! What no rule is about is kept. Where a rule asks for something that is not known of a function, nothing is decided, and the function is kept.

use crate::name_pattern::NamePattern;
use crate::resource::{Hierarchy, Resource};

/// Rules of what is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeFilter {
    of_files: Vec<FilterRule>,
    of_functions: Vec<FilterRule>,
}

/// What one rule does with what it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterRule {
    /// What it is about.
    pub target: FilterTarget,
    /// What it does with that.
    pub effect: FilterEffect,
}

/// What a rule is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterTarget {
    /// Functions that people call so.
    Function(NamePattern),
    /// Functions with such a symbol, as a linker sees it.
    Symbol(NamePattern),
    /// Functions in such a module, that are called so: `/Code/<module>/<function>`.
    Place {
        /// The module.
        module: NamePattern,
        /// The function.
        function: NamePattern,
    },
    /// Functions in such a source file, with its folders.
    Path(NamePattern),
    /// Functions in such a source file, whatever its folders.
    File(NamePattern),
}

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterEffect {
    /// Leaves it out.
    LeaveOut,
    /// Keeps it.
    Keep,
}

/// What is known of a function, for a filter.
#[derive(Clone, Copy, Debug)]
pub struct FilteredFunction<'a> {
    /// What people call it.
    pub name: &'a str,
    /// Its module in the hierarchy of code: mostly the name of its source file.
    pub module: &'a str,
    /// Its symbols.
    pub symbols: Option<&'a [String]>,
    /// Its source file, with its folders.
    pub path: Option<&'a str>,
}

impl CodeFilter {
    /// Adds a rule: it counts more than those before it. Rules of files and of functions are apart.
    pub fn add(&mut self, target: FilterTarget, effect: FilterEffect) {
        self.of_functions.extend(target.name_alone().map(|target| FilterRule { target, effect }));
        let rules = match target {
            FilterTarget::Path(_) | FilterTarget::File(_) => &mut self.of_files,
            _ => &mut self.of_functions,
        };
        rules.push(FilterRule { target, effect });
    }

    /// Whether a function is left out.
    #[must_use]
    pub fn leaves_out(&self, function: &FilteredFunction<'_>) -> bool {
        is_left_out(&self.of_files, function) || is_left_out(&self.of_functions, function)
    }

    /// Whether `/Code/<module>/<function>` is left out by its names alone; never a module as a whole, nor what is no code.
    #[must_use]
    pub fn leaves_out_code(&self, code: &Resource) -> bool {
        let Some(module) = code.parent().filter(|_| code.depth() == 2) else { return false };
        let (name, module) = (code.label(), module.label());
        code.hierarchy() == Hierarchy::Code
            && self.leaves_out(&FilteredFunction {
                name: &name,
                module: &module,
                symbols: None,
                path: None,
            })
    }

    /// Whether a rule asks for the folders of source files.
    #[must_use]
    pub fn asks_for_paths(&self) -> bool {
        self.of_files.iter().any(|rule| matches!(rule.target, FilterTarget::Path(_)))
    }

    /// Whether it has no rule.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.of_files.is_empty() && self.of_functions.is_empty()
    }
}

fn is_left_out(rules: &[FilterRule], function: &FilteredFunction<'_>) -> bool {
    for rule in rules.iter().rev() {
        match rule.target.is_about(function) {
            Some(true) => return rule.effect == FilterEffect::LeaveOut,
            Some(false) => {}
            None => return false,
        }
    }
    false
}

impl FilterTarget {
    /// The same by the name of a function alone, where it says more.
    fn name_alone(&self) -> Option<Self> {
        match self {
            Self::Function(pattern) => Some(Self::Function(pattern.name_alone()?)),
            Self::Place { module, function } => {
                Some(Self::Place { module: module.clone(), function: function.name_alone()? })
            }
            Self::Symbol(_) | Self::Path(_) | Self::File(_) => None,
        }
    }

    /// `None` where that is not known.
    fn is_about(&self, function: &FilteredFunction<'_>) -> Option<bool> {
        match self {
            Self::Function(pattern) => Some(pattern.matches(function.name)),
            Self::Symbol(pattern) => {
                Some(function.symbols?.iter().any(|symbol| pattern.matches(symbol)))
            }
            Self::Place { module, function: name } => {
                Some(module.matches(function.module) && name.matches(function.name))
            }
            // Whatever the folders are: all files.
            Self::Path(pattern) if *pattern == NamePattern::any() => Some(true),
            Self::Path(pattern) => Some(pattern.matches(function.path?)),
            Self::File(pattern) => {
                Some(pattern.matches(function.module.rsplit('/').next().unwrap_or_default()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function<'a>(name: &'a str, module: &'a str) -> FilteredFunction<'a> {
        FilteredFunction { name, module, symbols: None, path: None }
    }

    fn pattern(text: &str) -> NamePattern {
        NamePattern::with_signs(text, '#', '?')
    }

    fn named(text: &str) -> CodeFilter {
        let mut filter = CodeFilter::default();
        filter.add(FilterTarget::Function(pattern(text)), FilterEffect::LeaveOut);
        filter
    }

    #[test]
    fn of_rules_about_the_same_the_last_one_counts() {
        let mut filter = named("#");
        filter.add(FilterTarget::Function(pattern("keep#")), FilterEffect::Keep);
        filter.add(FilterTarget::Function(pattern("keep_not")), FilterEffect::LeaveOut);
        let told = ["f", "keep", "keep_it", "keep_not"]
            .map(|name| filter.leaves_out(&function(name, "a.c")));
        assert_eq!(told, [true, false, false, true]);
    }

    #[test]
    fn a_file_or_a_name_is_enough() {
        let mut filter = named("f");
        filter.add(FilterTarget::File(pattern("b.#")), FilterEffect::LeaveOut);
        filter.add(FilterTarget::Function(pattern("g")), FilterEffect::Keep);
        let told = [("f", "a.c"), ("g", "a.c"), ("g", "b.c"), ("h", "src/b.c")]
            .map(|(name, module)| filter.leaves_out(&function(name, module)));
        assert_eq!(told, [true, false, true, true]);
    }

    #[test]
    fn names_of_other_tools_are_compared_by_the_name_alone() {
        for pattern in [
            "int sort(int)",
            "sort(#",
            "char * sort(char *, int)",
            "char *sort(char *)",
            "sort [{list.c} {20,1}-{30,1}]",
            "sort #",
            "s#t(#",
        ] {
            assert!(named(pattern).leaves_out(&function("sort", "list.c")), "{pattern}");
            assert!(!named(pattern).leaves_out(&function("resort", "list.c")), "{pattern}");
        }
        let template = named("std::map<int, char> list<a, b>::sort(int)");
        assert!(template.leaves_out(&function("list<a, b>::sort", "list.c")));
        let called = named("void f::operator()(int)");
        assert!(called.leaves_out(&function("f::operator()", "a.cpp")));
    }

    #[test]
    fn what_is_not_known_leaves_nothing_out() {
        let mut filter = named("#");
        filter.add(FilterTarget::Symbol(pattern("_Z4keepv")), FilterEffect::Keep);
        filter.add(FilterTarget::Path(pattern("/usr/#")), FilterEffect::LeaveOut);
        assert!(!filter.leaves_out(&function("f", "a.c")));
        let symbols = ["_Z1fv".to_owned()];
        let known = FilteredFunction { symbols: Some(&symbols), ..function("f", "a.c") };
        assert!(filter.leaves_out(&known));
        let kept = ["_Z4keepv".to_owned()];
        let kept = FilteredFunction { symbols: Some(&kept), ..function("keep", "a.c") };
        assert!(!filter.leaves_out(&kept));
        assert!(filter.leaves_out(&FilteredFunction { path: Some("/usr/a.c"), ..kept }));
    }

    #[test]
    fn a_resource_is_a_function_in_a_module() {
        let mut filter = CodeFilter::default();
        let place = FilterTarget::Place { module: pattern("a.c"), function: pattern("f#") };
        filter.add(place, FilterEffect::LeaveOut);
        let told = ["/Code/a.c/f1", "/Code/b.c/f1", "/Code/a.c", "/File/a.c/f1", "/Code/a.c/g"]
            .map(|code| filter.leaves_out_code(&code.parse().expect("well formed")));
        assert_eq!(told, [true, false, false, false, false]);
    }
}
