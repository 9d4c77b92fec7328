//! A small repository that looks like Linux, and a cache beside it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use kernels::{Checkout, LaidOut, Origin, Range, Repository, Source, SourceError};

/// What makes it a kernel, and some files to change. The first has lines enough for changes that do not meet.
const FILES: [(&str, &str); 6] = [
    ("fs/sync.c", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"),
    ("mm/vmscan.c", "reclaim\n"),
    ("Kbuild", "obj-y += fs/\n"),
    ("Makefile", "VERSION = 6\n"),
    ("scripts/kconfig/conf.c", "int main;\n"),
    ("arch/x86/Kconfig", "config X86\n"),
];

/// It; all is removed when this is dropped.
pub(crate) struct Linux {
    folder: tempfile::TempDir,
}

impl Linux {
    /// With one commit, tagged `v1`.
    pub(crate) fn new() -> Linux {
        let linux = Linux { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(linux.repository()).unwrap();
        linux.git(&["init", "-q", "--initial-branch=master"]);
        for (path, text) in FILES {
            linux.put(path, text);
        }
        linux.commit("Linux 1");
        linux.git(&["tag", "-a", "-m", "Linux 1", "v1"]);
        linux
    }

    /// Runs git in it and gives what it prints.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.repository(), arguments)
    }

    /// Writes a file of the work tree.
    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.repository().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Changes a line of `fs/sync.c`.
    pub(crate) fn line(&self, number: usize, text: &str) {
        let path = self.repository().join("fs/sync.c");
        let now = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<&str> = now.lines().collect();
        lines[number - 1] = text;
        fs::write(path, format!("{}\n", lines.join("\n"))).unwrap();
    }

    /// Commits all that differs, and gives the commit's name.
    pub(crate) fn commit(&self, subject: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", subject]);
        self.id("HEAD")
    }

    /// Writes one line to a file and commits it.
    pub(crate) fn change(&self, path: &str, subject: &str) -> String {
        self.put(path, &format!("{subject}\n"));
        self.commit(subject)
    }

    /// The name of what a revision means.
    pub(crate) fn id(&self, revision: &str) -> String {
        self.git(&["rev-parse", revision])
    }

    /// Where it is.
    pub(crate) fn repository(&self) -> PathBuf {
        self.path("linux")
    }

    /// A path beside it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// As a program sees it.
    pub(crate) fn open(&self) -> Repository {
        Repository::open(&self.repository()).unwrap()
    }

    /// What lies between two revisions: subjects, each with those of its parents.
    pub(crate) fn between(
        &self,
        good: &str,
        bad: &str,
        paths: &[&str],
    ) -> Vec<(String, Vec<String>)> {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        subjects(&self.open().range(good, bad, &paths).unwrap())
    }

    /// A revision of it, as it is.
    pub(crate) fn source(&self, revision: &str) -> Source {
        let origin =
            Origin::Revision { repository: self.repository(), revision: revision.to_owned() };
        Source { origin, reverts: vec![], patches: vec![], config: vec![] }
    }

    /// The work tree, as it is.
    pub(crate) fn tree(&self) -> Source {
        Source { origin: Origin::Tree(self.repository()), ..self.source("") }
    }

    /// Our copy of what `source` comes from.
    pub(crate) fn checkout(&self, source: &Source) -> Checkout<'static> {
        Checkout::open(&self.path("cache"), &source.origin, &|_| (), &|| false).unwrap()
    }

    /// Lays a source out; where, and what came of it.
    pub(crate) fn lay_out(&self, source: &Source) -> (PathBuf, Result<LaidOut, SourceError>) {
        let checkout = self.checkout(source);
        (checkout.tree(), checkout.lay_out(source, &|_| ()))
    }

    /// As [`Linux::lay_out`], where nothing may go wrong: files and contents, and the identity.
    pub(crate) fn laid_out(&self, source: &Source) -> (BTreeMap<String, String>, String) {
        let (tree, laid_out) = self.lay_out(source);
        let files = files(&tree).into_iter().map(|path| {
            let text = fs::read_to_string(tree.join(&path)).unwrap();
            (path, text)
        });
        (files.collect(), laid_out.unwrap().identity)
    }

    /// All files that git has for a revision, with their contents.
    pub(crate) fn contents(&self, revision: &str) -> BTreeMap<String, String> {
        let names = self.git(&["ls-tree", "-r", "--name-only", revision]);
        let text = |name: &str| {
            let text = git_bytes(&self.repository(), &["show", &format!("{revision}:{name}")]);
            (name.to_owned(), String::from_utf8(text).unwrap())
        };
        names.lines().map(text).collect()
    }
}

/// Runs git in a folder.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    String::from_utf8(git_bytes(folder, arguments)).unwrap().trim_end().to_owned()
}

fn git_bytes(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new("git");
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_AUTHOR_NAME", "A. Writer"),
        ("GIT_AUTHOR_EMAIL", "writer@example.org"),
        ("GIT_AUTHOR_DATE", "2024-11-17T14:15:08-08:00"),
        ("GIT_COMMITTER_NAME", "A. Writer"),
        ("GIT_COMMITTER_EMAIL", "writer@example.org"),
    ] {
        command.env(name, value);
    }
    let output =
        command.arg("-C").arg(folder).args(arguments).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The subjects of a range, each with those of its parents.
pub(crate) fn subjects(range: &Range) -> Vec<(String, Vec<String>)> {
    let subject = |index: usize| range.commits[index].commit.subject.clone();
    let with_parents = |index: usize| {
        let parents = &range.commits[index].parents;
        assert!(parents.iter().all(|parent| *parent < index));
        (subject(index), parents.iter().map(|parent| subject(*parent)).collect())
    };
    (0..range.commits.len()).map(with_parents).collect()
}

/// Such a list, as a test writes it.
pub(crate) fn expected(list: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    list.iter().map(|(name, parents)| ((*name).to_owned(), owned(parents))).collect()
}

/// The files below a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let all = below(folder);
    let files = all.iter().filter(|path| !path.is_dir() || path.is_symlink());
    files.map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned()).collect()
}

/// All that can be seen of a folder from outside, times included.
pub(crate) fn seen(folder: &Path) -> Vec<(PathBuf, [i64; 6], Vec<u8>)> {
    let look = |path: PathBuf| {
        let about = fs::symlink_metadata(&path).unwrap();
        let times = [about.mtime(), about.mtime_nsec(), about.ctime(), about.ctime_nsec()];
        let figures =
            [times[0], times[1], times[2], times[3], about.mode().into(), about.ino() as i64];
        let content = if about.is_file() { fs::read(&path).unwrap() } else { vec![] };
        (path, figures, content)
    };
    [vec![folder.to_owned()], below(folder)].concat().into_iter().map(look).collect()
}

/// When each file below a folder was written, and which file it is.
pub(crate) fn written(folder: &Path) -> BTreeMap<String, (SystemTime, u64)> {
    let when = |path: String| {
        let about = fs::symlink_metadata(folder.join(&path)).unwrap();
        (path, (about.modified().unwrap(), about.ino()))
    };
    files(folder).into_iter().map(when).collect()
}

/// The files that were written between two looks.
pub(crate) fn changed(
    before: &BTreeMap<String, (SystemTime, u64)>,
    after: &BTreeMap<String, (SystemTime, u64)>,
) -> Vec<String> {
    after
        .iter()
        .filter(|(path, when)| before.get(*path) != Some(when))
        .map(|(path, _)| path.clone())
        .collect()
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        paths.push(entry.path());
        if entry.file_type().unwrap().is_dir() {
            paths.extend(below(&entry.path()));
        }
    }
    paths.sort();
    paths
}
