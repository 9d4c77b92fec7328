//! `/proc/meminfo`: what memory is used for.
//!
//! Source: `meminfo_proc_show` in `fs/proc/meminfo.c` and `Documentation/filesystems/proc.rst`. Its
//! kB are of 1024 bytes.

use crate::{Parsed, lines};

/// The file's lines, in bytes; `None` where the kernel prints no such line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meminfo {
    /// Memory that the kernel can use at all.
    pub total: Option<u64>,
    /// Memory that nothing uses.
    pub free: Option<u64>,
    /// What programs could get without swapping, as the kernel estimates; since 3.14.
    pub available: Option<u64>,
    /// Page cache of block devices: where filesystems keep their own blocks.
    pub buffers: Option<u64>,
    /// Page cache of files, without `buffers` and `swap_cached`.
    pub cached: Option<u64>,
    /// Memory that is in the swap too.
    pub swap_cached: Option<u64>,
    /// Memory that was used not long ago.
    pub active: Option<u64>,
    /// Memory that reclaim takes first.
    pub inactive: Option<u64>,
    /// Of `active`, what no file backs; since 2.6.28, as the next three.
    pub active_anon: Option<u64>,
    /// Of `inactive`, what no file backs.
    pub inactive_anon: Option<u64>,
    /// Of `active`, what files back.
    pub active_file: Option<u64>,
    /// Of `inactive`, what files back.
    pub inactive_file: Option<u64>,
    /// Memory that reclaim cannot take.
    pub unevictable: Option<u64>,
    /// Memory of all swap areas.
    pub swap_total: Option<u64>,
    /// Of these, what is free.
    pub swap_free: Option<u64>,
    /// Memory that waits to be written.
    pub dirty: Option<u64>,
    /// Memory that is being written.
    pub writeback: Option<u64>,
    /// Memory that no file backs and that is mapped.
    pub anon_pages: Option<u64>,
    /// Files that are mapped.
    pub mapped: Option<u64>,
    /// Shared memory and tmpfs; since 2.6.32.
    pub shmem: Option<u64>,
    /// The kernel's own objects.
    pub slab: Option<u64>,
    /// Of `slab`, what can be given back.
    pub s_reclaimable: Option<u64>,
    /// Of `slab`, what cannot.
    pub s_unreclaimable: Option<u64>,
    /// Stacks of the kernel; since 2.6.32.
    pub kernel_stack: Option<u64>,
    /// Page tables.
    pub page_tables: Option<u64>,
    /// Written to an NFS server and not yet stable there; always 0 since 5.8.
    pub nfs_unstable: Option<u64>,
    /// Copies of memory that a device cannot reach.
    pub bounce: Option<u64>,
    /// Memory that FUSE holds while it writes.
    pub writeback_tmp: Option<u64>,
    /// What may be promised to programs under `vm.overcommit_memory=2`.
    pub commit_limit: Option<u64>,
    /// What has been promised to programs.
    pub committed_as: Option<u64>,
    /// All other lines, in the file's order: bytes where the line says `kB`, else a count.
    pub others: Vec<(String, u64)>,
}

/// Reads the whole file.
// MemTotal:       24684084 kB
// Active(anon):       1552 kB
// HugePages_Total:       0
#[must_use]
pub fn parse(text: &str) -> Parsed<Meminfo> {
    lines::read(text, |meminfo: &mut Meminfo, line| {
        let (name, value) = line.split_once(':').ok_or("it has no colon")?;
        let value = amount(value.trim())?;
        match field(meminfo, name.trim()) {
            Some(field) => *field = Some(value),
            None => meminfo.others.push((name.trim().to_owned(), value)),
        }
        Ok(())
    })
}

fn amount(text: &str) -> Result<u64, String> {
    let Some(number) = text.strip_suffix("kB") else {
        return lines::counter(text);
    };
    // A sum that fell below zero is printed near 2^64 bytes: its kB no longer fit as bytes.
    let bytes = lines::counter(number.trim_end())?.checked_mul(1024);
    bytes.ok_or_else(|| format!("`{text}` is more than 64 bits hold"))
}

fn field<'a>(meminfo: &'a mut Meminfo, name: &str) -> Option<&'a mut Option<u64>> {
    Some(match name {
        "MemTotal" => &mut meminfo.total,
        "MemFree" => &mut meminfo.free,
        "MemAvailable" => &mut meminfo.available,
        "Buffers" => &mut meminfo.buffers,
        "Cached" => &mut meminfo.cached,
        "SwapCached" => &mut meminfo.swap_cached,
        "Active" => &mut meminfo.active,
        "Inactive" => &mut meminfo.inactive,
        "Active(anon)" => &mut meminfo.active_anon,
        "Inactive(anon)" => &mut meminfo.inactive_anon,
        "Active(file)" => &mut meminfo.active_file,
        "Inactive(file)" => &mut meminfo.inactive_file,
        "Unevictable" => &mut meminfo.unevictable,
        "SwapTotal" => &mut meminfo.swap_total,
        "SwapFree" => &mut meminfo.swap_free,
        "Dirty" => &mut meminfo.dirty,
        "Writeback" => &mut meminfo.writeback,
        "AnonPages" => &mut meminfo.anon_pages,
        "Mapped" => &mut meminfo.mapped,
        "Shmem" => &mut meminfo.shmem,
        "Slab" => &mut meminfo.slab,
        "SReclaimable" => &mut meminfo.s_reclaimable,
        "SUnreclaim" => &mut meminfo.s_unreclaimable,
        "KernelStack" => &mut meminfo.kernel_stack,
        "PageTables" => &mut meminfo.page_tables,
        "NFS_Unstable" => &mut meminfo.nfs_unstable,
        "Bounce" => &mut meminfo.bounce,
        "WritebackTmp" => &mut meminfo.writeback_tmp,
        "CommitLimit" => &mut meminfo.commit_limit,
        "Committed_AS" => &mut meminfo.committed_as,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
