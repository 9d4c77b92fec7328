//! One phase of one trial, as a further pass saw it.

use std::io;

use model::account::{Account, Accounts};
use model::trace::MemoryAt;
use model::{Observation, observation::DisksView};

use crate::page::{Page, Role};

/// A phase of a trial that is shown, by itself or beside the same one of another side.
pub(super) struct Seen<'a> {
    /// What it is called in a table.
    pub(super) short: &'a str,
    /// What stands above what is said of it, where others are shown as well.
    name: Option<String>,
    pub(super) account: &'a Account,
    notes: &'a [String],
    /// The disks, from the pass itself or from another.
    pub(super) disks: Option<&'a DisksView>,
    pub(super) memory: &'a [MemoryAt],
}

impl<'a> Seen<'a> {
    pub(super) fn new(
        (short, name): (&'a str, Option<String>),
        account: &'a Account,
        accounts: &'a Accounts,
        observation: Option<&'a Observation>,
    ) -> Seen<'a> {
        let label = account.label();
        let mut views = observation.iter().flat_map(|seen| &seen.phases);
        let view = views.find(|view| view.phase == label);
        Seen {
            short,
            name,
            account,
            notes: &accounts.notes,
            disks: account.disks.as_ref().or(view.and_then(|view| view.disks.as_ref())),
            memory: view.map_or(&[], |view| &view.memory),
        }
    }

    /// What is said of something that was not seen.
    pub(super) fn not_available(&self) -> &'static str {
        super::not_available(self.notes)
    }

    /// Writes of which side the following is.
    pub(super) fn title(&self, page: &mut Page<'_>) -> io::Result<()> {
        match &self.name {
            Some(name) => page.line(&[(Role::Plain, "    "), (Role::Strong, name)]),
            None => Ok(()),
        }
    }
}
