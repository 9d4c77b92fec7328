# shellcheck shell=bash
# A package client's root of our own: own suites, own lists, own cache, no root rights.
#
# Sourced by `fetch-lab`, `small-kernel` and `lab-history`. The machine's package sources may name other suites than
# the lab needs, and fetching must change nothing on the machine. Where to fetch from, through which
# proxy and by whose keys is the machine's own knowledge: it is read from its configuration, never
# written down here.
#
# SLOWPATH_DEBIAN_MIRROR names a Debian archive for a machine whose own sources name none.

# Print a line of progress or trouble under the script's own name.
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 1; }

# The machine's package sources, one a line: RELEASE COMPONENT URI SOURCEFILE.
# `--no-release-info` lists them on a machine that has never fetched its lists, too.
machine_sources() {
    # shellcheck disable=SC2016  # the client's own variables
    apt-get indextargets --no-release-info \
        --format '$(CREATED_BY) $(RELEASE) $(COMPONENT) $(REPO_URI) $(SOURCESENTRY)' |
        awk '$1 == "Packages" && $4 !~ /^cdrom:/ { sub(/:[0-9]+$/, "", $5); print $2, $3, $4, $5 }'
}

# The URI of the first source whose release matches the pattern $1; fails when there is none.
machine_uri() {
    machine_sources | awk -v release="$1" '$1 ~ release && !seen { seen = 1; print $3 } END { exit !seen }'
}

# The keyrings to check release $1 (a pattern) by: the distribution's own ($2) and those that the
# machine's source names. Empty leaves it to the client's trusted keys.
machine_keyrings() {
    local source_file
    {
        printf '%s\n' "$2"
        source_file=$(machine_sources | awk -v release="$1" '$1 ~ release && !seen { seen = 1; print $4 }')
        [[ -r $source_file ]] && sed -nE 's/.*[Ss]igned-[Bb]y[:=] *([^] ]+).*/\1/p' "$source_file" | tr ',' '\n'
    } | while read -r keyring; do
        [[ -r $keyring ]] && printf '%s\n' "$keyring"
    done | sort -u | paste -sd,
}

# Print the source lines for suites $3... of the archive $1, checked by keyrings $2.
source_lines() {
    local uri=$1 keyrings=$2 suite
    shift 2
    for suite in "$@"; do
        # Package lists only: no translations, no application metadata.
        printf 'deb [arch=amd64 target=Packages lang=none%s] %s %s main\n' \
            "${keyrings:+ signed-by=$keyrings}" "$uri" "$suite"
    done
}

# The source lines of the Debian suites that the lab draws on; fails when the machine knows no Debian archive.
debian_sources() {
    local archive security keyrings
    local names='(oldstable|stable|testing|bookworm|trixie|forky)'
    archive=${SLOWPATH_DEBIAN_MIRROR:-$(machine_uri "^${names}\$")} || return 1
    # The security archive is not part of the main one; where the machine names none it lies beside it by custom.
    if [[ -n ${SLOWPATH_DEBIAN_MIRROR:-} ]] || ! security=$(machine_uri "^${names}-security\$"); then
        security=${archive%/}-security
    fi
    keyrings=$(machine_keyrings "^${names}(-security)?\$" /usr/share/keyrings/debian-archive-keyring.gpg)
    source_lines "$archive" "$keyrings" bookworm bookworm-updates bookworm-backports trixie
    source_lines "$security" "$keyrings" bookworm-security
}

# The source lines of the machine's own Ubuntu release.
ubuntu_sources() {
    local codename archive keyrings
    codename=$(os_release VERSION_CODENAME)
    archive=$(machine_uri "^${codename}\$") || return 1
    keyrings=$(machine_keyrings "^${codename}\$" /usr/share/keyrings/ubuntu-archive-keyring.gpg)
    source_lines "$archive" "$keyrings" "$codename" "$codename-updates"
}

# One field of the machine's os-release file, empty where there is none.
os_release() { (. /etc/os-release && eval "printf '%s' \"\${$1:-}\"") 2>/dev/null || true; }

# Make the root in folder $1 with the source lines $2 and fetch the package lists.
apt_root_open() {
    local root=$1 sources=$2 part
    mkdir -p "$root"
    root=$(cd "$root" && pwd)
    apt_root=$root
    rm -rf "$root/conf"
    mkdir -p "$root/conf" "$root/state/lists/partial" "$root/cache/archives/partial"
    printf '%s\n' "$sources" >"$root/sources.list"
    : >"$root/status"

    # Everything that the machine sets (proxies, certificates, time-outs) comes first, ours last.
    [[ -r ${APT_CONFIG:-} ]] && ln -s "$APT_CONFIG" "$root/conf/00-environment.conf"
    for part in /etc/apt/apt.conf.d/*; do
        [[ -r $part ]] && ln -s "$part" "$root/conf/"
    done
    [[ -r /etc/apt/apt.conf ]] && ln -s /etc/apt/apt.conf "$root/conf/zzy-machine.conf"
    # The hooks are cleared because they tidy the machine's own cache, which is not ours to touch.
    cat >"$root/conf/zzz-slowpath.conf" <<EOF
#clear APT::Update;
#clear DPkg;
Dir::State "$root/state/";
Dir::State::status "$root/status";
Dir::Cache "$root/cache/";
Dir::Etc::sourcelist "$root/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Sandbox::User "root";
Acquire::Retries "3";
EOF
    cat >"$root/apt.conf" <<EOF
Dir::Etc::parts "$root/conf/";
Dir::Etc::main "/dev/null";
EOF
    # A suite that the mirror does not carry is no reason to give up the others.
    apt_root_client apt-get update -qq ||
        say "some package lists could not be fetched; going on with the others"
}

# Run a program of the package client inside the root.
apt_root_client() { APT_CONFIG=$apt_root/apt.conf "$@"; }

# The newest package whose name matches the extended regular expression $1; fails when there is none.
apt_root_newest() {
    local name
    name=$(apt_root_client apt-cache search --names-only "$1" | awk '{ print $1 }' | sort -V | tail -n 1)
    [[ -n $name ]] && printf '%s\n' "$name"
}

# Fetch packages $2... (NAME, NAME=VERSION or NAME/SUITE) and unpack them all into the new folder $1,
# which appears only when it is whole. It gets a list of what it came from.
apt_root_unpack() {
    local target=$1 fresh=$1.part debs=$apt_root/debs deb
    shift
    rm -rf "$fresh" "$debs"
    mkdir -p "$fresh" "$debs"
    (cd "$debs" && apt_root_client apt-get download -qq "$@") || return 1
    for deb in "$debs"/*.deb; do
        dpkg-deb -x "$deb" "$fresh" || return 1
        # shellcheck disable=SC2016  # dpkg-deb's own variables
        dpkg-deb --show --showformat '${Package} ${Version}\n' "$deb" >>"$fresh/packages.txt"
    done
    rm -rf "$debs" "$target"
    mv "$fresh" "$target"
}
