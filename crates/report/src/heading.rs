//! Which trial it is, in a line.

use std::io;

use model::{Fingerprint, Settings, Trial};

use crate::page::{Page, Role};
use model::place::{IN_A_DIRECTORY, is_exact};

/// The fingerprint's items that may hold the kernel's release, the best first.
const RELEASE_ITEMS: [&str; 2] = ["kernel.release", "kernel"];

/// The kernel's release, as `uname -r` says, where the fingerprint has it.
pub(crate) fn release(fingerprint: &Fingerprint) -> Option<&str> {
    RELEASE_ITEMS.into_iter().find_map(|item| fingerprint.get(item))
}

/// The filesystem and the settings that differ from the defaults as `fs=xfs mount="a b"`. The kernel's
/// release stands elsewhere.
///
/// In a directory only the settings that mean something there are shown.
pub(crate) fn variant(place: &str, settings: &Settings) -> String {
    let pair = |(key, value): (String, String)| match value.contains(char::is_whitespace) {
        true => format!("{key}=\"{value}\""),
        false => format!("{key}={value}"),
    };
    let fs = ("fs".to_owned(), settings.fs.to_string());
    let others = settings.changed().into_iter();
    let elsewhere = ["fs", "kernel", "kernel.modules", "kernel.repo"];
    let others = others.filter(|(key, _)| !elsewhere.contains(&key.as_str()));
    let shown = std::iter::once(fs).chain(others);
    let shown = shown.filter(|(key, _)| is_exact(place) || IN_A_DIRECTORY.contains(&key.as_str()));
    shown.map(pair).collect::<Vec<_>>().join(" ")
}

/// `dd-sync [fs=xfs]`, or only the case's name.
pub(crate) fn title(trial: &Trial) -> String {
    match variant(&trial.spec.place, &trial.spec.settings) {
        variant if variant.is_empty() => trial.spec.case.clone(),
        variant => format!("{} [{variant}]", trial.spec.case),
    }
}

/// The commit from which the kernel was built, shortened as kernel people do.
fn commit(settings: &Settings) -> Option<&str> {
    let named = settings.kernel_repo.as_ref().and(settings.kernel.as_deref())?;
    let whole = named.len() == 40 && named.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then(|| &named[..12])
}

/// Writes the heading of a trial, or of `more` others with it.
pub(crate) fn write(page: &mut Page<'_>, trial: &Trial, more: usize) -> io::Result<()> {
    let mut facts = format!("seed {}", trial.spec.seed);
    if let Some(release) = release(&trial.fingerprint) {
        facts += &format!("  kernel {release}");
    }
    if let Some(commit) = commit(&trial.spec.settings) {
        facts += &format!(" ({commit})");
    }
    facts += &format!("  {}  {}", trial.spec.place, trial.id);
    if more > 0 {
        facts += &format!(" and {more} more");
    }
    let title = page.plain(&title(trial));
    let facts = page.plain(&facts);
    let wide = crate::text::width(&title) + 2 + crate::text::width(&facts);
    if wide <= page.style.width {
        return page.line(&[(Role::Strong, &title), (Role::Plain, "  "), (Role::Plain, &facts)]);
    }
    page.labelled("", Role::Strong, &title)?;
    page.line(&[(Role::Plain, "  "), (Role::Plain, &facts)])
}
