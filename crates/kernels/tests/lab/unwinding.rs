//! The ORC of real kernels and modules.

use std::fmt::Write as _;
use std::time::Instant;

use kernels::{Kernel, Registers, Symbols, Unwinder, Unwound, vmlinux};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

use crate::kernel;

/// Where a task's stack might be.
const STACK: u64 = 0xffff_c900_0001_3e00;

fn image(kernel: &Kernel) -> Vec<u8> {
    vmlinux(&std::fs::read(&kernel.image).unwrap()).unwrap()
}

/// The call path at a function's first instruction, whose caller is at `caller`.
fn entered(unwinder: &Unwinder, ip: u64, caller: u64) -> Unwound {
    unwinder.unwind(Registers { ip, sp: STACK, bp: 0 }, &caller.to_le_bytes())
}

/// A kallsyms for a module as if its sections were loaded far apart, and the functions in it.
fn made_up(module: &str, elf: &[u8], from: u64) -> (String, Vec<u64>) {
    let file = ElfFile64::<LittleEndian>::parse(elf).unwrap();
    let (mut kallsyms, mut functions) = (String::new(), Vec::new());
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        let Some(section) = symbol.section_index() else { continue };
        let code = file.section_by_index(section).unwrap();
        if code.kind() != SectionKind::Text {
            continue;
        }
        let address = from + section.0 as u64 * 0x100_0000 + symbol.address();
        let _ = writeln!(kallsyms, "{address:x} t {}\t[{module}]", symbol.name().unwrap());
        // Padding before functions and pieces of functions are not called.
        let name = symbol.name().unwrap();
        let called = code.name() == Ok(".text") && !name.starts_with("__pfx_");
        if called && !name.contains(".cold") && symbol.size() > 0 {
            functions.push(address);
        }
    }
    (kallsyms, functions)
}

#[test]
fn modules_are_unwound_where_they_were_loaded() {
    for (folder, rows) in [("debian-6.1", 380_000), ("debian-6.12", 430_000)] {
        let Some(kernel) = kernel(folder) else { continue };
        let modules = kernel.resolve(&["ext4"], &[]).unwrap();
        let taken = ["ext4", "jbd2"].map(|name| modules.iter().find(|m| m.name == name).unwrap());
        let [ext4, jbd2] = taken;
        let (mut kallsyms, mut functions) = made_up("ext4", &ext4.bytes, 0xffff_ffff_c000_0000);
        let (other, others) = made_up("jbd2", &jbd2.bytes, 0xffff_ffff_e000_0000);
        kallsyms.push_str(&other);
        functions.extend(&others);
        let symbols = Symbols::parse(&kallsyms);
        let elf = image(&kernel);
        let pairs = taken.map(|module| (module.name.as_str(), module.bytes.as_slice()));
        let start = Instant::now();
        let unwinder = Unwinder::new(&elf, &pairs, &symbols).unwrap();
        println!("{folder}: {} rows in {:?}", unwinder.orc_rows(), start.elapsed());
        assert!(unwinder.orc_rows() > rows, "{}", unwinder.orc_rows());
        assert!(functions.len() > 900, "{}", functions.len());
        let caller = functions[0] + 1;
        for ip in functions {
            let expected = Unwound { frames: vec![ip, caller], guessed: false };
            assert_eq!(entered(&unwinder, ip, caller), expected, "{:?}", symbols.find(ip));
        }
    }
}

#[test]
fn a_function_that_was_just_entered_has_its_caller_on_top() {
    let Some(kernel) = kernel("small-6.12") else { return };
    let map = kernel.image.with_file_name(format!("System.map-{}", kernel.release));
    let kallsyms = std::fs::read_to_string(map).unwrap();
    let symbols = Symbols::parse(&kallsyms);
    let unwinder = Unwinder::new(&image(&kernel), &[], &symbols).unwrap();
    assert!(unwinder.orc_rows() > 200_000, "{}", unwinder.orc_rows());
    let caller = symbols.address_of("vfs_write").unwrap() + 1;
    for name in
        ["__switch_to_asm", "try_to_wake_up", "blk_mq_start_request", "ksys_sync", "schedule"]
    {
        let ip = symbols.address_of(name).unwrap();
        let expected = Unwound { frames: vec![ip, caller], guessed: false };
        assert_eq!(entered(&unwinder, ip, caller), expected, "{name}");
    }
}
