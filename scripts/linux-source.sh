# shellcheck shell=bash
# Debian's kernel source, fetched without root and kept in the lab's folder.
#
# Sourced by `small-kernel` and `lab-history`, after `apt-root.sh`, whose functions it uses.

# Fetch linux-source-6.12 into the lab's folder $1 where it is not there yet, and print the tarball's path.
# It is kept: a tree and a history that are made of the same file agree, however long ago one of them was made.
linux_source_fetch() {
    local lab=$1 tarball=$1/linux-source-6.12.tar.xz package=$1/.linux-source sources
    if [[ ! -f $tarball ]]; then
        sources=$(debian_sources) || die "this machine names no Debian archive (SLOWPATH_DEBIAN_MIRROR can)"
        apt_root_open "$lab/.apt" "$sources"
        say "fetching linux-source-6.12"
        apt_root_unpack "$package" linux-source-6.12 || die "linux-source-6.12 could not be fetched"
        mv "$package/usr/src/linux-source-6.12.tar.xz" "$tarball"
        rm -rf "$package"
    fi
    printf '%s\n' "$tarball"
}

# Unpack it into the new folder $2, which appears only when it is whole.
linux_source_unpack() {
    local lab=$1 target=$2 tarball
    exec 8>"$lab/.lock"
    flock 8
    tarball=$(linux_source_fetch "$lab") || exit
    exec 8>&-
    say "unpacking $(basename "$tarball")"
    rm -rf "$target.part"
    mkdir "$target.part"
    tar -xf "$tarball" -C "$target.part" --strip-components=1
    mv "$target.part" "$target"
}
