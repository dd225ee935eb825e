//! What the supervisor remembers: passes with their runs, and lines of output.

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

/// The passes of pages, of which the first one has the newest. The runs of a pass may be in several.
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

    /// When it was requested.
    pub fn started(&self) -> Option<SystemTime> {
        time(&self["started"])
    }

    /// When its runs could begin; none if they couldn't.
    pub fn opened(&self) -> Option<SystemTime> {
        time(&self["opened"])
    }

    /// How long it took, once it has ended.
    pub fn duration(&self) -> Option<Duration> {
        seconds::read(&self["duration"])
    }

    /// How it has ended; none while it is in flight.
    pub fn outcome(&self) -> Option<Outcome> {
        optional_word(&self["outcome"])
    }

    /// Why it failed.
    pub fn error(&self) -> Option<Failure> {
        optional(&self["error"], Failure::new)
    }

    /// How many cores its runs could use, if that is known.
    pub fn cores(&self) -> Option<f64> {
        self["cores"].as_f64()
    }

    /// The CPU time that everything used on these cores, if that is known.
    pub fn busy(&self) -> Option<Duration> {
        seconds::read(&self["busy"])
    }

    /// The CPU time that the supervisor itself used, if that is known.
    pub fn supervisor(&self) -> Option<Duration> {
        seconds::read(&self["supervisor"])
    }

    /// Its runs, in the order in which they ended. Each attempt is a run.
    pub fn runs(&self) -> Vec<RunRecord> {
        each(&self["runs"], RunRecord::new)
    }
}

impl RunRecord {
    /// Its number.
    pub fn run(&self) -> u64 {
        self["run"].as_u64().unwrap_or(0)
    }

    /// The name of its initializer.
    pub fn initializer(&self) -> &str {
        text(&self["initializer"])
    }

    /// The number of the attempt, from 1.
    pub fn attempt(&self) -> u64 {
        self["attempt"].as_u64().unwrap_or(1)
    }

    /// When its dependencies had completed, or its pass could begin.
    pub fn ready(&self) -> Option<SystemTime> {
        time(&self["ready"])
    }

    /// The dependencies that completed in its pass.
    pub fn waited_for(&self) -> Vec<String> {
        texts(&self["waitedFor"])
    }

    /// When its worker had registered it.
    pub fn provided(&self) -> Option<SystemTime> {
        time(&self["provided"])
    }

    /// When the run before it freed a place.
    pub fn freed(&self) -> Option<SystemTime> {
        time(&self["freed"])
    }

    /// The initializer of the run that freed a place.
    pub fn freed_by(&self) -> Option<&str> {
        self["freedBy"].as_str()
    }

    /// When it started.
    pub fn started(&self) -> Option<SystemTime> {
        time(&self["started"])
    }

    /// How long it took, once it has ended.
    pub fn duration(&self) -> Option<Duration> {
        seconds::read(&self["duration"])
    }

    /// The CPU time that it used, if that is known.
    pub fn cpu(&self) -> Option<Duration> {
        seconds::read(&self["cpu"])
    }

    /// The pause between two tries, if it is a command that waits in a loop until something holds.
    pub fn polls(&self) -> Option<Duration> {
        seconds::read(&self["polls"])
    }

    /// How it has ended; none while it is in flight.
    pub fn outcome(&self) -> Option<Outcome> {
        optional_word(&self["outcome"])
    }

    /// Why it failed.
    pub fn cause(&self) -> Option<Cause> {
        optional(&self["cause"], Cause::new)
    }
}

impl LogLine {
    /// When it was written.
    pub fn time(&self) -> Option<SystemTime> {
        time(&self["time"])
    }

    /// The initializer whose command has written it, or the process.
    pub fn initializer(&self) -> &str {
        text(&self["initializer"])
    }

    /// The number of its run.
    pub fn run(&self) -> Option<u64> {
        self["run"].as_u64()
    }

    /// The number of the attempt; none for a process of the supervisor.
    pub fn attempt(&self) -> Option<u64> {
        self["attempt"].as_u64()
    }

    /// Where it was written.
    pub fn stream(&self) -> Stream {
        word(&self["stream"])
    }

    /// The line, without its newline.
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
