//! The supervisor's records: passes with their runs, and lines of output.

use super::failure::{Cause, Failure};
use super::shape::{each, elements, optional, optional_word, shapes, text, texts, time, word};
use crate::wire::seconds;
use crate::{Outcome, Phase, Stream, Value};
use std::time::{Duration, SystemTime};

shapes! {
    /// A pass with its runs, of the [history](crate::Client::history).
    PassRecord;
    /// A run of a [`PassRecord`]. It started at the latest of `ready`, `provided` and `freed`.
    RunRecord;
    /// A line of output of a command, or of a process of the supervisor.
    LogLine;
}

/// Returns the passes of pages; the first page has the newest passes. The runs of a pass may be in several pages.
pub(super) fn passes(pages: &[Value]) -> Vec<PassRecord> {
    let mut passes: Vec<Value> = Vec::new();
    for pass in pages
        .iter()
        .rev()
        .flat_map(|page| elements(&page["passes"]))
    {
        match passes.last_mut() {
            Some(last) if pass.is_object() && last["pass"] == pass["pass"] => {
                let runs = elements(&last["runs"])
                    .chain(elements(&pass["runs"]))
                    .cloned()
                    .collect();
                *last = pass.clone();
                last["runs"] = runs;
            }
            _ => passes.push(pass.clone()),
        }
    }
    passes.into_iter().map(PassRecord::new).collect()
}

impl PassRecord {
    /// Its number.
    pub fn pass(&self) -> u64 {
        self["pass"].as_u64().unwrap_or(0)
    }

    /// Its phase.
    pub fn phase(&self) -> Phase {
        word(&self["phase"])
    }

    /// Returns the time at which the pass was requested.
    pub fn started(&self) -> Option<SystemTime> {
        time(&self["started"])
    }

    /// Returns the time at which its runs could begin; none if they couldn't.
    pub fn opened(&self) -> Option<SystemTime> {
        time(&self["opened"])
    }

    /// Returns the duration of the pass, once it has ended.
    pub fn duration(&self) -> Option<Duration> {
        seconds::read(&self["duration"])
    }

    /// Returns the outcome of the pass; none while it is in flight.
    pub fn outcome(&self) -> Option<Outcome> {
        optional_word(&self["outcome"])
    }

    /// Returns why the pass failed.
    pub fn error(&self) -> Option<Failure> {
        optional(&self["error"], Failure::new)
    }

    /// Returns how many cores the runs of the pass could use, if that is known.
    pub fn cores(&self) -> Option<f64> {
        self["cores"].as_f64()
    }

    /// Returns the CPU time that all processes used on these cores, if it is known.
    pub fn busy(&self) -> Option<Duration> {
        seconds::read(&self["busy"])
    }

    /// Returns the CPU time that kept processes used outside of their starts, if it is known.
    pub fn processes(&self) -> Option<Duration> {
        seconds::read(&self["processes"])
    }

    /// Returns the CPU time that the supervisor itself used, if it is known.
    pub fn supervisor(&self) -> Option<Duration> {
        seconds::read(&self["supervisor"])
    }

    /// Returns the runs of the pass, in the order in which they ended. Each attempt is a run.
    pub fn runs(&self) -> Vec<RunRecord> {
        each(&self["runs"], RunRecord::new)
    }
}

impl RunRecord {
    /// Its number.
    pub fn run(&self) -> u64 {
        self["run"].as_u64().unwrap_or(0)
    }

    /// Returns the name of the run's initializer.
    pub fn initializer(&self) -> &str {
        text(&self["initializer"])
    }

    /// Returns the number of the attempt, from 1.
    pub fn attempt(&self) -> u64 {
        self["attempt"].as_u64().unwrap_or(1)
    }

    /// Returns the time at which its dependencies had completed, or its pass could begin.
    pub fn ready(&self) -> Option<SystemTime> {
        time(&self["ready"])
    }

    /// Returns the dependencies that completed in its pass.
    pub fn waited_for(&self) -> Vec<String> {
        texts(&self["waitedFor"])
    }

    /// Returns the time at which its worker had registered it.
    pub fn provided(&self) -> Option<SystemTime> {
        time(&self["provided"])
    }

    /// Returns the time at which the previous run freed a place for this run.
    pub fn freed(&self) -> Option<SystemTime> {
        time(&self["freed"])
    }

    /// Returns the initializer of the run that freed a place.
    pub fn freed_by(&self) -> Option<&str> {
        self["freedBy"].as_str()
    }

    /// Returns the start of the run.
    pub fn started(&self) -> Option<SystemTime> {
        time(&self["started"])
    }

    /// Returns the duration of the run, once it has ended.
    pub fn duration(&self) -> Option<Duration> {
        seconds::read(&self["duration"])
    }

    /// Returns the CPU time of the run, if it is known.
    pub fn cpu(&self) -> Option<Duration> {
        seconds::read(&self["cpu"])
    }

    /// Returns the pause between two tries, if the run is a command that polls until something holds.
    pub fn polls(&self) -> Option<Duration> {
        seconds::read(&self["polls"])
    }

    /// Returns the outcome of the run; none while it is in flight.
    pub fn outcome(&self) -> Option<Outcome> {
        optional_word(&self["outcome"])
    }

    /// Returns why the run failed.
    pub fn cause(&self) -> Option<Cause> {
        optional(&self["cause"], Cause::new)
    }
}

impl LogLine {
    /// Returns the time at which the line was written.
    pub fn time(&self) -> Option<SystemTime> {
        time(&self["time"])
    }

    /// Returns the initializer whose command has written the line, or the process.
    pub fn initializer(&self) -> &str {
        text(&self["initializer"])
    }

    /// Returns the number of the run.
    pub fn run(&self) -> Option<u64> {
        self["run"].as_u64()
    }

    /// Returns the number of the attempt; none for a process of the supervisor.
    pub fn attempt(&self) -> Option<u64> {
        self["attempt"].as_u64()
    }

    /// Returns the stream that the line was written to.
    pub fn stream(&self) -> Stream {
        word(&self["stream"])
    }

    /// Returns the line, without its newline.
    pub fn line(&self) -> &str {
        text(&self["line"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn a_pass_has_its_runs() {
        let pass = PassRecord::new(
            r#"{"pass":1,"phase":"launch","started":1763672399.5,"duration":0.5,"outcome":"failed","error":{"message":"no"},
            "runs":[{"run":1,"initializer":"a","attempt":2,"ready":1,"started":2,"duration":0.25,"outcome":"failed",
            "waitedFor":["b"],"cause":{"kind":"exit","status":3},"freed":1.5,"freedBy":"c"},{"run":2}]}"#
                .parse()
                .unwrap(),
        );
        assert_eq!((pass.pass(), pass.phase()), (1, Phase::Launch));
        assert_eq!(
            (pass.outcome(), pass.opened()),
            (Some(Outcome::Failed), None)
        );
        assert_eq!(pass.duration(), Some(Duration::from_millis(500)));
        assert_eq!(pass.error().unwrap().to_string(), "no");
        assert_eq!(pass.runs().len(), 2);
        let run = &pass.runs()[0];
        assert_eq!((run.run(), run.initializer(), run.attempt()), (1, "a", 2));
        assert_eq!(
            (run.waited_for(), run.freed_by()),
            (vec!["b".to_owned()], Some("c"))
        );
        assert!(run.ready() < run.freed() && run.freed() < run.started());
        assert_eq!(run.cause().unwrap().to_string(), "exit status 3");
        let open = &pass.runs()[1];
        assert_eq!(
            (open.outcome(), open.duration(), open.provided()),
            (None, None, None)
        );
    }

    #[test]
    fn passes_that_are_no_objects_do_no_harm() {
        let pages = [json!({ "passes": [1, 2] }), json!({ "passes": {} })];
        assert_eq!(passes(&pages).len(), 2);
    }

    #[test]
    fn a_line_has_its_members() {
        let line = LogLine::new(
            r#"{"time":2,"initializer":"migrate","run":1,"stream":"stderr","line":"migrating"}"#
                .parse()
                .unwrap(),
        );
        assert_eq!((line.initializer(), line.line()), ("migrate", "migrating"));
        assert_eq!((line.run(), line.attempt()), (Some(1), None));
        assert_eq!(line.stream(), Stream::Stderr);
        assert!(line.time().is_some());
    }
}
