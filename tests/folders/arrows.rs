//! The dependencies between modules. They are read from the sources' `use` lines, other paths and macros' tokens.
//! `crate`, `self` and `super` are resolved, and re-exports are traced to the definition of a name.
//!
//! A re-export alone is not a dependency, since a folder's root names its parts without building on them. Not seen are
//! methods called on a value whose type is never named, and paths that a macro builds. Modules of tests are left out,
//! since a test may use everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};

/// A module's path from the root of its crate: `["media", "av"]`.
pub type Name = Vec<String>;

/// The modules of a crate, each with the paths that it names.
#[derive(Debug, Default)]
pub struct Modules {
    paths: BTreeMap<Name, Paths>,
}

/// The paths in a module.
#[derive(Debug, Default)]
struct Paths {
    /// The names that a `use` imports: the local name, its path, and true if it is public, which matters for
    /// re-exports.
    imports: Vec<(String, Name, bool)>,
    /// Modules imported with `*`.
    globs: Vec<Name>,
    /// Paths in the code.
    used: Vec<Name>,
}

impl Modules {
    /// Reads the crate with this root file, with every module file except those of tests.
    pub fn read(root: &Path) -> Self {
        let mut modules = Self::default();
        modules.read_file(root, root.parent().expect("a file lies in a folder"), Vec::new());
        modules
    }

    /// Reads the module `name` from `file`. Its children are in `folder`.
    fn read_file(&mut self, file: &Path, folder: &Path, name: Name) {
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut paths = Paths::default();
        paths.visit_file(&syntax);
        self.paths.insert(name.clone(), paths);
        for item in &syntax.items {
            let syn::Item::Mod(module) = item else { continue };
            if module.content.is_some() || is_for_tests(&module.attrs) {
                continue;
            }
            let stem = module.ident.to_string();
            let own = [name.clone(), vec![stem.clone()]].concat();
            let inside = folder.join(&stem);
            // If an attribute names a different file for another system, the one without the attribute is read.
            let beside = folder.join(format!("{stem}.rs"));
            let file = if beside.exists() { beside } else { inside.join("mod.rs") };
            self.read_file(&file, &inside, own);
        }
    }

    /// Returns every module with the modules that it names, except itself.
    pub fn arrows(&self) -> BTreeMap<Name, BTreeSet<Name>> {
        let targets = |module: &Name| {
            let paths = &self.paths[module];
            let private = paths.imports.iter().filter(|(_, _, is_public)| !is_public);
            let imported = private.map(|(_, path, _)| path).chain(&paths.globs);
            let named = imported.chain(&paths.used).filter_map(|path| self.target(module, path, 0));
            named.filter(|target| target != module).collect()
        };
        self.paths.keys().map(|module| (module.clone(), targets(module))).collect()
    }

    /// Returns the module that defines what `path`, written in `module`, refers to. `None` if another crate does.
    fn target(&self, module: &Name, path: &[String], depth: usize) -> Option<Name> {
        // Ends circles of re-exports, which the compiler would not accept.
        if depth > 9 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let (mut here, mut rest) = match first.as_str() {
            "crate" => (Name::new(), rest),
            "self" => (module.clone(), rest),
            "super" => (module[..module.len().checked_sub(1)?].to_vec(), rest),
            child if self.paths.contains_key(&[module.as_slice(), &[child.to_owned()]].concat()) => {
                (module.clone(), path)
            }
            name => {
                let (_, imported, _) = self.paths[module].imports.iter().find(|(known, ..)| known == name)?;
                return self.target(module, &[imported.as_slice(), rest].concat(), depth + 1);
            }
        };
        while let Some((next, after)) = rest.split_first() {
            let child = [here.as_slice(), std::slice::from_ref(next)].concat();
            if next == "super" {
                here.pop()?;
            } else if self.paths.contains_key(&child) {
                here = child;
            } else {
                let exports = &self.paths[&here].imports;
                let export = exports.iter().find(|(known, _, is_public)| *is_public && known == next);
                return match export {
                    Some((_, path, _)) if &here != module => {
                        self.target(&here, &[path.as_slice(), after].concat(), depth + 1).or(Some(here))
                    }
                    _ => Some(here),
                };
            }
            rest = after;
        }
        Some(here)
    }
}

/// Returns groups of modules where each can reach every other along arrows.
pub fn circles(arrows: &BTreeMap<Name, BTreeSet<Name>>) -> Vec<BTreeSet<Name>> {
    let reached = |from: &Name| {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
        while let Some(targets) = todo.pop().and_then(|module| arrows.get(module)) {
            todo.extend(targets.iter().filter(|target| seen.insert((*target).clone())));
        }
        seen
    };
    let reach: BTreeMap<&Name, BTreeSet<Name>> = arrows.keys().map(|module| (module, reached(module))).collect();
    let mut circles: Vec<BTreeSet<Name>> = Vec::new();
    for (module, reachable) in &reach {
        let with_it = reachable.iter().filter(|other| reach.get(other).is_some_and(|back| back.contains(*module)));
        let circle: BTreeSet<Name> = with_it.cloned().collect();
        if !circle.is_empty() && !circles.contains(&circle) {
            circles.push(circle);
        }
    }
    circles
}

/// Returns the arrows between the rooms of a folder: each module in it stands for itself and all that is in its folder.
pub fn between_rooms(arrows: &BTreeMap<Name, BTreeSet<Name>>, folder: &Name) -> BTreeMap<Name, BTreeSet<Name>> {
    let room = |module: &Name| {
        let is_inside = module.len() > folder.len() && module.starts_with(folder);
        is_inside.then(|| module[..=folder.len()].to_vec())
    };
    let mut rooms: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for (module, targets) in arrows {
        let Some(from) = room(module) else { continue };
        rooms.entry(from.clone()).or_default().extend(targets.iter().filter_map(room).filter(|to| *to != from));
    }
    rooms
}

/// Returns every module that has others in its folder, and the root.
pub fn folders(arrows: &BTreeMap<Name, BTreeSet<Name>>) -> BTreeSet<Name> {
    arrows.keys().filter_map(|module| Some(module[..module.len().checked_sub(1)?].to_vec())).collect()
}

impl Paths {
    fn import(&mut self, tree: &syn::UseTree, mut path: Name, is_public: bool) {
        match tree {
            syn::UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.import(&part.tree, path, is_public);
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path.clone(), is_public);
                }
            }
            syn::UseTree::Glob(_) => self.globs.push(path),
            syn::UseTree::Name(name) if name.ident == "self" => {
                let known = path.last().cloned().unwrap_or_default();
                self.imports.push((known, path, is_public));
            }
            syn::UseTree::Name(name) => {
                path.push(name.ident.to_string());
                self.imports.push((name.ident.to_string(), path, is_public));
            }
            syn::UseTree::Rename(rename) => {
                path.push(rename.ident.to_string());
                self.imports.push((rename.rename.to_string(), path, is_public));
            }
        }
    }

    /// Finds paths among the tokens of a macro call, which the parser does not parse.
    fn words(&mut self, tokens: proc_macro2::TokenStream) {
        let mut path = Name::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(word) => {
                    if colons != 2 {
                        self.used.push(std::mem::take(&mut path));
                    }
                    path.push(word.to_string());
                    colons = 0;
                }
                proc_macro2::TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                proc_macro2::TokenTree::Group(group) => {
                    self.words(group.stream());
                    colons = 0;
                }
                _ => colons = 0,
            }
        }
        self.used.push(path);
    }
}

impl<'ast> Visit<'ast> for Paths {
    /// `pub(super)` and the like only limit visibility: no arrow.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.import(&item.tree, Name::new(), !matches!(item.vis, syn::Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.used.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.words(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_test = |list: &syn::MetaList| list.tokens.to_string() == "test";
        attribute.path().is_ident("cfg") && attribute.meta.require_list().is_ok_and(is_test)
    })
}
