//! The plugin that slowpath loads into QEMU in every exact run.
//!
//! It keeps the guest's clock exact, sees the agent's markers, carries bytes out of the guest,
//! counts instructions and looks at the guest where it is told to. The guest's time is the same to
//! the nanosecond with it and without it. It knows nothing of experiments, nor of the guest's tasks
//! and disks: what it sees leaves as frames, which the lab decodes.
//!
//! # Arguments: `-plugin PATH,key=value,...`
//!
//! | key | value | meaning |
//! |---|---|---|
//! | `fd` | number, required | inherited descriptor of a pipe or file that takes the frames |
//! | `profile` | `on`, `off` (default) | count instructions by translation block |
//! | `stop` | `on`, `off` (default) | at the marker "ready" stop the machine, state `paused` |
//! | `shift` | 0 to 10 | the N of `-icount shift=N`: times are then exact |
//! | `probe` | see [Probes](#probes); any number of them | look at the guest at an instruction |
//! | `sample` | see [Samples](#samples) | look at the guest every so many instructions |
//!
//! Anything else is refused, with a line on standard error, and QEMU does not start. Writing
//! blocks while a pipe is full. Once a write fails nothing more is written, and the guest goes on.
//!
//! # Frames
//!
//! `u32` length of the payload, `u8` kind, payload. All numbers are little-endian.
//!
//! | kind | name | payload |
//! |---|---|---|
//! | 1 | `hello` | UTF-8 lines `key=value\n`; written once, at the start |
//! | 2 | `mark` | `u8` number of the marker, `u64` clock, `u64` instructions, `u64` kernel, `u64` halts |
//! | 3 | `data` | `u8` channel, then the guest's bytes |
//! | 4 | `profile` | `u8` phase, then any number of (`u64` block, `u64` instructions) |
//! | 5 | `end` | `u64` instructions, `u64` kernel, `u64` halts; QEMU exits |
//! | 6 | `note` | UTF-8 text: something went wrong in the plugin |
//! | 7 | `probe` | `u8` ID, `u32` virtual CPU, `u64` clock, `u64` instructions, `u64` each for `rdi`, `rsi`, `rdx`, `rsp`, `rbp`, then for each piece `u32` length and its bytes |
//! | 8 | `sample` | `u32` virtual CPU, `u64` clock, `u64` instructions, `u64` block, `u64` address of the block, `u64` each for `rdi`, `rsi`, `rdx`, `rsp`, `rbp`, then for each piece `u32` length and its bytes |
//! | 9 | `code` | `u64` key, `u64` address, then up to 32 bytes of code |
//!
//! - *clock*: the guest's virtual clock in nanoseconds, all ones when unknown. Without the argument
//!   `shift` it is that of the end of the instruction's block, a few instructions late.
//! - *instructions*: executed since QEMU started, on all virtual CPUs, at the marker, or before the
//!   probe's instruction or the sample's block; *kernel*: those of them at addresses from
//!   `0xffff_8000_0000_0000`; *halts*: kernel `hlt` instructions. A block counts as a whole when it
//!   begins: one that is left early, by a page fault or for device access, counts a few instructions
//!   that were not executed, or were executed in another block.
//! - *block*: a kernel block's address, or a user block's key.
//! - *code*: what a key stands for: user code that begins at that address with these bytes, which
//!   are all of the block's where they are fewer than 32. Keys are small numbers, from 2 on. The
//!   frame is written once, before any other that names the key, and only where `profile` or
//!   `sample` is given.
//! - *profile*: what was executed since the last profile, in frames of at most 1 MiB, just before
//!   the `mark` or `end` at which it was taken; *phase* is the one that ran until then. Blocks
//!   ascend; 0 stands for user code without a key (its bytes could not be read, or no key was left,
//!   which a `note` tells), 1 for kernel blocks for which no counter was left (a `note` tells). The
//!   instructions of a phase's profile add up to the difference of its two marks. "ready" does not
//!   end a phase: what was executed until then and after it comes in two profiles of one phase.
//!
//! The lines of `hello`: `plugin` (version); `api.min`, `api.current`, `api.used` (QEMU's interface
//! versions); `target`; `sym.NAME` for each function or variable that is no part of the interface
//! and was looked for; `hlt_cure`; `clock`; `guest_memory` and `registers` (`public`, `internal`,
//! `no`); `stop` (it will be done); `profile`; `counters` (`memory`, `scoreboard`, `callback`);
//! `probes` (how many will look, `no` where registers or memory cannot be read); `sample` (the
//! instructions between two, 0 where none are wanted, `no` where they cannot be taken, for the same
//! reason); `shift`, if given.
//!
//! # Markers
//!
//! `0f 1f 84 00 78 4b 4c NN`, a NOP of eight bytes, executed at an address below
//! `0xffff_8000_0000_0000`:
//!
//! | NN | meaning |
//! |---|---|
//! | `00` to `df` | phase NN begins, the one before ends; 0 is outside of any phase |
//! | `f0` | "out": `rdi` address, `rsi` length (16 MiB at most), `rdx` channel (its low byte) |
//! | `f1` | "ready" |
//!
//! "out" must be the first instruction of its block (put `jmp 1f; 1:` before it), for QEMU before 9
//! keeps registers elsewhere within a block. There, a `note` says so instead of `data`. The
//! buffer's pages must be mapped, which they are once they were written.
//!
//! # Probes
//!
//! `probe=ID@ADDRESS[~NS][/PIECE]...`: just before each execution of the kernel instruction at
//! ADDRESS (hexadecimal, from `ffff800000000000`) a frame tells the registers and the pieces. ID,
//! 0 to 255, is told back in the frame. With `~NS`, at least NS nanoseconds of guest time lie
//! between two frames of the probe. Frames come in the order of execution; several probes may look
//! at one ADDRESS, and theirs come in the order of the arguments.
//!
//! PIECE is `BASE[+OFFSET](>[+OFFSET])*:LENGTH[^BOUND]`:
//!
//! | part | meaning |
//! |---|---|
//! | `di`, `si`, `dx`, `sp`, `bp` | begin at the value of that 64-bit register |
//! | `=ADDRESS` | begin at an address, in hexadecimal |
//! | `+OFFSET` | add, in hexadecimal; sums wrap, so `+fffffffffffffff8` goes back by 8 |
//! | `>` | go where the 64-bit pointer points that is here |
//! | `:LENGTH` | copy as many bytes from here, 1 to 65536 |
//! | `^BOUND` | but none beyond the next multiple of this power of two, such as a stack's size |
//!
//! So `di+0>+60>+c:32` copies 32 bytes from r + 0xc, where r is the pointer at q + 0x60 and q the
//! pointer at `rdi`. A piece ends before the first page that cannot be read, and is empty when a
//! pointer on the way cannot. None may lie in a device's registers: a device notices being read.
//!
//! Before QEMU 9 the instruction must be the first of its block, for the reason given above: a
//! function's first is, when it is called or jumped to. Elsewhere a `note`, one a probe, says so
//! instead of frames. A probe with `~NS` is left out where the clock is unknown, and all are where
//! registers or memory cannot be read; `probes` in `hello` tells.
//!
//! # Samples
//!
//! `sample=N[/PIECE]...`, N from 1000 to 1099511627776: whenever another N instructions are full,
//! over all virtual CPUs and counted from 0 at QEMU's start, a frame tells what runs. It is written
//! at the beginning of the block within which they become full; *clock* and *instructions* are those
//! before its first instruction. So there are as many samples as full N. They come in the order of
//! execution, and before what a probe or a marker in the same block says. A PIECE is that of probes
//! and is copied at kernel blocks; at user blocks none follow.
//!
//! *block* is 0 for user code without a key, and an address for every kernel block, also for one
//! that has no counter. Samples are left out where registers or memory cannot be read. Where QEMU
//! cannot compare inline (before 9.1, or with several CPUs) every block calls the plugin: that takes
//! host time, and none of the guest's.
//!
//! # Exactness
//!
//! Each kernel `hlt` brings QEMU's instruction count up to date first (`qemu::icount` says why), and
//! so does whatever tells the clock.
//! Callbacks neither change the guest's state nor take guest time.

mod arguments;
mod blocks;
mod callbacks;
mod frame;
mod hello;
mod install;
mod keys;
mod look;
mod marker;
mod outlet;
mod piece;
mod plugin;
mod probe;
mod qemu;
mod sample;
mod sampling;
mod sites;
mod tally;
mod user_blocks;
