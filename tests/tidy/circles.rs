//! No module of a crate depends on itself through its siblings.
//!
//! For siblings A and B below one parent there is an edge from A to B where anything inside A names anything inside B: in a `use`, in a path,
//! or in the tokens of a macro call. A name that a module re-exports leads to the module that re-exports it and to the one that defines it.
//! A parent and its child are one unit, so `mod` declarations, `super::Name` and `child::Name` are no edges. Code under `cfg(test)` does not count.
//! A method call names no module, and a macro that is found by its place in the text is not followed.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, ItemUse, Meta, UseTree};

use crate::checkout::{Source, checkout};
use crate::refuse;

/// Each crate with the file that is its root.
const ROOTS: [(&str, &str); 15] = [
    ("code", "code/src/lib.rs"),
    ("command", "command/main.rs"),
    ("consultant", "consultant/src/lib.rs"),
    ("daemon", "daemon/src/lib.rs"),
    ("experiments", "experiments/src/lib.rs"),
    ("extrapolate", "extrapolate/src/lib.rs"),
    ("viewer", "viewer/src/lib.rs"),
    ("inject", "inject/src/lib.rs"),
    ("instrument", "instrument/src/lib.rs"),
    ("layout", "layout/src/lib.rs"),
    ("model", "model/src/lib.rs"),
    ("probes", "probes/src/lib.rs"),
    ("runtime", "runtime/src/lib.rs"),
    ("testkit", "testkit/src/lib.rs"),
    ("xtask", "xtask/src/main.rs"),
];

/// The names from the crate's root down to a module; empty for the root.
type ModulePath = Vec<String>;

/// What a module defines, imports and names.
#[derive(Default)]
struct Module {
    file: String,
    items: BTreeSet<String>,
    /// A name in the module's scope, with the path that it stands for.
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    mentions: Vec<Mention>,
}

/// A path in the text of a module.
struct Mention {
    segments: Vec<String>,
    line: usize,
}

/// One crate, read from its root on.
struct CrateModules<'a> {
    files: &'a [Source],
    modules: BTreeMap<ModulePath, Module>,
}

impl<'a> CrateModules<'a> {
    fn read(files: &'a [Source], root: &str) -> Self {
        let mut read = Self { files, modules: BTreeMap::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        read.file(root, folder, Vec::new());
        read
    }

    /// A module that has a file of its own; the files of its children lie in `folder`.
    fn file(&mut self, path: &str, folder: &str, at: ModulePath) {
        let source = self.files.iter().find(|file| file.path == path);
        let source = source.unwrap_or_else(|| panic!("{path} is declared as a module"));
        let File { items, .. } =
            syn::parse_file(&source.text).unwrap_or_else(|error| panic!("{path}: {error}"));
        self.items(&items, path, folder, at);
    }

    fn items(&mut self, items: &[Item], path: &str, folder: &str, at: ModulePath) {
        let mut module = Module { file: path.to_owned(), ..Module::default() };
        for item in items {
            module.visit_item(item);
            let Item::Mod(child) = item else { continue };
            if is_for_tests(&child.attrs) {
                continue;
            }
            let name = child.ident.to_string();
            let inside = [at.as_slice(), std::slice::from_ref(&name)].concat();
            let below = format!("{folder}/{name}");
            if let Some((_, items)) = &child.content {
                self.items(items, path, &below, inside);
            } else {
                let candidates = [format!("{below}.rs"), format!("{below}/mod.rs")];
                let is_there = |path: &&String| self.files.iter().any(|file| file.path == **path);
                let file = candidates.iter().find(is_there);
                let file = file.unwrap_or_else(|| panic!("{path} declares `mod {name}`"));
                self.file(&file.clone(), &below, inside);
            }
        }
        self.modules.insert(at, module);
    }

    /// Every module that a path leads through, from the scope of a module on.
    fn reached(&self, from: &ModulePath, segments: &[String], reached: &mut BTreeSet<ModulePath>) {
        self.follow(from, segments, Names::InScope, &mut Walk { reached, steps: 0 });
    }

    /// Whether the first of the segments was found.
    fn follow(
        &self,
        at: &ModulePath,
        segments: &[String],
        names: Names,
        walk: &mut Walk<'_>,
    ) -> bool {
        walk.steps += 1;
        // Imports may lead in a circle.
        let Some((first, rest)) = segments.split_first().filter(|_| walk.steps < 200) else {
            return true;
        };
        let moved = match (first.as_str(), names) {
            ("crate", Names::InScope) => Some(Vec::new()),
            ("self", _) => Some(at.clone()),
            ("super", _) => Some(at[..at.len().saturating_sub(1)].to_vec()),
            _ => Some([at.as_slice(), std::slice::from_ref(first)].concat())
                .filter(|child| self.modules.contains_key(child)),
        };
        if let Some(moved) = moved {
            walk.reached.insert(moved.clone());
            self.follow(&moved, rest, Names::Inside, walk);
            return true;
        }
        let Some(module) = self.modules.get(at) else { return false };
        if module.items.contains(first) {
            return true;
        }
        if let Some(import) = module.imports.get(first) {
            // `use object::Object` is of another crate where no module has the first name.
            if import.first() != Some(first) || import.len() > 1 {
                self.follow(at, &[import.as_slice(), rest].concat(), Names::InScope, walk);
            }
            return true;
        }
        module.globs.iter().any(|glob| {
            let path = [glob.as_slice(), segments].concat();
            glob.first() != Some(first) && self.leads_to_name(at, &path, walk)
        })
    }

    /// Follows a path through a glob import, and takes its modules in only when the name is there.
    fn leads_to_name(&self, at: &ModulePath, path: &[String], walk: &mut Walk<'_>) -> bool {
        let mut reached = BTreeSet::new();
        let mut trial = Walk { reached: &mut reached, steps: walk.steps };
        let Some(holder) = self.module_of_glob(at, path) else { return false };
        let is_there = self.modules.contains_key(&holder)
            && self.follow(&holder, &path[path.len() - 1..], Names::Inside, &mut trial);
        if is_there {
            reached.insert(holder);
            walk.reached.append(&mut reached);
        }
        is_there
    }

    /// The module that all but the last segment lead to: the last one that was entered.
    fn module_of_glob(&self, at: &ModulePath, path: &[String]) -> Option<ModulePath> {
        let mut holder = at.clone();
        for segment in &path[..path.len() - 1] {
            match segment.as_str() {
                "crate" => holder.clear(),
                "self" => {}
                "super" => drop(holder.pop()?),
                name => holder.push(name.to_owned()),
            }
        }
        Some(holder)
    }

    /// Below each parent: who names whom, with one place as evidence.
    fn edges(&self) -> BTreeMap<ModulePath, BTreeMap<(String, String), String>> {
        let mut edges: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for (from, module) in &self.modules {
            for mention in &module.mentions {
                let mut reached = BTreeSet::new();
                self.reached(from, &mention.segments, &mut reached);
                for to in reached {
                    let shared =
                        from.iter().zip(&to).take_while(|(one, other)| one == other).count();
                    if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                        let place = format!("{}:{}", module.file, mention.line);
                        let siblings = edges.entry(from[..shared].to_vec()).or_default();
                        siblings.entry((one.clone(), other.clone())).or_insert_with(|| {
                            format!("{place} names {}", mention.segments.join("::"))
                        });
                    }
                }
            }
        }
        edges
    }
}

/// Which names the first segment of a path may have.
#[derive(Clone, Copy)]
enum Names {
    /// The path begins here.
    InScope,
    /// An earlier segment led into this module.
    Inside,
}

struct Walk<'a> {
    reached: &'a mut BTreeSet<ModulePath>,
    steps: usize,
}

impl Module {
    fn mention(&mut self, segments: Vec<String>, span: Span) {
        self.mentions.push(Mention { segments, line: span.start().line });
    }

    fn import(&mut self, tree: &UseTree, before: &[String], span: Span) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.import(&path.tree, &with(&path.ident), span),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, before, span));
            }
            UseTree::Glob(_) => {
                self.globs.push(before.to_vec());
                self.mention(before.to_vec(), span);
            }
            UseTree::Name(name) if name.ident == "self" => {
                self.imported(before.last().cloned().unwrap_or_default(), before.to_vec(), span);
            }
            UseTree::Name(name) => self.imported(name.ident.to_string(), with(&name.ident), span),
            UseTree::Rename(name) => {
                self.imported(name.rename.to_string(), with(&name.ident), span)
            }
        }
    }

    fn imported(&mut self, name: String, path: Vec<String>, span: Span) {
        self.mention(path.clone(), span);
        self.imports.insert(name, path);
    }

    /// The paths among the tokens of a macro call or of a macro's definition.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        let mut start = Span::call_site();
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.mention(std::mem::take(&mut path), start);
                        start = ident.span();
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.mention(std::mem::take(&mut path), start);
                    self.tokens(group.stream());
                }
                _ => self.mention(std::mem::take(&mut path), start),
            }
        }
        self.mention(path, start);
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name): (&[Attribute], _) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Union(item) => (&item.attrs, Some(&item.ident)),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Impl(item) => (&item.attrs, None),
            Item::Use(item) => (&item.attrs, None),
            Item::ForeignMod(item) => (&item.attrs, None),
            // Its items belong to another module.
            Item::Mod(_) => return,
            _ => (&[], None),
        };
        if !is_for_tests(attributes) {
            self.items.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }

    fn visit_foreign_item(&mut self, item: &'ast syn::ForeignItem) {
        let name = match item {
            syn::ForeignItem::Fn(item) => Some(&item.sig.ident),
            syn::ForeignItem::Static(item) => Some(&item.ident),
            _ => None,
        };
        self.items.extend(name.map(ToString::to_string));
        visit::visit_foreign_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if item.leading_colon.is_none() {
            self.import(&item.tree, &[], item.use_token.span);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string());
            let span = path.segments.first().map_or_else(Span::call_site, |one| one.ident.span());
            self.mention(segments.collect(), span);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        visit::visit_macro(self, call);
        self.tokens(call.tokens.clone());
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let mut tokens = list.tokens.clone().into_iter();
            tokens.next().is_some_and(|token| match token.to_string().as_str() {
                "test" => true,
                "all" => tokens.any(|group| match group {
                    TokenTree::Group(group) => {
                        group.stream().into_iter().any(|token| token.to_string() == "test")
                    }
                    _ => false,
                }),
                _ => false,
            })
        }
        _ => false,
    })
}

/// The siblings that reach each other, each set once.
fn circles(edges: &BTreeMap<(String, String), String>) -> Vec<BTreeSet<&String>> {
    let mut reach: BTreeSet<(&String, &String)> =
        edges.keys().map(|(from, to)| (from, to)).collect();
    loop {
        let longer: Vec<_> = reach
            .iter()
            .flat_map(|(from, middle)| {
                let onward = edges.keys().filter(move |(begin, _)| begin == *middle);
                onward.map(move |(_, to)| (*from, to))
            })
            .filter(|pair| !reach.contains(pair))
            .collect();
        if longer.is_empty() {
            break;
        }
        reach.extend(longer);
    }
    let mut found: Vec<BTreeSet<&String>> = Vec::new();
    for (one, _) in reach.iter().filter(|(from, to)| from == to) {
        let returns = |other: &&String| reach.contains(&(*other, *one));
        let members = reach.iter().filter(|(from, _)| from == one).map(|(_, to)| *to);
        let members: BTreeSet<&String> = members.filter(returns).collect();
        if !found.contains(&members) {
            found.push(members);
        }
    }
    found
}

fn complaints(files: &[Source], name: &str, root: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (parent, edges) in CrateModules::read(files, root).edges() {
        for circle in circles(&edges) {
            let inside = [&[name.to_owned()], parent.as_slice()].concat().join("::");
            let members: Vec<&str> = circle.iter().map(|member| member.as_str()).collect();
            let mut lines = vec![format!("{inside}: a circle of {}", members.join(", "))];
            let within =
                edges.iter().filter(|((from, to), _)| circle.contains(from) && circle.contains(to));
            lines.extend(within.map(|((from, to), place)| format!("    {from} -> {to}: {place}")));
            found.push(lines.join("\n"));
        }
    }
    found
}

#[test]
fn modules_depend_one_way() {
    let files = checkout();
    let found: Vec<String> =
        ROOTS.iter().flat_map(|(name, root)| complaints(&files, name, root)).collect();
    refuse(&found);
}

#[test]
fn every_crate_of_the_workspace_is_looked_at() {
    let files = checkout();
    let mut roots: Vec<&str> = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs"))
        .filter(|path| path.split('/').count() == 3)
        .chain(["command/main.rs"])
        .collect();
    roots.sort_unstable();
    let mut known: Vec<&str> = ROOTS.iter().map(|(_, root)| *root).collect();
    known.sort_unstable();
    assert_eq!(known, roots);
}

/// A crate with one circle below `part`, which goes through a re-export, a glob and the tokens of a macro.
fn planted() -> Vec<Source> {
    vec![
        Source::new(
            "planted/src/lib.rs",
            "mod leaf;\nmod part;\nmod user;\npub use part::Public;\n",
        ),
        // Only its tests name a sibling.
        Source::new(
            "planted/src/leaf.rs",
            "pub struct Leaf;\n#[cfg(test)]\nmod tests { use crate::user::User; }\n",
        ),
        Source::new(
            "planted/src/part/mod.rs",
            "mod first;\nmod second;\nmod third;\npub use first::Public;\nuse crate::leaf::Leaf;\n",
        ),
        // A child names its parent's items, and through the parent's import a module above.
        Source::new(
            "planted/src/part/first.rs",
            "use super::Leaf;\nuse super::second::*;\npub struct Public(Second, Leaf);\n",
        ),
        Source::new(
            "planted/src/part/second.rs",
            "pub struct Second;\nfn tell() { println!(\"{}\", super::third::tell()); }\n",
        ),
        Source::new("planted/src/part/third.rs", "pub fn tell(_: crate::Public) {}\n"),
        Source::new(
            "planted/src/user.rs",
            "use crate::{Public, leaf};\npub struct User(leaf::Leaf);\n",
        ),
    ]
}

#[test]
fn a_circle_below_a_parent_is_seen_and_nothing_else() {
    let found = complaints(&planted(), "planted", "planted/src/lib.rs");
    let seen = [
        "planted::part: a circle of first, second, third",
        "    first -> second: planted/src/part/first.rs:2 names super::second",
        "    second -> third: planted/src/part/second.rs:2 names super::third::tell",
        "    third -> first: planted/src/part/third.rs:1 names crate::Public",
    ];
    assert_eq!(found, [seen.join("\n")]);
}
