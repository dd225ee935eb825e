//! The pages of the history.

use super::shapes::PassRecord;

/// Returns the passes of pages; the first page has the newest passes. The runs of a pass may be in several pages.
pub(super) fn passes(pages: Vec<Vec<PassRecord>>) -> Vec<PassRecord> {
    let mut passes: Vec<PassRecord> = Vec::new();
    for mut pass in pages.into_iter().rev().flatten() {
        match passes.last_mut() {
            Some(last) if last.pass == pass.pass => {
                last.runs.append(&mut pass.runs);
                pass.runs = std::mem::take(&mut last.runs);
                *last = pass;
            }
            _ => passes.push(pass),
        }
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LogLine, Outcome, Phase, Stream};
    use std::time::Duration;

    #[test]
    fn a_pass_has_its_runs() {
        let pass: PassRecord = serde_json::from_str(
            r#"{"pass":1,"phase":"launch","started":1763672399.5,"duration":0.5,"outcome":"failed","error":{"message":"no"},
            "interrupted":true,"runs":[{"run":1,"initializer":"a","attempt":2,"ready":1,"started":2,"duration":0.25,"outcome":"failed",
            "waitedFor":["b"],"cause":{"kind":"exit","status":3},"freed":1.5,"freedBy":"c"},{"run":2}]}"#,
        )
        .unwrap();
        assert_eq!((pass.pass, &pass.phase), (1, &Phase::Launch));
        assert_eq!((&pass.outcome, pass.opened), (&Some(Outcome::Failed), None));
        assert_eq!(pass.duration, Some(Duration::from_millis(500)));
        assert_eq!(pass.error.unwrap().to_string(), "no");
        assert!(pass.interrupted);
        assert_eq!(pass.runs.len(), 2);
        let run = &pass.runs[0];
        assert_eq!(
            (run.run, run.initializer.as_str(), run.attempt),
            (1, "a", 2)
        );
        assert_eq!(
            (run.waited_for.as_slice(), run.freed_by.as_deref()),
            (["b".to_owned()].as_slice(), Some("c"))
        );
        assert!(run.ready < run.freed && run.freed < run.started);
        assert_eq!(run.cause.as_ref().unwrap().to_string(), "exit status 3");
        let open = &pass.runs[1];
        assert_eq!(
            (&open.outcome, open.duration, open.provided),
            (&None, None, None)
        );
    }

    #[test]
    fn a_line_has_its_members() {
        let line: LogLine = serde_json::from_str(
            r#"{"time":2,"initializer":"migrate","run":1,"pass":3,"stream":"stderr","line":"migrating"}"#,
        )
        .unwrap();
        assert_eq!(
            (line.initializer.as_str(), line.line.as_str()),
            ("migrate", "migrating")
        );
        assert_eq!((line.run, line.attempt, line.pass), (1, None, Some(3)));
        assert_eq!(line.stream, Stream::Stderr);
        assert!(line.time.is_some() && line.instance.is_none());
    }
}
