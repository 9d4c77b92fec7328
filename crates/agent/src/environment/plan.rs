//! A section that is still to be read.

use std::time::Duration;

use super::patience::{self, within};
use super::tree::Tree;
use super::{Section, attributes};

type Reading = Box<dyn FnOnce(&Tree) -> Result<String, String> + Send>;

/// What a section is called and how its text is read.
pub(super) struct Plan {
    tree: Tree,
    title: String,
    source: String,
    read: Reading,
    limit: Duration,
}

impl Plan {
    pub(super) fn new(
        tree: &Tree,
        title: impl Into<String>,
        source: impl Into<String>,
        read: impl FnOnce(&Tree) -> Result<String, String> + Send + 'static,
    ) -> Self {
        Plan {
            tree: tree.clone(),
            title: title.into(),
            source: source.into(),
            read: Box::new(read),
            limit: patience::SHORT,
        }
    }

    /// One file as it is.
    pub(super) fn file(tree: &Tree, title: &str, name: &str) -> Self {
        let file = name.to_owned();
        let read = move |tree: &Tree| tree.read(&file).map_err(|why| why.to_string());
        Plan::new(tree, title, name, read)
    }

    /// Files of one folder, as [`attributes::lines`] gives them.
    pub(super) fn list(tree: &Tree, title: &str, folder: &str, names: Vec<String>) -> Self {
        let base = folder.to_owned();
        let read = move |tree: &Tree| attributes::section(tree, &base, &names);
        Plan::new(tree, title, folder, read)
    }

    /// A text that is known already, or why there is none.
    pub(super) fn known(
        tree: &Tree,
        title: &str,
        source: &str,
        text: Result<String, String>,
    ) -> Self {
        Plan::new(tree, title, source, move |_| text)
    }

    pub(super) fn patient(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    pub(super) fn carry_out(self) -> Section {
        let Plan { tree, title, source, read, limit } = self;
        let text = within(limit, move || read(&tree)).and_then(|text| text);
        let text = text.and_then(|text| match text.trim().is_empty() {
            true => Err("there is nothing to tell".to_owned()),
            false => Ok(text),
        });
        Section { title, source, text }
    }
}
