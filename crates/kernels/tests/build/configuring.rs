//! What is asked of a configuration, and what becomes of it.

use kernels::SourceError;

use crate::stage::Stage;

fn refused(error: SourceError) -> Vec<String> {
    let SourceError::Refused { options, .. } = error else { panic!("{error}") };
    options
}

#[test]
fn an_edited_fragment_is_another_configuration() {
    let stage = Stage::new();
    stage.put("more", "CONFIG_HZ_100=y\n");
    let first = stage.build(&["more"]).unwrap();
    let config = stage.build_folders()[0].join(".config");
    let config = std::fs::read_to_string(config).unwrap();
    assert!(
        config.contains("CONFIG_HZ_100=y\n") && config.contains("CONFIG_EXT4_FS=y\n"),
        "{config}"
    );
    stage.put("more", "CONFIG_HZ_100=n\n");
    let second = stage.build(&["more"]).unwrap();
    assert_ne!(first.folder, second.folder);
    assert_eq!(stage.build_folders().len(), 2);
}

#[test]
fn a_kernel_that_changes_its_menus_is_configured_anew() {
    let stage = Stage::new();
    stage.build(&[]).unwrap();
    let menus = stage.text("tree/Kconfig");
    stage.put("tree/Kconfig", &format!("{menus}config NEWER\n"));
    stage.build(&[]).unwrap();
    assert_eq!((stage.count("tinyconfig"), stage.build_folders().len()), (2, 1));
}

#[test]
fn each_of_the_users_lines_holds_or_nothing_is_built() {
    let stage = Stage::new();
    stage.put("tree/refused", "OVERLAY_FS\n");
    stage.put(
        "more",
        "CONFIG_OVERLAY_FS=y\nCONFIG_HZ_100=y\n# CONFIG_SMP is not set\nCONFIG_NEWER=y\n",
    );
    let options = refused(stage.build(&["more"]).unwrap_err());
    let expected = [
        "CONFIG_OVERLAY_FS=y (something that it depends on is not set)",
        "CONFIG_NEWER=y (it has no such option)",
    ];
    assert_eq!(options, expected);
    assert_eq!(stage.count("vmlinux"), 0);
}

#[test]
fn the_lab_does_without_what_a_kernel_does_not_know() {
    let stage = Stage::new();
    let menus = stage.text("tree/Kconfig").replace("config X86_IOPL_IOPERM\n", "");
    stage.put("tree/Kconfig", &menus);
    stage.put("tree/refused", "XFS_FS\n");
    let built = stage.build(&[]).unwrap();
    assert_eq!(built.notes, ["this kernel does not take CONFIG_XFS_FS=y of the lab's options"]);
    let log = std::fs::read_to_string(built.folder.join("build.log")).unwrap();
    assert!(log.contains("knows nothing of CONFIG_X86_IOPL_IOPERM=y\n"), "{log}");
}

#[test]
fn the_lab_does_not_do_without_what_it_needs() {
    let stage = Stage::new();
    stage.put("tree/refused", "BLK_DEV_NULL_BLK\nXFS_FS\n");
    let options = refused(stage.build(&[]).unwrap_err());
    assert_eq!(options, ["CONFIG_BLK_DEV_NULL_BLK=y (something that it depends on is not set)"]);
}

#[test]
fn a_whole_configuration_takes_the_place_of_the_labs() {
    let stage = Stage::new();
    stage.put("whole", "CONFIG_CC_VERSION_TEXT=\"gcc\"\nCONFIG_MODULE_SIG=y\nCONFIG_64BIT=y\n");
    stage.put("more", "CONFIG_HZ_100=y\n");
    let built = stage.build(&["whole", "more"]).unwrap();
    let config = stage.text(stage.build_folders()[0].join(".config").to_str().unwrap());
    assert!(config.contains("CONFIG_64BIT=y") && config.contains("CONFIG_HZ_100=y"), "{config}");
    assert!(!config.contains("CONFIG_EXT4_FS=y"), "{config}");
    assert_eq!(stage.count("tinyconfig"), 0);
    assert!(built.notes[0].contains("# CONFIG_MODULE_SIG is not set"), "{:?}", built.notes);
    assert!(built.notes[1].contains("lacks CONFIG_BINFMT_ELF=y"), "{:?}", built.notes);
}
