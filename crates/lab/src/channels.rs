//! What a trial sent out of the guest, collected while it runs.

use std::collections::BTreeMap;

use model::Measurements;
use model::trace::Span;
use protocol::{AgentReport, channel, marker};

use crate::frames::{Code, Frame, Mark};

/// Everything that came out so far.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    messages: BTreeMap<u8, Vec<u8>>,
    /// For each phase that began: the mark at its begin and, once it ended, at its end.
    spans: Vec<(Mark, Option<Mark>)>,
    /// Instructions by block, by the phase's index.
    pub(crate) profile: BTreeMap<usize, Vec<(u64, u64)>>,
    /// The user code that blocks name by a key.
    pub(crate) code: Vec<Code>,
    /// What the plugin complained of.
    pub(crate) notes: Vec<String>,
    /// Whether the agent reached its ready marker.
    pub(crate) ready: bool,
}

/// What a frame told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Nothing that anybody waits for.
    Nothing,
    /// The agent is ready for its job.
    Ready,
    /// The phase of that index began.
    Began(usize),
    /// It ended.
    Ended(usize),
    /// The agent's report is there: nothing else follows.
    Report,
}

impl Collected {
    /// Takes a frame of the plugin's.
    pub(crate) fn take(&mut self, frame: Frame) -> News {
        match frame {
            // Probes and samples have a reader of their own.
            Frame::Hello(_) | Frame::End | Frame::Probe(_) | Frame::Sample(_) => News::Nothing,
            Frame::Code(code) => {
                self.code.push(code);
                News::Nothing
            }
            Frame::Note(note) => {
                self.notes.push(format!("plugin: {note}"));
                News::Nothing
            }
            Frame::Data(channel, bytes) => self.message(channel, bytes),
            Frame::Profile(number, counts) => {
                if let Some(index) = self.current(number) {
                    self.profile.entry(index).or_default().extend(counts);
                }
                News::Nothing
            }
            Frame::Mark(mark) => self.mark(mark),
        }
    }

    /// Takes a message, by whichever way it came.
    pub(crate) fn message(&mut self, channel: u8, bytes: Vec<u8>) -> News {
        match channel {
            // Too long for one message: the others are whole by themselves.
            channel::SAMPLES => self.messages.entry(channel).or_default().extend(bytes),
            _ => drop(self.messages.insert(channel, bytes)),
        }
        if channel == channel::REPORT { News::Report } else { News::Nothing }
    }

    fn mark(&mut self, mark: Mark) -> News {
        match mark.number {
            marker::READY => {
                self.ready = true;
                News::Ready
            }
            marker::NO_PHASE => match self.spans.last_mut() {
                Some((_, end @ None)) => {
                    *end = Some(mark);
                    News::Ended(self.spans.len() - 1)
                }
                _ => News::Nothing,
            },
            _ => {
                self.spans.push((mark, None));
                News::Began(self.spans.len() - 1)
            }
        }
    }

    /// The index of the phase that runs or just ended, if `number` is its marker.
    fn current(&self, number: u8) -> Option<usize> {
        let index = self.spans.len().checked_sub(1)?;
        (marker::phase_number(index) == number).then_some(index)
    }

    /// The index of the phase that runs.
    pub(crate) fn running(&self) -> Option<usize> {
        let (_, end) = self.spans.last()?;
        end.is_none().then(|| self.spans.len() - 1)
    }

    /// Where the phases lay on the guest's clock; `None` where one has no end or no clock was read.
    pub(crate) fn phases(&self) -> Option<Vec<Span>> {
        let span = |(begin, end): &(Mark, Option<Mark>)| {
            Some(Span { from_ns: begin.clock?, to_ns: end.as_ref()?.clock? })
        };
        self.spans.iter().map(span).collect()
    }

    /// Instructions executed when each phase began and when it ended, of those that did.
    pub(crate) fn counted(&self) -> Vec<(u64, u64)> {
        let ended = self.spans.iter().filter_map(|(begin, end)| Some((begin, end.as_ref()?)));
        ended.map(|(begin, end)| (begin.instructions, end.instructions)).collect()
    }

    /// How many phases began.
    pub(crate) fn began(&self) -> usize {
        self.spans.len()
    }

    /// What came on a channel, which is then empty.
    pub(crate) fn bytes(&mut self, channel: u8) -> Option<Vec<u8>> {
        self.messages.remove(&channel)
    }

    /// Text that came on a channel.
    pub(crate) fn text(&self, channel: u8) -> Option<String> {
        self.messages.get(&channel).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The agent's report, with the instructions that the plugin counted.
    ///
    /// # Errors
    /// A report that is none of this version's.
    pub(crate) fn report(&self) -> Option<Result<AgentReport, String>> {
        let bytes = self.messages.get(&channel::REPORT)?;
        let report = serde_json::from_slice(bytes)
            .map_err(|error| format!("the agent's report cannot be read: {error}"));
        Some(report.map(|report| match report {
            AgentReport::Measured(measured) => AgentReport::Measured(self.with_counts(measured)),
            broken @ AgentReport::Broken { .. } => broken,
        }))
    }

    fn with_counts(&self, mut measured: Measurements) -> Measurements {
        for (phase, (begin, end)) in measured.phases.iter_mut().zip(&self.spans) {
            let counts = end.map(|end| {
                let all = end.instructions.saturating_sub(begin.instructions);
                (all, end.kernel_instructions.saturating_sub(begin.kernel_instructions))
            });
            phase.instructions = counts.map(|(all, _)| all);
            phase.kernel_instructions = counts.map(|(_, kernel)| kernel);
        }
        measured
    }
}

#[cfg(test)]
mod tests {
    use model::PhaseRun;

    use super::*;

    fn mark(number: u8, instructions: u64) -> Frame {
        Frame::Mark(Mark {
            number,
            clock: None,
            instructions,
            kernel_instructions: instructions / 2,
        })
    }

    #[test]
    fn marks_become_phases_with_their_instructions() {
        let mut seen = Collected::default();
        assert_eq!(seen.take(mark(marker::READY, 5)), News::Ready);
        assert_eq!(seen.take(mark(1, 10)), News::Began(0));
        assert_eq!(seen.take(Frame::Profile(1, vec![(0, 30)])), News::Nothing);
        assert_eq!(seen.take(mark(0, 40)), News::Ended(0));
        assert_eq!(seen.take(mark(0, 41)), News::Nothing);
        assert_eq!(seen.running(), None);
        assert_eq!(seen.take(mark(2, 50)), News::Began(1));
        assert_eq!(seen.running(), Some(1));
        assert_eq!((seen.began(), seen.counted()), (2, vec![(10, 40)]));
        let code = Code { key: 2, address: 0x1000, bytes: vec![0xc3] };
        assert_eq!(seen.take(Frame::Code(code.clone())), News::Nothing);
        assert_eq!(seen.code, [code]);
        let phases = vec![PhaseRun::default(), PhaseRun::default()];
        let report = AgentReport::Measured(Measurements { phases, ..Measurements::default() });
        let json = serde_json::to_vec(&report).unwrap();
        assert_eq!(seen.take(Frame::Data(channel::REPORT, json)), News::Report);
        let Some(Ok(AgentReport::Measured(measured))) = seen.report() else { panic!("no report") };
        assert_eq!(measured.phases[0].instructions, Some(30));
        assert_eq!(measured.phases[0].kernel_instructions, Some(15));
        assert_eq!(measured.phases[1].instructions, None, "it never ended");
        assert_eq!(seen.profile[&0], [(0, 30)]);
    }

    #[test]
    fn a_report_of_another_version_is_an_error() {
        let mut seen = Collected::default();
        assert!(seen.report().is_none());
        seen.take(Frame::Data(channel::REPORT, b"{}".to_vec()));
        assert!(seen.report().unwrap().is_err());
    }
}
