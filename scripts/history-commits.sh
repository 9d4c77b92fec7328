# shellcheck shell=bash
# Commits of a kernel's history, written as a stream for `git fast-import`.
#
# Sourced by `lab-history`, after `apt-root.sh`, whose functions it uses. It sets `history` (the repository),
# `recipe` (the folder with the patches) and `scratch` (a folder of its own) before it calls these. A branch keeps the
# files that it has changed in $scratch/BRANCH; every other file is still the base's.

# shellcheck disable=SC2154  # the caller's variables

# Lengths are counted in bytes.
export LC_ALL=C

someone='Slowpath Test <test@example.org>'
first_date=1736154000 # of the base; each commit comes some hours after the one before
number=0
declare -A tip

# Write a commit on branch $1 with message $2 and parents $3... up to the files; the next commit's parent is this one.
commit_head() {
    local branch=$1 message=$2 seconds
    shift 2
    number=$((number + 1))
    seconds=$((first_date + number * 10800 + number * 977 % 3600))
    printf 'commit refs/heads/%s\nmark :%d\n' "$branch" "$number"
    printf '%s %s %d +0000\n' author "$someone" "$seconds" committer "$someone" "$seconds"
    printf 'data %d\n%s\n' "${#message}" "$message"
    [[ $# -eq 0 ]] || printf 'from %s\n' "$1"
    [[ $# -lt 2 ]] || printf 'merge %s\n' "$2"
    tip[$branch]=:$number
}

# The files $2... of branch $1 as they are now.
commit_files() {
    local branch=$1 path
    shift
    for path in "$@"; do
        printf 'M 100644 inline %s\ndata %d\n' "$path" "$(stat -c %s "$scratch/$branch/$path")"
        cat "$scratch/$branch/$path"
    done
}

# A message with subject $1 and text $2.
message_of() { printf '%s\n\n%s\n\nSigned-off-by: %s\n' "$1" "$(fmt -w 72 <<<"$2")" "$someone"; }

# Begin branch $1 at the base.
new_branch() {
    mkdir "$scratch/$1"
    tip[$1]=refs/tags/base^0
}

# Begin branch $1 where branch $2 is.
fork_branch() {
    cp -r "$scratch/$2" "$scratch/$1"
    tip[$1]=${tip[$2]}
}

# Have branch $1's file $2 in the scratch folder.
check_out() {
    local file=$scratch/$1/$2
    [[ ! -f $file ]] || return 0
    mkdir -p "${file%/*}"
    git --git-dir="$history" cat-file blob "base:$2" >"$file"
}

# A function named $1 with $2 steps, which nobody calls. The compiler may neither drop nor inline it.
helper_code() {
    awk -v name="$1" -v steps="$2" 'BEGIN {
        printf "\n/* Mix @value into @sum. Values that are near each other end up far apart. */\n"
        printf "static noinline __used unsigned int %s(unsigned int sum, unsigned int value)\n{\n", name
        for (i = 0; i < steps; i++)
            printf "\tsum = sum * %dU + (value >> %d);\n\tsum ^= sum >> %d;\n", 2 * i + 37, i % 13, i % 7 + 3
        printf "\treturn sum;\n}\n"
    }'
}

# A table named $1 of $2 constant words, which nobody reads.
table_code() {
    awk -v name="$1" -v size="$2" 'BEGIN {
        printf "\nstatic const unsigned int %s[%d] __used = {", name, size
        for (i = 0; i < size; i++)
            printf "%s%d,", i % 8 ? " " : "\n\t", (i * i + 17 * i + 5) % 65521
        printf "\n};\n"
    }'
}

# In file $1, the first OLD of "OLD => NEW" ($2).
reword() {
    old=${2%% => *} new=${2##* => } awk '
        !done && (at = index($0, ENVIRON["old"])) {
            $0 = substr($0, 1, at - 1) ENVIRON["new"] substr($0, at + length(ENVIRON["old"])); done = 1
        }
        { print }
        END { exit !done }' "$1" >"$scratch/.reworded" || die "${2%% => *}: not in ${1#"$scratch"/}"
    mv "$scratch/.reworded" "$1"
}

# Change file $2 in the way $1, as commits.txt describes it.
change_file() {
    local kind=$1 file=$2 what=$3 size=$4
    case $kind in
    helper) helper_code "$what" "$size" >>"$file" ;;
    table) table_code "$what" "$size" >>"$file" ;;
    buffer) printf '\nstatic unsigned long %s[%d] __used;\n' "$what" "$size" >>"$file" ;;
    note) printf '\n%s\n' "$(fmt -w 76 <<<"$what")" >>"$file" ;;
    reword) reword "$file" "$what" ;;
    *) die "$kind: no such kind of commit" ;;
    esac
}

# The paths that patch $1 changes.
patch_paths() { sed -n 's#^+++ b/##p' "$1"; }

commit_patch() {
    local branch=$1 patch=$recipe/$2.patch path paths
    mapfile -t paths < <(patch_paths "$patch")
    for path in "${paths[@]}"; do check_out "$branch" "$path"; done
    (cd "$scratch/$branch" && git --git-dir="$history" --work-tree=. apply "$patch") || die "$2.patch does not apply"
    printf '%s %d\n' "$2" $((number + 1)) >>"$scratch/.labels"
    [[ $2 != *-culprit ]] || printf '%s-parent %d\n' "${2%-culprit}" "${tip[$branch]#:}" >>"$scratch/.labels"
    commit_head "$branch" "$(sed '/^---$/,$d' "$patch")" "${tip[$branch]}"
    commit_files "$branch" "${paths[@]}"
}

# Branches that change the same file are not merged here: what the other has changed is taken as it is.
commit_merge() {
    local branch=$1 other=$2 message=$3 paths path
    mapfile -t paths < <(cd "$scratch/$other" && find . -type f -printf '%P\n' | sort)
    for path in "${paths[@]}"; do
        ! cmp -s "$scratch/$other/$path" "$scratch/$branch/$path" || continue
        [[ ! -e $scratch/$branch/$path ]] || die "$path: changed on both sides of a merge"
    done
    cp -r "$scratch/$other/." "$scratch/$branch/"
    printf 'merge %d\n' $((number + 1)) >>"$scratch/.labels"
    commit_head "$branch" "$message" "${tip[$branch]}" "${tip[$other]}"
    commit_files "$branch" "${paths[@]}"
    printf 'reset refs/heads/%s\nfrom 0000000000000000000000000000000000000000\n' "$other"
}

# Write the commits of the lines on standard input, which look like those of commits.txt.
commits() {
    local branch kind file what size subject body
    while IFS='|' read -r branch kind file what size subject body; do
        [[ -n $branch && $branch != '#'* ]] || continue
        [[ -n ${tip[$branch]:-} ]] || fork_branch "$branch" main
        case $kind in
        patch) commit_patch "$branch" "$what" ;;
        merge) commit_merge "$branch" "$what" "$(message_of "$subject" "$body")" ;;
        *)
            check_out "$branch" "$file"
            change_file "$kind" "$scratch/$branch/$file" "$what" "$size"
            commit_head "$branch" "$(message_of "$subject" "$body")" "${tip[$branch]}"
            commit_files "$branch" "$file"
            ;;
        esac
    done
}

# Where the harmless branches change something, and what is said of it.
harmless_files=(
    mm/filemap.c fs/read_write.c block/bio.c kernel/sys.c lib/iov_iter.c mm/shmem.c fs/ext4/inode.c init/initramfs.c
    block/blk-merge.c fs/exec.c drivers/block/loop.c lib/vsprintf.c kernel/signal.c mm/memory.c fs/jbd2/journal.c
    mm/slub.c fs/xfs/xfs_buf.c lib/xarray.c kernel/exit.c fs/file.c
)
harmless_nouns=(offsets ranges flags limits counters depths batches windows)

# The lines of harmless branch $1 with $2 commits. Its number decides which files it changes, how, and how much.
harmless_lines() {
    local branch=$1 count=$2 i file noun area kind size
    for ((i = 0; i < count; i++)); do
        file=${harmless_files[$(((3 * branch + 7 * i) % ${#harmless_files[@]}))]}
        noun=${harmless_nouns[$(((branch + i) % ${#harmless_nouns[@]}))]}
        area=$(basename "$file" .c)
        case $(((branch + i) % 3)) in
        0) kind=helper size=$((10 + 7 * branch + 5 * i)) ;;
        1) kind=table size=$((150 + 190 * branch + 60 * i)) ;;
        2) kind=buffer size=$((100 + 70 * branch + 40 * i)) ;;
        esac
        printf 'harmless-%d|%s|%s|%s_%s_%d|%d|%s: %s: add a %s for %s|No user yet; it comes with the next series.\n' \
            "$branch" "$kind" "$file" "${area//-/_}" "$noun" "$branch" "$size" "${file%%/*}" "$area" "$kind" "$noun"
    done
}
