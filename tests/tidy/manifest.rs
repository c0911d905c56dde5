//! Reads of a `Cargo.toml` what the rules ask: dependencies, and kinds of library.

use crate::tree::{Source, Tree};

/// One dependency that ships: not one of tests alone.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// The condition of its table: `cfg(loom)` and the like, empty for none.
    pub(crate) condition: String,
    pub(crate) line: usize,
}

/// The manifest of one package.
#[derive(Debug)]
pub(crate) struct Manifest<'a> {
    pub(crate) file: &'a Source,
    /// Folder from the root; empty for the root package.
    pub(crate) folder: &'a str,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) is_cdylib: bool,
}

impl Manifest<'_> {
    pub(crate) fn uses(&self, name: &str) -> bool {
        self.dependencies.iter().any(|dependency| dependency.name == name)
    }
}

/// Every manifest of the tree.
pub(crate) fn manifests(tree: &Tree) -> Vec<Manifest<'_>> {
    tree.files.iter().filter_map(manifest).collect()
}

fn manifest(file: &Source) -> Option<Manifest<'_>> {
    let folder = file.path.strip_suffix("Cargo.toml")?.trim_end_matches('/');
    let is_cdylib =
        file.text.lines().any(|line| line.starts_with("crate-type") && line.contains("cdylib"));
    Some(Manifest { file, folder, dependencies: dependencies(&file.text), is_cdylib })
}

fn dependencies(text: &str) -> Vec<Dependency> {
    let mut condition = None;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(table) = line.strip_prefix('[') {
            condition = table_condition(table.trim_end_matches(']'));
        } else if let (Some(condition), Some((key, _))) = (&condition, line.split_once('=')) {
            let name = key.trim().trim_end_matches(".workspace").trim_matches('"').to_owned();
            if !name.starts_with('#') {
                found.push(Dependency { name, condition: condition.clone(), line: number + 1 });
            }
        }
    }
    found
}

/// The condition of a table of dependencies that ship; nothing for other tables.
fn table_condition(table: &str) -> Option<String> {
    match table {
        "dependencies" | "build-dependencies" => Some(String::new()),
        _ => {
            let condition = table.strip_prefix("target.")?.strip_suffix(".dependencies")?;
            Some(condition.trim_matches(['\'', '"']).to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::dependencies;

    #[test]
    fn shipped_dependencies_are_told_from_those_of_tests() {
        let text = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\n# b = 1\n\
                    [target.'cfg(loom)'.dependencies]\nloom = { version = \"1\" }\n[dev-dependencies]\nc = \"1\"\n";
        let found = dependencies(text);
        let names: Vec<_> = found.iter().map(|d| (d.name.as_str(), d.condition.as_str())).collect();
        assert_eq!(names, [("a", ""), ("loom", "cfg(loom)")]);
        assert_eq!(found[0].line, 4);
    }
}
