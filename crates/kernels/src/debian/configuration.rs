//! The configuration of the package client's root: the machine's, and ours after it (apt.conf(5)).

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// The machine's configuration.
const MACHINE_PARTS: &str = "/etc/apt/apt.conf.d";
const MACHINE_CONF: &str = "/etc/apt/apt.conf";

/// Writes it all anew, since the machine's may have changed. Lists that are there stay.
///
/// # Errors
/// The folder cannot be written, or has a name that the client's configuration cannot hold.
pub(crate) fn write(root: &Path, sources: &str) -> io::Result<()> {
    let name = root.to_str().filter(|name| !name.contains(['"', '\n', ';']));
    let name =
        name.ok_or_else(|| io::Error::other("apt cannot be told a folder of such a name"))?;
    let conf = root.join("conf");
    if conf.exists() {
        fs::remove_dir_all(&conf)?;
    }
    for folder in ["conf", "state/lists/partial", "cache/archives/partial"] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::write(root.join("sources.list"), sources)?;
    fs::write(root.join("status"), "")?;
    link_machine_configuration(&conf)?;
    fs::write(conf.join("zzz-slowpath.conf"), own_configuration(name))?;
    let first = format!("Dir::Etc::parts \"{name}/conf/\";\nDir::Etc::main \"/dev/null\";\n");
    fs::write(root.join("apt.conf"), first)
}

/// Everything that the machine sets (proxies, certificates) comes first, so that ours is last.
fn link_machine_configuration(conf: &Path) -> io::Result<()> {
    let link = |from: &Path, name: &str| match File::open(from).is_ok() {
        true => symlink(from, conf.join(name)),
        false => Ok(()),
    };
    if let Some(environment) = std::env::var_os("APT_CONFIG") {
        link(Path::new(&environment), "00-environment.conf")?;
    }
    for part in fs::read_dir(MACHINE_PARTS).into_iter().flatten().flatten() {
        link(&part.path(), &part.file_name().to_string_lossy())?;
    }
    link(Path::new(MACHINE_CONF), "zzy-machine.conf")
}

/// Our part of the configuration. The hooks are cleared because they tidy the machine's own cache,
/// which is not ours to touch. The client's own cache files would save a second and take 100 MB.
fn own_configuration(root: &str) -> String {
    format!(
        r#"#clear APT::Update;
#clear DPkg;
#clear APT::Architectures;
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; }};
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
Dir::State "{root}/state/";
Dir::State::lists "lists/";
Dir::State::status "{root}/status";
Dir::Cache "{root}/cache/";
Dir::Cache::archives "archives/";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Etc::sourcelist "{root}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
Acquire::GzipIndexes "true";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_comes_last_and_nothing_of_an_earlier_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "deb A bookworm main\n").unwrap();
        fs::write(root.join("conf/zzzz-left.conf"), "").unwrap();
        fs::write(root.join("state/lists/a-list"), "").unwrap();
        write(root, "deb B bookworm main\n").unwrap();
        let mut parts: Vec<_> = fs::read_dir(root.join("conf")).unwrap().flatten().collect();
        parts.sort_by_key(|part| part.file_name());
        assert_eq!(parts.last().unwrap().file_name(), "zzz-slowpath.conf");
        assert!(root.join("state/lists/a-list").exists());
        assert_eq!(fs::read_to_string(root.join("sources.list")).unwrap(), "deb B bookworm main\n");
        let first = fs::read_to_string(root.join("apt.conf")).unwrap();
        assert!(first.contains(&format!("\"{}/conf/\"", root.display())), "{first}");
    }

    #[test]
    fn a_folder_that_the_client_cannot_be_told_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write(&folder.path().join("a\"b"), "").is_err());
        assert!(write(&folder.path().join("a b"), "").is_ok());
    }
}
