//! What is built, and what is not built again.

use std::fs;
use std::path::Path;

use kernels::Kernel;

use crate::elf;
use crate::stage::Stage;

fn files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() && !path.is_symlink() {
                true => folders.push(path),
                false => {
                    files.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned())
                }
            }
        }
    }
    files.sort();
    files
}

#[test]
fn a_kernel_is_laid_out_like_an_unpacked_package() {
    let stage = Stage::new();
    let built = stage.build(&[]).unwrap();
    assert!(built.fresh && built.seconds.unwrap() > 0.0);
    assert_eq!(built.notes, [""; 0]);
    let expected = [
        "about.json",
        "boot/System.map-6.12.0-slowpath",
        "boot/config-6.12.0-slowpath",
        "boot/vmlinuz-6.12.0-slowpath",
        "build.log",
        "lib/modules/6.12.0-slowpath/modules.builtin",
        "lib/modules/6.12.0-slowpath/modules.builtin.modinfo",
    ];
    assert_eq!(files(&built.folder), expected);
    let about = fs::read_to_string(built.folder.join("about.json")).unwrap();
    for piece in ["\"format\": 1", "\"compiler\": \"gcc (of the stage) 12.2.0\"", "\"clean\": true"]
    {
        assert!(about.contains(piece), "{about}");
    }
    assert_eq!(stage.calls(), ["tinyconfig", "olddefconfig", "vmlinux", "bzImage"]);
}

#[test]
fn the_same_kernel_is_not_made_twice() {
    let stage = Stage::new();
    let first = stage.build(&[]).unwrap();
    let calls = stage.calls();
    let second = stage.build(&[]).unwrap();
    assert_eq!((second.fresh, second.seconds), (false, None));
    assert_eq!((second.folder, stage.calls()), (first.folder, calls));
}

#[test]
fn another_source_goes_into_the_same_build_folder_and_is_configured_no_more() {
    let stage = Stage::new();
    let first = stage.build(&[]).unwrap();
    stage.change("int y;");
    let second = stage.build(&[]).unwrap();
    assert!(second.fresh && second.folder != first.folder);
    assert_eq!(stage.build_folders().len(), 1);
    assert_eq!((stage.count("tinyconfig"), stage.count("vmlinux")), (1, 2));
    let image = |folder: &Path| fs::read(folder.join("boot/vmlinuz-6.12.0-slowpath")).unwrap();
    assert_ne!(image(&first.folder), image(&second.folder));
    // Back again, it is still there.
    stage.change("int x;");
    assert!(!stage.build(&[]).unwrap().fresh);
    assert_eq!(stage.builds().past_seconds().len(), 2);
}

#[test]
fn another_compiler_or_pahole_makes_another_kernel() {
    let stage = Stage::new();
    let with = stage.build(&[]).unwrap();
    stage.without_program("pahole");
    let without = stage.build(&[]).unwrap();
    assert!(without.fresh && without.folder != with.folder);
    let note = &without.notes[0];
    assert!(note.contains("(BTF)") && note.contains("apt-get install dwarves"), "{note}");
    // A kernel from the cache says it too.
    assert_eq!(stage.build(&[]).unwrap().notes, without.notes);
}

#[test]
fn an_image_that_can_be_booted_as_it_is_is_not_packed() {
    let stage = Stage::new();
    let elf = elf::vmlinux("Xen", 18, "6.12.0-slowpath");
    fs::write(stage.path("tree/pvh"), &elf).unwrap();
    let built = stage.build(&[]).unwrap();
    assert_eq!(fs::read(built.folder.join("boot/vmlinuz-6.12.0-slowpath")).unwrap(), elf);
    assert_eq!(stage.count("bzImage"), 0);
    let kernel = Kernel::from_path(&built.folder, None).unwrap();
    assert_eq!(kernel.release, "6.12.0-slowpath");
    assert!(kernel.modules.unwrap().is_builtin("ext4"));
    // The same with other options has no such entry.
    stage.put("more", "# CONFIG_PVH is not set\n");
    let built = stage.build(&["more"]).unwrap();
    let image = fs::read(built.folder.join("boot/vmlinuz-6.12.0-slowpath")).unwrap();
    assert!(image.starts_with(b"packed\n"));
}

#[test]
fn modules_come_along() {
    let stage = Stage::new();
    stage.put("more", "CONFIG_OVERLAY_FS=m\n");
    let built = stage.build(&["more"]).unwrap();
    let modules: Vec<String> =
        files(&built.folder).into_iter().filter(|file| file.starts_with("lib")).collect();
    let expected =
        ["kernel/fs/xfs.ko", "modules.builtin", "modules.builtin.modinfo", "modules.order"];
    assert_eq!(modules, expected.map(|file| format!("lib/modules/6.12.0-slowpath/{file}")));
    assert_eq!(stage.calls()[2..], ["vmlinux", "modules", "bzImage", "modules_install"]);
}

#[test]
fn a_build_sees_nothing_of_our_environment_that_could_matter() {
    let stage = Stage::new();
    stage.build(&[]).unwrap();
    let seen = stage.text("programs/seen");
    let has = |line: &str| seen.lines().any(|seen| seen == line);
    assert!(has("KBUILD_BUILD_TIMESTAMP=2020-01-01 00:00:00 UTC"), "{seen}");
    assert!(has("KBUILD_BUILD_USER=slowpath") && has("LC_ALL=C"), "{seen}");
    // cargo has set this for us.
    assert!(!seen.contains("CARGO_MANIFEST_DIR"), "{seen}");
}

#[test]
fn ccache_goes_by_the_compilers_name() {
    let stage = Stage::new();
    stage.build(&[]).unwrap();
    let gcc = |name: &str| stage.text(name).trim().to_owned();
    let own = stage.path("programs/gcc");
    assert_eq!(gcc("programs/compiler"), own.to_str().unwrap());
    stage.with_program("ccache");
    stage.change("int y;");
    stage.build(&[]).unwrap();
    let found = gcc("programs/compiler");
    assert_eq!(fs::read_link(&found).unwrap(), stage.path("programs/ccache"), "{found}");
}

#[test]
fn it_tells_how_far_it_is() {
    let stage = Stage::new();
    let (built, told) = stage.build_and_listen();
    built.unwrap();
    let at = |words: &str| told.iter().position(|told| told == words);
    let (configuring, building) = (at("configuring the kernel"), at("building the kernel"));
    assert!(configuring.is_some() && configuring < building, "{told:?}");
}

#[test]
fn what_a_build_that_was_killed_has_left_does_not_get_into_a_kernel() {
    let stage = Stage::new();
    stage.build(&[]).unwrap();
    let beside = stage.build_folders()[0].with_file_name("draft");
    fs::create_dir_all(beside.join("boot")).unwrap();
    fs::write(beside.join("boot/vmlinuz-6.11.0"), "half").unwrap();
    stage.change("int y;");
    let built = stage.build(&[]).unwrap();
    assert!(!built.folder.join("boot/vmlinuz-6.11.0").exists());
    assert!(!beside.exists());
}
