//! Real kernels: Debian's, unpacked in the folder that `SLOWPATH_LAB` names, as `debian-6.1` and
//! `debian-6.12`, and `small-6.12`, a kernel with all built in. Without it these tests say that they
//! are skipped.
#![allow(clippy::unwrap_used, reason = "the lab's kernels are known to be good")]
#![allow(clippy::print_stdout, reason = "timings and skipped tests are told, not judged")]

mod layout;
mod real_stacks;
mod unwinding;

use std::path::PathBuf;
use std::time::Instant;

use kernels::{Kernel, KernelError, Module, check_vermagic, has_pvh_entry, release, vmlinux};

/// The kernel, or `None` with a word about it.
fn kernel(folder: &str) -> Option<Kernel> {
    let Some(lab) = std::env::var_os("SLOWPATH_LAB") else {
        println!("skipped: SLOWPATH_LAB is not set");
        return None;
    };
    let root = PathBuf::from(lab).join(folder);
    if !root.is_dir() {
        println!("skipped: {} does not exist", root.display());
        return None;
    }
    Some(Kernel::from_path(&root, None).unwrap())
}

/// Resolves and checks what a loader relies on.
fn load_order(kernel: &Kernel, names: &[&str]) -> Vec<String> {
    let start = Instant::now();
    let modules = kernel.resolve(names, &[]).unwrap();
    let (names_taken, took) = (names.join(" "), start.elapsed());
    let shown: Vec<String> = modules.iter().map(shown).collect();
    println!("{} {names_taken} in {took:?}: {}", kernel.release, shown.join(" "));
    for (at, module) in modules.iter().enumerate() {
        check_vermagic(module, &kernel.release).unwrap();
        let info = kernels::module_info(&module.bytes).unwrap();
        assert_eq!(info.name, module.name);
        for needed in &info.depends {
            let earlier = modules[..at].iter().any(|m| m.name == *needed);
            let builtin = kernel.modules.as_ref().unwrap().is_builtin(needed);
            assert!(earlier || builtin, "{} before {}", needed, module.name);
        }
    }
    shown
}

fn shown(module: &Module) -> String {
    let mark = if module.optional { "?" } else { "" };
    format!("{}{mark}", module.name)
}

#[test]
fn the_image_unpacks_and_says_what_it_is() {
    for folder in ["debian-6.1", "debian-6.12"] {
        let Some(kernel) = kernel(folder) else { continue };
        let image = std::fs::read(&kernel.image).unwrap();
        assert_eq!(release(&image).unwrap(), kernel.release);
        let start = Instant::now();
        let elf = vmlinux(&image).unwrap();
        println!("{}: {} bytes of vmlinux in {:?}", kernel.release, elf.len(), start.elapsed());
        assert!(has_pvh_entry(&elf), "Debian builds with CONFIG_PVH");
        let start = Instant::now();
        assert_eq!(release(&elf).unwrap(), kernel.release);
        println!("{}: release from the ELF in {:?}", kernel.release, start.elapsed());
    }
}

#[test]
fn the_modules_of_filesystems_come_in_order() {
    for folder in ["debian-6.1", "debian-6.12"] {
        let start = Instant::now();
        let Some(kernel) = kernel(folder) else { continue };
        println!("{}: found with its modules in {:?}", kernel.release, start.elapsed());
        let ext4 = load_order(&kernel, &["configfs", "null_blk", "ext4"]);
        assert!(ext4.contains(&"crc32c_generic?".to_owned()));
        for filesystem in ["xfs", "btrfs", "f2fs", "jfs", "nilfs2"] {
            assert_eq!(load_order(&kernel, &[filesystem]).last().unwrap(), filesystem);
        }
        assert_eq!(load_order(&kernel, &["ext2"]), load_order(&kernel, &["ext4"]));
    }
}

#[test]
fn reiserfs_is_there_and_reiser4_is_not() {
    for folder in ["debian-6.1", "debian-6.12"] {
        let Some(kernel) = kernel(folder) else { continue };
        assert_eq!(load_order(&kernel, &["reiserfs"]), ["reiserfs"]);
        let error = kernel.resolve(&["reiser4"], &[]).unwrap_err();
        assert!(
            matches!(&error, KernelError::ModuleMissing { name, release }
                if name == "reiser4" && *release == kernel.release),
            "{error}"
        );
    }
}

#[test]
fn a_kernel_with_all_built_in_needs_nothing() {
    let Some(kernel) = kernel("small-6.12") else { return };
    assert!(load_order(&kernel, &["configfs", "null_blk", "ext4"]).is_empty());
}
