//! `run -- COMMAND`: a program of the user's, in a guest and in a directory.

mod lab;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use lab::comparison::{Compared, kernel_setting, place};
use lab::trial::{broken, count, measured, names, phase, written};
use lab::{Bench, Ran, main_kernel, one_line, text};

/// Arguments that run a command in a guest.
fn in_guest(kernel: &Path, options: &[&str], command: &[&str]) -> Vec<String> {
    let kernel = kernel_setting(kernel);
    let words = [&["run", "--json", "-", "--set", &kernel], options].concat();
    with_command(&words, command)
}

/// Arguments that run a command in a directory.
fn in_directory(on: &str, options: &[&str], command: &[&str]) -> Vec<String> {
    with_command(&[&["run", "--json", "-", "--on", on], options].concat(), command)
}

fn with_command(words: &[&str], command: &[&str]) -> Vec<String> {
    words.iter().chain(&["--"]).chain(command).map(|word| (*word).to_owned()).collect()
}

/// Runs the program with the bench's places in front of the command, where they are options.
fn run(bench: &Bench, arguments: &[String]) -> Ran {
    let (options, command) =
        arguments.split_at(arguments.iter().position(|w| w == "--").expect("--"));
    let mut started = bench.command(options);
    started.args(command);
    Ran::of(started)
}

/// Fails the test unless the trial broke in its command, with all of these texts.
#[track_caller]
fn assert_broken(ran: Ran, said: &[&str]) {
    let trial = ran.exits(5).trial();
    let reason = broken(&trial, "workload");
    for text in [&["phase `command 1`"], said].concat() {
        assert!(reason.contains(text), "`{text}` is not in: {reason}");
    }
}

#[test]
fn a_command_writes_on_the_first_disk_and_a_sync_follows() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let script = "echo hello > file && read line < file && test $line = hello && echo it said $line \
                  && test $SLOWPATH_DIR = $(pwd) && test $SLOWPATH_DIRS = /mnt/0:/mnt/1";
    let arguments = in_guest(&kernel, &["--set", "disks=2"], &["sh", "-c", script]);
    let trial = run(&bench, &arguments).exits(0).trial();
    assert_eq!(names(&trial), ["mkfs", "mount", "command", "sync", "umount"]);
    // A block with the file's data, at least, and it is the first disk's.
    let disks = &phase(&trial, "sync")["disks"];
    let to_disk = |disk: usize| count(&disks[disk], "written_bytes");
    assert!(to_disk(0) >= 4096 && to_disk(0) > to_disk(1), "{disks:#}");
    assert_eq!(written(phase(&trial, "command")), 0);
    let again = run(&bench, &arguments).exits(0).trial();
    assert_eq!(measured(&again), measured(&trial), "the same numbers");

    let folder = bench.store().join("trials").join(text(&trial, "id"));
    let output = fs::read_to_string(folder.join("output.log")).expect("what programs printed");
    assert!(output.contains("it said hello"), "{output}");
    let page = one_line(&bench.run(&["show"]).exits(0).out);
    assert!(page.contains("echo hello > file"), "the command is told: {page}");
}

#[test]
fn a_script_has_the_programs_that_it_names() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let script = "set -e; for i in 1 2; do cp /bin/sh $i; done; sync; ls -l | wc -l; cmp 1 2";
    let trial = run(&bench, &in_guest(&kernel, &[], &["sh", "-c", script])).exits(0).trial();
    let command = phase(&trial, "command");
    let program = fs::metadata("/bin/sh").expect("a shell").len();
    assert!(written(command) >= 2 * program, "its own sync wrote two copies: {command:#}");
    // One that does not wait for what it started leaves it on the disk.
    let script = in_guest(&kernel, &[], &["sh", "-c", "sleep 1000 & echo done"]);
    let trial = run(&bench, &script).exits(5).trial();
    let reason = broken(&trial, "workload");
    for said in ["phase `umount`", "/mnt/0", "a process of an earlier phase still uses it"] {
        assert!(reason.contains(said), "`{said}` is not in: {reason}");
    }
}

#[test]
fn a_command_that_fails_breaks_the_trial_with_what_it_said() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let failing = ["sh", "-c", "echo first; echo last >&2; exit 7"];
    let said = ["sh", "status 7", "first; last"];
    assert_broken(run(&bench, &in_guest(&kernel, &[], &failing)), &said);
    let data = bench.folder("data");
    assert_broken(run(&bench, &in_directory(&place(&data), &[], &failing)), &said);
    let killed = ["sh", "-c", "kill -9 $$"];
    assert_broken(run(&bench, &in_guest(&kernel, &[], &killed)), &["sh", "signal 9"]);
}

/// Data files and programs, beside the test and below /tmp, where temporary files lie in a guest, too.
#[test]
fn what_is_included_has_its_path_in_the_guest() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let built = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let elsewhere = tempfile::tempdir_in("/tmp").expect("a folder");
    for folder in [built.path(), elsewhere.path()] {
        let (data, script) = (folder.join("data"), folder.join("bench"));
        fs::create_dir(&data).expect("a folder");
        fs::write(data.join("target"), "a datum\n").expect("a file");
        symlink(data.join("target"), data.join("file")).expect("a link");
        fs::write(&script, "#!/bin/sh\nread line < $1 && echo $line > copy && cat copy\n").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let (path, file) = (data.display().to_string(), data.join("file").display().to_string());
        let include = ["--include", &*path, "--include", "/bin/cat"];
        let script = script.display().to_string();
        let trial = run(&bench, &in_guest(&kernel, &include, &[&script, &file])).exits(0).trial();
        let log = bench.store().join("trials").join(text(&trial, "id")).join("output.log");
        let output = fs::read_to_string(log).expect("what programs printed");
        assert!(output.contains("a datum"), "{output}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_before_anything_boots() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let refused = |options: &[&str], command: &[&str], said: &[&str]| {
        let ran = run(&bench, &in_guest(&kernel, options, command)).exits(2).complains(said);
        assert_eq!(ran.out, "");
    };
    refused(&[], &["no-such-program"], &["`no-such-program` is no program here"]);
    refused(&[], &["./no-such-program"], &["no-such-program", "No such file"]);
    refused(&["--include", "/no/such/file"], &["sh"], &["/no/such/file", "No such file"]);
    refused(&["dd-sync"], &["sh"], &["`dd-sync` is a case", "leave one of them out"]);
    assert!(bench.trials().is_empty() && !bench.cache().join("states").exists());
}

/// What a file brings along is not run unbidden.
#[test]
fn a_file_s_commands_need_permission_and_a_recipe_s_again() {
    let bench = Bench::new();
    let data = bench.folder("data");
    let (on, proof) = (place(&data), bench.path("proof"));
    let case = format!(
        "format = 1\nname = \"mine\"\nheadline = \"run\"\n[[round]]\nname = \"run\"\n\
         do = \"command\"\ncommand = [\"sh\", \"-c\", \"echo run >> {}\"]\n",
        proof.display()
    );
    let file = bench.path("mine.toml");
    fs::write(&file, case).unwrap();
    let file = file.to_str().unwrap();
    let allowed = bench.run(&["run", file, "--on", &on]).exits(2);
    allowed.complains(&["the case mine runs a command", "echo run >>", "--allow-command"]);
    let compared = ["compare", file, "--on", &on, "--vary", "disks=1,2"];
    bench.run(&compared).exits(2).complains(&["--allow-command"]);
    assert!(!proof.exists() && bench.trials().is_empty());

    bench.run(&["run", file, "--on", &on, "--allow-command"]).exits(0);
    let recipe = bench.path("recipe.json");
    fs::write(&recipe, bench.run(&["show", "--recipe"]).exits(0).out).unwrap();
    let recipe = recipe.to_str().unwrap();
    bench.run(&["run", recipe]).exits(2).complains(&["the recipe runs a command", "--allow"]);
    assert_eq!(fs::read_to_string(&proof).unwrap(), "run\n", "once, when it was allowed");
}

/// dd and its fsync take as long as the disk.
#[test]
fn a_command_is_compared() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let kernel = kernel_setting(&kernel);
    let options = ["--set", &*kernel, "--set", "mem=512M", "--set", "mkfs=-J size=4"];
    let words = ["compare", "--vary", "disk.mbps=10,40", "--seeds", "6", "--json", "-"];
    let dd = ["dd", "if=/dev/zero", "of=file", "bs=64k", "count=32", "conv=fsync"];
    let found = Compared::of(&run(&bench, &with_command(&[&words[..], &options].concat(), &dd)));
    assert_eq!(found.verdict("disk.mbps=40"), "better");
    let headline = found.headline("disk.mbps=40");
    assert_eq!((text(headline, "phase"), count(headline, "pairs")), ("round 1", 6));
    // 2 MiB at 40 MiB/s take 50 ms less 20 ms that a disk gives at once; at 10 MiB/s 200 ms.
    let effect = headline["effect"].as_f64().expect("an effect");
    assert!((0.1..0.5).contains(&effect), "{effect}");
}

#[test]
fn in_a_directory_a_command_has_a_fresh_folder_that_goes_with_all_in_it() {
    let bench = Bench::new();
    let data = bench.folder("data");
    fs::write(data.join("file"), "its user's").unwrap();
    let proof = bench.path("proof");
    let script = format!(
        "test ! -e file && mkdir -p deep/er && echo ours > deep/er/file && chmod 500 deep \
         && ln -s {} link && pwd > {} && test $SLOWPATH_DIR = $(pwd)",
        data.display(),
        proof.display()
    );
    let arguments = in_directory(&place(&data), &["--repeat", "2"], &["sh", "-c", &script]);
    for trial in run(&bench, &arguments).exits(0).trials() {
        assert_eq!(names(&trial), ["command", "sync"]);
    }
    let folder = fs::read_to_string(proof).unwrap();
    assert!(folder.starts_with(&format!("{}/.slowpath-", data.display())), "{folder}");
    let left: Vec<_> = fs::read_dir(&data).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["file"]);
    assert_eq!(fs::read_to_string(data.join("file")).unwrap(), "its user's");
}

/// Whether the process of that number still sleeps.
fn sleeps(pid: &str) -> bool {
    let line = fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
    line.starts_with(b"sleep")
}

#[test]
fn no_process_of_a_command_outlives_its_trial() {
    let bench = Bench::new();
    let data = bench.folder("data");
    let proof = bench.path("proof");
    let script = |end: &str| format!("sleep 1000 & echo $! > {}; {end}", proof.display());
    let ended = |options: &[&str], script: &str| {
        run(&bench, &in_directory(&place(&data), options, &["sh", "-c", script]))
    };
    // One that waits for its child is over its limit.
    let trial = ended(&["--guest-limit", "2s"], &script("wait")).exits(5).trial();
    let reason = broken(&trial, "out-of-time");
    assert!(reason.contains("2s") && reason.contains("phase `command 1`"), "{reason}");
    bench.assert_nothing_runs();
    assert!(!sleeps(&fs::read_to_string(&proof).unwrap()));
    // One that leaves it behind has done its work.
    ended(&[], &script("true")).exits(0);
    bench.assert_nothing_runs();
    assert!(!sleeps(&fs::read_to_string(&proof).unwrap()));
    // Nor does one in a session of its own.
    let daemon =
        format!("setsid sh -c 'echo $$ > {}; exec sleep 1000' & sleep 0.2", proof.display());
    ended(&[], &daemon).exits(0);
    bench.assert_nothing_runs();
    assert!(!sleeps(&fs::read_to_string(&proof).unwrap()));
    assert_eq!(fs::read_dir(&data).unwrap().count(), 0, "and no file");
}

/// In a guest time that nobody works in passes at once.
#[test]
fn in_a_guest_a_command_over_its_limit_says_where_it_stands() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let arguments = in_guest(&kernel, &["--guest-limit", "20s"], &["sleep", "1000"]);
    let trial = run(&bench, &arguments).exits(5).trial();
    let reason = broken(&trial, "out-of-time");
    for said in ["limit of 20s of guest time", "phase `command 1`", "nanosleep"] {
        assert!(reason.contains(said), "`{said}` is not in: {reason}");
    }
}
