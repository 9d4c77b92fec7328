//! The first phase: makes a fileset, or uses again what is there of it.

use std::path::{Path, PathBuf};

use model::ffsb::Fileset;

use super::calls::{Access, Calls};
use super::catalogue::Catalogue;
use super::folders::{self, Found};
use super::names::{Name, Place};
use super::random::Random;
use super::sizes::Sizes;
use super::transfer::write_blocks;
use super::trouble::Trouble;
use crate::failure::{Failure, While as _};
use crate::gaps::Gaps;
use crate::pages::Pages;

/// One filesystem with its files.
#[derive(Debug)]
pub(super) struct Set {
    /// The folder `data`.
    pub(super) data: PathBuf,
    pub(super) files: Catalogue,
    pub(super) sizes: Sizes,
}

/// Up to where files are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    Files(u64),
    /// Bytes of all files.
    Bytes(u64),
    /// How full the filesystem is, in thousandths.
    Thousandths(u32),
}

impl Goal {
    /// As in the original, files are counted where the profile says how many.
    fn of(fileset: &Fileset) -> Self {
        match (fileset.num_files, fileset.init_size, fileset.init_util) {
            (0, Some(bytes), _) => Goal::Bytes(bytes),
            (0, None, Some(full)) => Goal::Thousandths(full),
            (files, ..) => Goal::Files(files),
        }
    }

    /// Whether files are still to be made where there are `files` of `bytes`.
    fn lies_ahead(self, root: &Path, files: u64, bytes: u64) -> Result<bool, Failure> {
        Ok(match self {
            Goal::Files(wanted) => files < wanted,
            Goal::Bytes(wanted) => bytes < wanted,
            Goal::Thousandths(wanted) => fullness(root)? < u64::from(wanted),
        })
    }
}

/// How full a filesystem is, in thousandths: used of all blocks, as the original has it.
fn fullness(root: &Path) -> Result<u64, Failure> {
    let stat =
        rustix::fs::statvfs(root).in_setup(format!("finding how full {} is", root.display()))?;
    let used = stat.f_blocks.saturating_sub(stat.f_bfree);
    Ok(used.saturating_mul(1000).checked_div(stat.f_blocks).unwrap_or(0))
}

/// Makes the fileset below `root`, where a former one is removed, or used again as far as it fits.
///
/// # Errors
/// It cannot be made, or something of others is in the way.
pub(super) fn build(fileset: &Fileset, root: &Path, random: Random) -> Result<Set, Failure> {
    let folders = u32::try_from(fileset.num_dirs)
        .map_err(|_| Failure::setup("num_dirs is too large: at most 4294967295"))?;
    let sizes = Sizes::new(fileset);
    let data = folders::data(root);
    let kept = clear(fileset, &sizes, root, folders)?;
    folders::make(&data)?;
    folders::make(&folders::meta(root))?;
    for folder in 0..folders {
        folders::make(&super::names::folder_path(&data, folder))?;
    }
    let places: Vec<Place> = kept.iter().map(|(place, _)| *place).collect();
    let set = Set { files: Catalogue::new(folders, &places), data, sizes };
    fill(&set, root, fileset, random, &kept)?;
    Ok(set)
}

/// Removes what is there of a former fileset and cannot be used; what can.
fn clear(
    fileset: &Fileset,
    sizes: &Sizes,
    root: &Path,
    folders: u32,
) -> Result<Vec<(Place, u64)>, Failure> {
    let data = folders::data(root);
    let mut found = folders::find(&data)?;
    folders::remove_empty(&folders::meta(root))?;
    if !fileset.reuse {
        folders::remove(&data, &found)?;
        folders::remove_empty(&data)?;
        return Ok(Vec::new());
    }
    let kept = keep(&mut found, Goal::of(fileset), sizes, folders);
    folders::remove(&data, &found)?;
    Ok(kept)
}

/// Takes out of `found` what the profile asks for.
fn keep(found: &mut Found, goal: Goal, sizes: &Sizes, folders: u32) -> Vec<(Place, u64)> {
    let (mut kept, mut bytes): (Vec<(Place, u64)>, u64) = (Vec::new(), 0);
    found.files.retain(|(place, size)| {
        let wanted = match goal {
            Goal::Files(files) => (kept.len() as u64) < files,
            Goal::Bytes(wanted) => bytes < wanted,
            Goal::Thousandths(_) => true,
        };
        let again = kept.last().is_some_and(|(last, _)| last.number == place.number);
        let there = place.folder.is_none_or(|folder| folder < folders);
        let keeps = wanted && !again && there && sizes.allow(*size);
        if keeps {
            kept.push((*place, *size));
            bytes += size;
        }
        !keeps
    });
    found.folders.retain(|folder| *folder >= folders);
    kept
}

/// Makes files up to the goal.
fn fill(
    set: &Set,
    root: &Path,
    fileset: &Fileset,
    mut random: Random,
    kept: &[(Place, u64)],
) -> Result<(), Failure> {
    let goal = Goal::of(fileset);
    let (mut files, mut bytes) = (kept.len() as u64, kept.iter().map(|(_, size)| size).sum());
    if !matches!(goal, Goal::Files(_)) && set.sizes.only_empty() {
        return Err(Failure::setup("empty files fill nothing: give max_filesize or size_weight"));
    }
    let buffer = Pages::new(usize::try_from(fileset.create_blocksize).unwrap_or(usize::MAX))
        .in_setup("allocating a block of create_blocksize")?;
    let (gaps, mut name) = (Gaps::new(), Name::new());
    let mut calls = Calls::new(&gaps, None);
    while goal.lies_ahead(root, files, bytes)? {
        let size = set.sizes.pick(&mut random);
        make_file(set, size, &mut random, fileset.create_blocksize, &buffer, &mut name, &mut calls)
            .map_err(|trouble| {
                let reason = trouble.describe(&name.shown(), false);
                Failure::setup(format!("building the fileset: {reason}"))
            })?;
        files += 1;
        bytes += size;
    }
    Ok(())
}

fn make_file(
    set: &Set,
    size: u64,
    random: &mut Random,
    block: u64,
    buffer: &[u8],
    name: &mut Name,
    calls: &mut Calls<'_>,
) -> Result<(), Trouble> {
    let claim = set.files.new_file(random);
    name.set_file(&set.data, claim.place);
    let file = calls.open(name.as_c_str(), Access::Create, false)?;
    write_blocks(calls, &file, 0, size, buffer, block)?;
    calls.close(file)?;
    set.files.made(claim);
    Ok(())
}
