//! Reading that may hang, as below a dead server or a dying disk.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// For reading some files of the kernel.
pub(super) const SHORT: Duration = Duration::from_secs(5);

/// For asking some twenty programs.
pub(super) const LONG: Duration = Duration::from_secs(60);

/// Does `work`, and leaves it alone where it takes longer than `limit`: a thread that hangs in the
/// kernel cannot be stopped, only left behind.
///
/// # Errors
/// It took longer, or failed.
pub(super) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = mpsc::channel();
    let started = thread::Builder::new().spawn(move || {
        // Where nobody waits any more, the result is not wanted.
        let _ = sender.send(work());
    });
    started.map_err(|error| format!("no thread could be started to read it: {error}"))?;
    receiver.recv_timeout(limit).map_err(|error| match error {
        RecvTimeoutError::Timeout => format!("reading it took longer than {limit:?}"),
        RecvTimeoutError::Disconnected => "reading it failed".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hangs_is_left_alone() {
        let (_sender, receiver) = mpsc::channel::<()>();
        let outcome = within(Duration::from_millis(1), move || receiver.recv().is_ok());
        assert_eq!(outcome, Err("reading it took longer than 1ms".to_owned()));
        assert_eq!(within(LONG, || 7), Ok(7));
    }
}
