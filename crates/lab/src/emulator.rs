//! Which QEMU there is and what of it the plugin can use.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use experiment::PlaceError;
use protocol::Results;
use serde_json::json;

use crate::child::{Guarded, Inherited};
use crate::frames::{self, Frame};
use crate::machine::{Clock, MACHINE};
use crate::memfile;
use crate::qmp::{Qmp, Version};
use crate::tools::find_program;

/// The program's name in PATH.
const PROGRAM: &str = "qemu-system-x86_64";

/// The number of the plugin's byte format and promises; its own documentation describes them.
const CONTRACT: &str = "4";

/// Something that is left out on purpose, to see that its fallback works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// The whole plugin.
    Plugin,
    /// The cure of the `hlt` leak.
    HltCure,
    /// Stopping at the ready marker, and so saved states.
    Stop,
    /// Reading guest memory, and so results through the plugin.
    GuestMemory,
}

/// A QEMU that was tried.
#[derive(Clone, Debug)]
pub struct Emulator {
    program: PathBuf,
    version: Version,
    /// The plugin's file, or why there is none.
    plugin: Result<PathBuf, String>,
    found: BTreeMap<String, String>,
    without: Vec<Without>,
}

impl Emulator {
    /// Finds QEMU, starts it with a machine that never runs and asks it and the plugin what they can do.
    ///
    /// # Errors
    /// No QEMU ([`PlaceError::Missing`]), or one that does not start.
    pub fn probe(
        program: Option<&Path>,
        plugin: Option<&Path>,
        without: &[Without],
    ) -> Result<Emulator, PlaceError> {
        let program = match program {
            Some(named) => named.to_owned(),
            None => find_program(PROGRAM).ok_or_else(|| PlaceError::Missing(absent(PROGRAM)))?,
        };
        if !program.is_file() {
            return Err(PlaceError::Missing(absent(&program.display().to_string())));
        }
        let wanted = plugin.filter(|_| !without.contains(&Without::Plugin));
        let attempt = match wanted {
            Some(plugin) => ask(&program, Some(plugin)),
            None => Err(io::Error::other("there is none")),
        };
        let (answer, plugin) = match attempt {
            Ok(answer) => (answer, wanted.map(Path::to_owned).ok_or_else(String::new)),
            // A QEMU built without plugins, or a plugin that it refuses: it may still do.
            Err(refused) => {
                let answer = ask(&program, None).map_err(|error| {
                    PlaceError::Missing(format!("{} does not start: {error}", program.display()))
                })?;
                (answer, Err(refused.to_string()))
            }
        };
        let (version, found) = answer;
        Ok(Emulator { program, version, plugin, found, without: without.to_owned() })
    }

    /// The program's file.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// `7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version.text
    }

    /// The plugin that is loaded in every run.
    #[must_use]
    pub fn plugin(&self) -> Option<&Path> {
        self.plugin.as_deref().ok()
    }

    /// What the plugin said of itself and of QEMU, for the fingerprint.
    pub fn findings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.found.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    fn has(&self, key: &str, without: Without) -> bool {
        let found = self.found.get(key).is_some_and(|value| value != "no");
        self.plugin.is_ok() && found && !self.without.contains(&without)
    }

    /// How time is counted.
    pub(crate) fn clock(&self) -> Clock {
        if self.has("hlt_cure", Without::HltCure) { Clock::Counted } else { Clock::Recorded }
    }

    /// Whether a booted machine with that many CPUs can be saved and restored. With several,
    /// restored trials were seen to differ on QEMU 7.2 and 10 where booted ones did not.
    #[must_use]
    pub fn can_save(&self, cpus: u32) -> bool {
        let stops = ["sym.vm_stop", "sym.runstate_is_running"];
        let stops = stops.iter().all(|symbol| self.has(symbol, Without::Stop));
        cpus == 1 && self.clock() == Clock::Counted && stops
    }

    /// How results leave the guest.
    #[must_use]
    pub fn results(&self) -> Results {
        let memory = self.has("guest_memory", Without::GuestMemory);
        if memory && self.has("registers", Without::GuestMemory) {
            Results::Plugin
        } else {
            Results::Serial
        }
    }

    /// What has to fall back for a machine with that many CPUs, in sentences.
    #[must_use]
    pub fn notes(&self, cpus: u32) -> Vec<String> {
        let mut notes = Vec::new();
        if let Err(why) = &self.plugin {
            notes.push(format!("QEMU runs without the plugin ({why}): no instruction counts"));
        }
        if self.clock() == Clock::Recorded {
            notes.push("time is kept exact by QEMU's record mode, which is slower".to_owned());
        }
        if !self.can_save(cpus) {
            let why = if cpus > 1 { " with several CPUs" } else { "" };
            notes.push(format!("the machine cannot be saved{why}: each trial boots"));
        }
        if self.results() == Results::Serial {
            notes.push("results leave the guest over the serial console".to_owned());
        }
        notes
    }

    /// Arguments that load the plugin, which writes its frames to the child's `fd`. `shift` is
    /// `-icount`'s; with it the plugin's clock is right inside a block.
    pub(crate) fn plugin_arguments(
        &self,
        fd: i32,
        shift: u32,
        stop: bool,
        profile: bool,
        probes: &[String],
    ) -> Vec<String> {
        let on = |value: bool| if value { "on" } else { "off" };
        let Ok(plugin) = &self.plugin else { return Vec::new() };
        let file = plugin_path(plugin);
        let (stop, profile) = (on(stop), on(profile));
        let options = format!("fd={fd},shift={shift},stop={stop},profile={profile}");
        let probes: String = probes.iter().map(|probe| format!(",{probe}")).collect();
        vec!["-plugin".to_owned(), format!("{file},{options}{probes}")]
    }

    /// Why the guest cannot be looked at from outside, where it cannot.
    pub(crate) fn cannot_watch(&self) -> Option<String> {
        match &self.plugin {
            Err(why) => Some(format!("QEMU runs without the plugin ({why})")),
            Ok(_) if self.results() == Results::Serial => {
                Some("this QEMU has no way to read a guest's registers and memory".to_owned())
            }
            Ok(_) => None,
        }
    }

    /// Where QEMU finds its firmware when it lies unpacked in a folder of its own.
    pub(crate) fn firmware(&self) -> Vec<String> {
        firmware(&self.program)
    }

    /// Whether states are files to QEMU (since 8.2); before, they are inherited descriptors.
    pub(crate) fn migrates_to_files(&self) -> bool {
        self.version.number >= (8, 2)
    }
}

fn absent(program: &str) -> String {
    format!(
        "{program} is not there; install QEMU: apt-get install qemu-system-x86 \
         (or name it with --qemu PATH)"
    )
}

fn firmware(program: &Path) -> Vec<String> {
    let prefix = program.parent().and_then(Path::parent).unwrap_or(Path::new("/usr"));
    if prefix == Path::new("/usr") || prefix == Path::new("/") {
        return Vec::new();
    }
    let folders = ["share/qemu", "share/seabios"].map(|folder| prefix.join(folder));
    let present = folders.into_iter().filter(|folder| folder.is_dir());
    present.flat_map(|folder| ["-L".to_owned(), folder.display().to_string()]).collect()
}

type Answer = (Version, BTreeMap<String, String>);

/// Starts a machine that never runs, with or without the plugin.
fn ask(program: &Path, plugin: Option<&Path>) -> io::Result<Answer> {
    let (ours, theirs) = UnixStream::pair()?;
    let (mut reader, writer) = io::pipe()?;
    let mut inherited = Inherited::default();
    let control = inherited.add(theirs);
    let frames = inherited.add(writer);
    let mut arguments = firmware(program);
    let fixed = ["-nodefaults", "-no-user-config", "-accel", "tcg", "-S", "-M", MACHINE];
    arguments.extend(fixed.map(str::to_owned));
    arguments.extend(["-display", "none", "-monitor", "none"].map(str::to_owned));
    arguments.extend(control_arguments(control));
    if let Some(plugin) = plugin {
        arguments.push("-plugin".to_owned());
        arguments.push(format!("{},fd={frames}", plugin_path(plugin)));
    }
    let log = memfile::empty("qemu-log")?;
    let mut child = Guarded::spawn(program, &arguments, inherited, &log)?;
    let (mut qmp, version) = Qmp::connect(ours).map_err(|error| child.explain(&error, &log))?;
    // QEMU answers `quit` and ends; whether the answer arrives is all the same.
    let _ = qmp.command("quit", json!({}));
    let mut found = BTreeMap::new();
    while let Some(frame) = frames::read(&mut reader)? {
        if let Frame::Hello(text) = frame {
            found.extend(pairs(&text));
        }
    }
    match plugin {
        Some(_) if found.is_empty() => Err(io::Error::other("the plugin said nothing")),
        Some(plugin) if found.get("contract").map(String::as_str) != Some(CONTRACT) => {
            let plugin = plugin.display();
            Err(io::Error::other(format!("{plugin} is of another build; build it: make build")))
        }
        _ => Ok((version, found)),
    }
}

/// Arguments by which QEMU is controlled through the inherited socket `fd`.
pub(crate) fn control_arguments(fd: i32) -> [String; 4] {
    [
        "-chardev".to_owned(),
        format!("socket,id=control,fd={fd}"),
        "-mon".to_owned(),
        "chardev=control,mode=control".to_owned(),
    ]
}

/// QEMU splits options at commas; a doubled one stands for itself.
fn plugin_path(plugin: &Path) -> String {
    plugin.display().to_string().replace(',', ",,")
}

fn pairs(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    text.lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned()))
}
