//! The plugin that slowpath loads into QEMU in every exact run.
mod arguments;
mod blocks;
mod callbacks;
mod frame;
mod hello;
mod install;
mod marker;
mod outlet;
mod plugin;
mod qemu;
mod tally;
