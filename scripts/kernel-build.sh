# shellcheck shell=bash
# Building kernels that are the same bytes every time.
#
# Sourced by `small-kernel` and `kernel-twins`, after `apt-root.sh`, whose `say` and `die` it uses.

# A kernel image carries these; fixed, a rebuild is bit-identical.
export KBUILD_BUILD_TIMESTAMP='2020-01-01 00:00:00 UTC' KBUILD_BUILD_USER=slowpath KBUILD_BUILD_HOST=lab KBUILD_BUILD_VERSION=1
export LC_ALL=C
# What a caller's make or environment would add to every command line.
unset MAKEFLAGS MFLAGS MAKELEVEL ARCH CROSS_COMPILE CC HOSTCC KCFLAGS KCPPFLAGS KBUILD_OUTPUT

# The kernel's make in tree $1, kindly to whoever else uses the machine. An empty LOCALVERSION keeps git out of the
# release's name.
kernel_make() {
    local source=$1
    shift
    nice -n 19 make -C "$source" --no-print-directory LOCALVERSION= "$@"
}

# Build the image of tree $1.
kernel_build() { kernel_make "$1" -s -j"${JOBS:-$(nproc)}" vmlinux bzImage; }

# Lay tree $1 out like an unpacked package in the folder $2. With everything built in, modules.builtin is all
# there is to know of modules. The other arguments are files that go along.
kernel_install() {
    local source=$1 target=$2 fresh=$2.part release
    shift 2
    release=$(<"$source/include/config/kernel.release")
    rm -rf "$fresh"
    mkdir -p "$fresh/boot" "$fresh/lib/modules/$release"
    cp "$source/arch/x86/boot/bzImage" "$fresh/boot/vmlinuz-$release"
    cp "$source/System.map" "$fresh/boot/System.map-$release"
    cp "$source/.config" "$fresh/boot/config-$release"
    cp "$source/modules.builtin" "$source/modules.builtin.modinfo" "$fresh/lib/modules/$release/"
    : >"$fresh/lib/modules/$release/modules.order"
    [[ $# -eq 0 ]] || cp "$@" "$fresh/"
    rm -rf "$target"
    mv "$fresh" "$target"
    say "built $target/boot/vmlinuz-$release"
}
