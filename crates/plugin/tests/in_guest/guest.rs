//! A guest of a few instructions: it sits where the firmware would, turns on long mode, goes to
//! kernel addresses, calls a function three times and comes back for a marker. If it is to go rounds,
//! it does so in a program's loop and in a kernel's, and passes a second marker. It ends by a triple
//! fault.

use std::arch::global_asm;
use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};
use std::slice;

use crate::qemu;

/// Bytes of the image, which ends where the first 4 GiB do.
const SIZE: usize = 0x1_0000;

/// Where the kernel's half begins.
const KERNEL_HALF: u64 = 0xffff_8000_0000_0000;

/// Where it maps the image.
const KERNEL: u64 = KERNEL_HALF + 0xffff_0000;

global_asm!(
    r#"
    .section .rodata.guest,"a"
    .globl guest_image, guest_function, guest_second, guest_after_call
    .globl guest_rounds, guest_user_loop, guest_kernel_loop
guest_image:
    .space 0xf000
guest_descriptors:
    .quad 0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff
guest_table:
    .word 31
    .long 0xffff0000 + guest_descriptors - guest_image
guest_rounds:
    .long 0

    .code16
guest_start:
    cli
    lgdtl %cs:(guest_table - guest_image)
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $8, $(0xffff0000 + guest_protected - guest_image)

    .code32
guest_protected:
    movw $16, %ax
    movw %ax, %ds
    movw %ax, %ss
    /* The first and the last 2 MiB of the first 4 GiB, at their own addresses and the kernel's. */
    movl $0x2003, 0x1000
    movl $0x2003, 0x1800
    movl $0x3003, 0x2000
    movl $0x4003, 0x2018
    movl $0x83, 0x3000
    movl $0xffe00083, 0x4ff8
    movl %cr4, %eax
    orl $0x20, %eax
    movl %eax, %cr4
    movl $0x1000, %eax
    movl %eax, %cr3
    movl $0xc0000080, %ecx
    rdmsr
    orl $0x100, %eax
    wrmsr
    movl %cr0, %eax
    orl $0x80000000, %eax
    movl %eax, %cr0
    ljmpl $24, $(0xffff0000 + guest_long - guest_image)

    .code64
guest_long:
    movabsq $(0xffff8000ffff0000 + guest_kernel - guest_image), %rax
    jmp *%rax
guest_kernel:
    movabsq $0xffff800000008000, %rsp
    movabsq $0x123456789abcdef0, %rbp
    movabsq $0xffff800000005000, %rdi
    movabsq $0xffff800000006000, %rax
    movq %rax, 8(%rdi)
    movabsq $0xffff8000001ffff0, %rdx
    movq %rdx, 0x10(%rax)
    movabsq $0x1122334455667788, %rcx
    movq %rcx, 8(%rdx)
    movl $3, %esi
guest_again:
    call guest_function
guest_after_call:
    decl %esi
    jnz guest_again
    movl $(0xffff0000 + guest_user - guest_image), %eax
    jmp *%rax
guest_user:
    /* The marker of phase 1. */
    .byte 0x0f, 0x1f, 0x84, 0x00, 0x78, 0x4b, 0x4c, 1
    movl guest_rounds(%rip), %ecx
    jecxz guest_end
guest_user_loop:
1:
    nop
    nop
    decl %ecx
    jnz 1b
    movl guest_rounds(%rip), %ecx
    movabsq $(0xffff8000ffff0000 + guest_kernel_loop - guest_image), %rax
    jmp *%rax
guest_back:
    nop
    /* The marker of phase 2, within a block. */
    .byte 0x0f, 0x1f, 0x84, 0x00, 0x78, 0x4b, 0x4c, 2
    nop
    jmp guest_end
guest_end:
    ud2
guest_kernel_loop:
1:
    nop
    decl %ecx
    jnz 1b
    movl $(0xffff0000 + guest_back - guest_image), %eax
    jmp *%rax
guest_function:
    nop
guest_second:
    nop
    ret

    .space 0xfff0 - (. - guest_image)
    .code16
    jmp guest_start
    .space 0x10000 - (. - guest_image)
    .code64
    .text
    "#,
    options(att_syntax)
);

// SAFETY: the labels of the text above.
unsafe extern "C" {
    static guest_image: u8;
    static guest_function: u8;
    static guest_second: u8;
    static guest_after_call: u8;
    static guest_rounds: u8;
    static guest_user_loop: u8;
    static guest_kernel_loop: u8;
}

/// Addresses in the guest, the kernel's but for one.
pub(crate) struct Guest {
    /// The first instruction of the function that it calls.
    pub(crate) function: u64,
    /// The second.
    pub(crate) second: u64,
    /// The one after the call.
    pub(crate) after_call: u64,
    /// The first of the loop of [`USER_LOOP`], in the program.
    pub(crate) user_loop: u64,
    /// The first of the loop of three instructions.
    pub(crate) kernel_loop: u64,
}

/// The program's loop: four instructions.
pub(crate) const USER_LOOP: [u8; 6] = [0x90, 0x90, 0xff, 0xc9, 0x75, 0xfa];

impl Guest {
    pub(crate) fn places() -> Self {
        let image = (&raw const guest_image).addr();
        let place = |label: *const u8| KERNEL + (label.addr() - image) as u64;
        Self {
            function: place(&raw const guest_function),
            second: place(&raw const guest_second),
            after_call: place(&raw const guest_after_call),
            user_loop: place(&raw const guest_user_loop) - KERNEL_HALF,
            kernel_loop: place(&raw const guest_kernel_loop),
        }
    }
}

/// Runs the guest with these arguments for the plugin; it goes that many rounds in each of its loops.
/// `None` without QEMU.
pub(crate) fn run(arguments: &str, rounds: u32) -> Option<Output> {
    // SAFETY: the text above makes the image exactly this long.
    let image = unsafe { slice::from_raw_parts(&raw const guest_image, SIZE) };
    let mut image = image.to_vec();
    let at = (&raw const guest_rounds).addr() - (&raw const guest_image).addr();
    image[at..at + 4].copy_from_slice(&rounds.to_le_bytes());
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&image).expect("the image is written");
    let spawned = Command::new(qemu::program())
        .args(["-M", "microvm,acpi=off", "-accel", "tcg", "-icount", "shift=1,sleep=off"])
        .args(["-cpu", "Nehalem-v1", "-m", "16M", "-nodefaults", "-no-user-config"])
        .args(["-no-reboot", "-display", "none", "-monitor", "none", "-bios"])
        .arg(file.path())
        .arg("-plugin")
        .arg(format!("{}{arguments}", qemu::plugin().display()))
        .stdin(Stdio::null())
        .output();
    match spawned {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        spawned => Some(spawned.expect("QEMU starts")),
    }
}
