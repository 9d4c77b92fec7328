//! The exact lab as a place.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use experiment::{Cancel, Passes, Place, PlaceError, Seen, TrialEvent, TrialOutput};
use kernels::Symbols;
use model::{Action, Broken, BrokenKind, Fingerprint, Outcome, Profile, TrialSpec, Variant};
use protocol::{AgentReport, Watch, channel};

use crate::channels::Collected;
use crate::conduct::{self, Finished, NotSaved, Stopped};
use crate::config::Config;
use crate::emulator::Emulator;
use crate::fit;
use crate::frames::Frame;
use crate::job::{self, Surroundings};
use crate::observe;
use crate::prepare::{self, Prepared, Unprepared};
use crate::profile;
use crate::seeds;
use crate::session::Start;
use crate::sources::Sources;
use crate::states::States;
use crate::symbol_cache::SymbolCache;
use crate::watch::UserCode;

/// The exact lab.
pub struct Exact {
    config: Config,
    states: States,
    emulator: Mutex<Option<Arc<Emulator>>>,
    prepared: Mutex<HashMap<String, Arc<Prepared>>>,
    sources: Sources,
}

/// Said of a trial whose profile has no names.
const NO_SYMBOLS: &str = "no profile: the modules lie elsewhere than in the trial whose symbols were \
    kept; the next profile asks for them again";

/// How many of the console's last lines a broken trial shows.
const CONSOLE_LINES: usize = 20;

impl Exact {
    /// A lab; nothing is looked for until a trial is checked or run.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let states = States::new(&config.cache, config.cache_limit);
        Exact {
            config,
            states,
            emulator: Mutex::default(),
            prepared: Mutex::default(),
            sources: Sources::default(),
        }
    }

    /// The QEMU of this lab, tried once.
    ///
    /// # Errors
    /// See [`Emulator::probe`].
    pub fn emulator(&self) -> Result<Arc<Emulator>, PlaceError> {
        let mut known = self.emulator.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(emulator) = &*known {
            return Ok(Arc::clone(emulator));
        }
        let Config { qemu, plugin, without, .. } = &self.config;
        let emulator = Arc::new(Emulator::probe(qemu.as_deref(), plugin.as_deref(), without)?);
        *known = Some(Arc::clone(&emulator));
        Ok(emulator)
    }

    pub(crate) fn prepared(&self, spec: &TrialSpec) -> Result<Arc<Prepared>, Unprepared> {
        let boot = seeds::boot(spec.seed, &spec.settings);
        let commands: Vec<_> =
            spec.phases.iter().filter_map(|phase| command(&phase.action)).collect();
        let key = format!("{} {:?} {commands:?} {:?}", boot.number, spec.settings, spec.include);
        let mut known = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = known.get(&key) {
            return Ok(Arc::clone(prepared));
        }
        // Wrong input is told before anything that is missing.
        let kernel = prepare::kernel(&spec.settings, &self.config, &self.sources, &|_| {})?;
        let emulator = self.emulator()?;
        let prepared = prepare::prepare(spec, boot, &kernel, &self.config, &emulator)?;
        let prepared = Arc::new(prepared);
        known.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }

    /// The saved machine with its folder, booted first where there is none; `None` where machines of
    /// this kind cannot be saved and the trial itself boots.
    fn saved(
        &self,
        bare: &Start<'_>,
        spec: &TrialSpec,
        prepared: &Prepared,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<Option<(File, PathBuf)>, NotSaved> {
        if !bare.emulator.can_save(spec.settings.cpus) {
            events(TrialEvent::Booting);
            return Ok(None);
        }
        let opened = self.states.open(&prepared.key, cancel, |path, file| {
            events(TrialEvent::Booting);
            conduct::boot_and_save(bare, spec.limits, cancel, (path, file))
        });
        opened.map(Some)
    }

    /// The symbols of an earlier trial with the same saved machine and payload: of one with the same job, else of any, whose
    /// modules likely lie where this one's will.
    pub(crate) fn kept_symbols(
        &self,
        spec: &TrialSpec,
        prepared: &Prepared,
    ) -> Result<Option<String>, PlaceError> {
        let job = self.job(spec, prepared, None, false)?;
        let folder = self.states.folder(&prepared.key);
        let cache = prepared.symbol_cache(&folder, &job);
        Ok(cache.kept().or_else(|| cache.sibling()))
    }

    /// The job of a pass, as text.
    fn job(
        &self,
        spec: &TrialSpec,
        prepared: &Prepared,
        watch: Option<Watch>,
        symbols: bool,
    ) -> Result<Vec<u8>, PlaceError> {
        let around = Surroundings {
            modules: &prepared.modules,
            mkfs: &prepared.mkfs,
            results: self.emulator()?.results(),
            symbols,
            watch,
        };
        serde_json::to_vec(&job::job(spec, &around))
            .map_err(|error| PlaceError::Host(error.to_string()))
    }

    /// Runs a pass of the trial; `see` gets what probes and samples saw.
    pub(crate) fn conduct(
        &self,
        spec: &TrialSpec,
        prepared: &Prepared,
        pass: &Pass<'_>,
        see: &mut dyn FnMut(&Frame),
        (events, cancel): (&(dyn Fn(TrialEvent) + Sync), &Cancel),
    ) -> Result<Result<Finished, Stopped>, PlaceError> {
        let emulator = self.emulator()?;
        let bare = Start {
            emulator: &emulator,
            machine: &prepared.machine,
            kernel: &prepared.image,
            shift: spec.settings.insn_ns.trailing_zeros(),
            initramfs: &prepared.initramfs,
            stop: true,
            profile: false,
            probes: &[],
            state: None,
            trial: None,
        };
        let saved = match self.saved(&bare, spec, prepared, events, cancel) {
            Ok(saved) => saved,
            Err(NotSaved::Broken(stopped)) => return Ok(Err(stopped)),
            Err(NotSaved::Place(_)) if cancel.is_set() => return Ok(Err(Stopped::cancelled())),
            Err(NotSaved::Place(error)) => return Err(error),
        };
        let plain = self.job(spec, prepared, None, false)?;
        let cache = saved.as_ref().map(|(_, folder)| prepared.symbol_cache(folder, &plain));
        let known = cache.as_ref().is_some_and(SymbolCache::is_filled);
        let job = self.job(spec, prepared, pass.watch, pass.symbols && !known)?;
        let start = Start {
            stop: false,
            profile: pass.profile,
            probes: pass.probes,
            state: saved.as_ref().map(|(state, _)| state),
            trial: Some((&job, &prepared.payload)),
            ..bare
        };
        let mut conducted = conduct::trial(&start, &spec.phases, spec.limits, see, events, cancel);
        if let Some((_, folder)) = &saved {
            let boot = std::fs::read_to_string(folder.join(conduct::BOOT_CONSOLE));
            let console = match &mut conducted {
                Ok(finished) => &mut finished.console,
                Err(stopped) => &mut stopped.console,
            };
            console.insert_str(0, &boot.unwrap_or_default());
        }
        // A pass that looks from inside has another job.
        let cache = cache.filter(|_| pass.watch.is_none());
        if let (Ok(finished), Some(cache)) = (&mut conducted, &cache) {
            share_symbols(&mut finished.collected, cache, pass.symbols);
        }
        Ok(conducted)
    }
}

/// How one pass of a trial is run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pass<'a> {
    /// Whether instructions are counted by address.
    pub(crate) profile: bool,
    /// Whether the kernel's symbols are wanted.
    pub(crate) symbols: bool,
    /// How the guest is looked at from outside: the plugin's arguments.
    pub(crate) probes: &'a [String],
    /// How it is looked at from inside.
    pub(crate) watch: Option<Watch>,
}

impl Place for Exact {
    fn takes(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn is_exact(&self, _: &TrialSpec) -> bool {
        true
    }

    fn make_ready(
        &self,
        side: &Variant,
        tell: &(dyn Fn(&str) + Sync),
        cancel: &Cancel,
    ) -> Result<(), PlaceError> {
        match prepare::kernel(&side.settings, &self.config, &self.sources, tell) {
            Ok(_) | Err(Unprepared::Broken(..)) => Ok(()),
            Err(Unprepared::Place(_)) if cancel.is_set() => Ok(()),
            Err(Unprepared::Place(error)) => Err(error),
        }
    }

    fn check(&self, spec: &TrialSpec) -> Result<Option<Fingerprint>, PlaceError> {
        let settings = &spec.settings;
        settings.check(spec.streams()).map_err(|error| PlaceError::Refused(error.to_string()))?;
        fit::check(spec).map_err(PlaceError::Refused)?;
        match self.prepared(spec) {
            Err(Unprepared::Place(error)) => Err(error),
            Err(Unprepared::Broken(..)) => Ok(None),
            Ok(prepared) => Ok(Some(prepared.fingerprint.clone())),
        }
    }

    fn run(
        &self,
        spec: &TrialSpec,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<TrialOutput, PlaceError> {
        let prepared = match self.prepared(spec) {
            Ok(prepared) => prepared,
            Err(Unprepared::Place(error)) => return Err(error),
            Err(Unprepared::Broken(kind, reason, log)) => {
                let stopped = Stopped { kind, reason, console: log.join("\n") };
                return Ok(broken(Fingerprint::default(), Vec::new(), stopped));
            }
        };
        let Config { profile, symbols, .. } = self.config;
        let pass = Pass { profile, symbols: profile || symbols, ..Pass::default() };
        let conducted = self.conduct(spec, &prepared, &pass, &mut |_| {}, (events, cancel))?;
        let (fingerprint, mut notes) = (prepared.fingerprint.clone(), prepared.notes.clone());
        match conducted {
            Err(stopped) => Ok(broken(fingerprint, notes, stopped)),
            Ok(Finished { collected, console }) => {
                notes.extend(collected.notes.iter().cloned());
                let profiled = profile.then(|| profiled(&collected, spec, &prepared)).flatten();
                if profile && profiled.is_none() {
                    notes.push(NO_SYMBOLS.to_owned());
                }
                Ok(TrialOutput {
                    fingerprint,
                    notes,
                    outcome: outcome(&collected, &console),
                    attachments: attachments(&collected, console, profiled.as_ref()),
                })
            }
        }
    }

    fn observe(
        &self,
        spec: &TrialSpec,
        passes: Passes,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<Seen, PlaceError> {
        match self.prepared(spec) {
            Ok(prepared) => observe::observe(self, (spec, &prepared), passes, events, cancel),
            Err(Unprepared::Place(error)) => Err(error),
            Err(Unprepared::Broken(_, reason, _)) => {
                Ok(Seen { notes: vec![format!("nothing was seen: {reason}")], ..Seen::default() })
            }
        }
    }
}

fn command(action: &Action) -> Option<&[String]> {
    match action {
        Action::Command { command } => Some(command),
        _ => None,
    }
}

/// Keeps the symbols that a trial sent, or gives it those that are kept.
fn share_symbols(collected: &mut Collected, cache: &SymbolCache, wanted: bool) {
    let modules = collected.text(channel::MODULES).unwrap_or_default();
    match collected.text(channel::SYMBOLS) {
        Some(symbols) => cache.fill(&modules, &symbols),
        None if wanted => {
            // Whoever wants them says that they were not to be had.
            if let Some(symbols) = cache.get(&modules) {
                collected.message(channel::SYMBOLS, symbols.into_bytes());
            }
        }
        None => {}
    }
}

fn broken(fingerprint: Fingerprint, notes: Vec<String>, stopped: Stopped) -> TrialOutput {
    let Stopped { kind, reason, console } = stopped;
    let outcome = Outcome::Broken(Broken { kind, reason, console: last_lines(&console) });
    let attachments = vec![("console.log".to_owned(), console.into_bytes())];
    TrialOutput { fingerprint, notes, outcome, attachments }
}

pub(crate) fn outcome(collected: &Collected, console: &str) -> Outcome {
    let broken = |kind, reason| {
        // What the kernel logged says more than a quiet console.
        let log = collected.text(channel::KERNEL_LOG);
        let text = log.as_deref().filter(|text| !text.is_empty()).unwrap_or(console);
        Outcome::Broken(Broken { kind, reason, console: last_lines(text) })
    };
    match collected.report() {
        Some(Ok(AgentReport::Measured(measured))) => Outcome::Measured(measured),
        Some(Ok(AgentReport::Broken { kind, reason })) => broken(kind, reason),
        Some(Err(reason)) => broken(BrokenKind::Emulator, reason),
        None => broken(BrokenKind::Emulator, "the agent sent no report".to_owned()),
    }
}

fn attachments(
    collected: &Collected,
    console: String,
    profiled: Option<&Profile>,
) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("console.log".to_owned(), console.into_bytes())];
    for (name, channel) in [("kernel.log", channel::KERNEL_LOG), ("output.log", channel::OUTPUT)] {
        files.extend(collected.text(channel).map(|text| (name.to_owned(), text.into_bytes())));
    }
    if let Some(Ok(json)) = profiled.map(serde_json::to_vec) {
        files.push(("profile.json".to_owned(), json));
    }
    files
}

/// Instructions by function; `None` where the trial has no symbols.
fn profiled(collected: &Collected, spec: &TrialSpec, prepared: &Prepared) -> Option<Profile> {
    let kallsyms = collected.text(channel::SYMBOLS)?;
    let symbols = Symbols::parse(&kallsyms);
    let users = UserCode::recognise(&collected.code, &prepared.programs());
    Some(Profile { phases: profile::phases(spec, collected, &symbols, &users) })
}

fn last_lines(text: &str) -> Vec<String> {
    let telling = |line: &&str| !line.trim().is_empty() && !is_of_init(line);
    let lines: Vec<_> = text.lines().filter(telling).collect();
    lines[lines.len().saturating_sub(CONSOLE_LINES)..].iter().map(|l| (*l).to_owned()).collect()
}

/// Whether it is one of the lines with which every kernel starts its first program (`run_init_process`
/// in `init/main.c`): `Run /init as init process`, then arguments and environment.
fn is_of_init(line: &str) -> bool {
    let text = line.split_once("] ").map_or(line, |(_, text)| text);
    text.starts_with("Run /init as init") || text.starts_with("  with ") || text.starts_with("    ")
}
