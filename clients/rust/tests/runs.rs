//! Runs: their params, reports and outputs, and how they fail.

mod common;

use appinitializers::{json, Output, Run, Value, WorkerEvent};
use common::{until, Fake, DEADLINE};
use std::collections::BTreeMap;
use std::sync::{mpsc, Arc, Barrier, Mutex};
use std::time::Duration;
use std::{fmt, io};

#[test]
fn a_run_knows_what_the_supervisor_says_about_it() {
    let fake = Fake::new();
    let (sender, seen) = mpsc::channel();
    let sender = Mutex::new(sender);
    let working = fake.work(|worker| {
        worker.initializer("a", move |run| {
            let text = format!(
                "{} {} {} {} {}",
                run.number(),
                run.initializer(),
                run.pass(),
                run.phase(),
                run.attempt()
            );
            let rest = (
                run.timeout(),
                run.fence(),
                run.traceparent().map(str::to_owned),
            );
            sender.lock().unwrap().send((text, rest))?;
            Ok(())
        })
    });
    let mut peer = fake.registered();
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let more = json!({
        "pass": 3, "phase": "active", "attempt": 2, "timeout": 30, "fence": 9007199254740993u64, "traceparent": trace, "new": [1],
    });
    peer.run(7, "a", more);
    assert_eq!(peer.expect_answer(7)["result"], json!({}));
    peer.run(8, "a", json!({}));
    peer.expect_answer(8);
    let full = (
        Some(Duration::from_secs(30)),
        Some(9007199254740993),
        Some(trace.to_owned()),
    );
    assert_eq!(seen.recv().unwrap(), ("7 a 3 active 2".into(), full));
    assert_eq!(
        seen.recv().unwrap(),
        ("8 a 1 launch 1".into(), (None, None, None))
    );
    working.leave(peer);
}

#[test]
fn progress_is_reported() {
    let fake = Fake::new();
    let (sender, lines) = mpsc::channel();
    let sender = Mutex::new(sender);
    let working = fake.work(|worker| {
        let worker = worker.log(move |line| sender.lock().unwrap().send(line.to_owned()).unwrap());
        worker.initializer("a", |run| {
            run.report(0.5, "half");
            run.progress(7.0);
            run.progress(f64::NEG_INFINITY);
            run.progress(f64::NAN);
            run.report(f64::NAN, "some");
            run.extend(Duration::ZERO);
            run.extend(Duration::ZERO);
            run.message(String::from("more"));
            run.extend(Duration::from_secs(30));
            Ok(())
        })
    });
    let mut peer = fake.registered();
    peer.run(7, "a", json!({}));
    let expected = [
        json!({ "run": 7, "fraction": 0.5, "message": "half" }),
        json!({ "run": 7, "fraction": 1.0 }),
        json!({ "run": 7, "fraction": 0.0 }),
        json!({ "run": 7, "message": "some" }),
        json!({ "run": 7, "message": "more" }),
        json!({ "run": 7, "extend": 30.0 }),
    ];
    for report in expected {
        assert_eq!(peer.expect("progress")["params"], report);
    }
    assert_eq!(peer.expect_answer(7)["result"], json!({}));
    working.leave(peer);
    let expected = [
        "ignored a report of a in run 7: the progress is NaN; report a fraction from 0 to 1",
        "ignored a report of a in run 7: the extension is zero; give the time from now to the new deadline",
    ];
    assert_eq!(lines.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn outputs_are_handed_over_and_inputs_are_read() {
    let fake = Fake::new();
    let working = fake.work(|worker| {
        worker
            .initializer("port", |run| Ok(run.input::<u16>("b")? + 1))
            .initializer("secret", |_| Ok(Output::secret("hunter2")))
            .initializer("all", |run| Ok(run.inputs().clone()))
    });
    let mut peer = fake.registered();
    peer.run(1, "port", json!({ "inputs": { "b": 8080 } }));
    assert_eq!(peer.expect_answer(1)["result"], json!({ "output": 8081 }));
    peer.run(2, "port", json!({ "inputs": { "b": "x" } }));
    let message = "cannot use the output of b: it is a string that doesn't fit: expected u16";
    assert_eq!(peer.expect_answer(2)["error"]["message"], message);
    peer.run(6, "port", json!({ "inputs": { "a": 1 } }));
    let message =
        "cannot use the output of b: it is no dependency of port, or has no output; see depends_on, and the value of its handler";
    assert_eq!(peer.expect_answer(6)["error"]["message"], message);
    peer.run(3, "secret", json!({}));
    assert_eq!(
        peer.expect_answer(3)["result"],
        json!({ "output": "hunter2", "secret": true })
    );
    let inputs = json!({ "漢字": [null], "exact": u64::MAX });
    peer.run(4, "all", json!({ "inputs": inputs.clone() }));
    assert_eq!(peer.expect_answer(4)["result"], json!({ "output": inputs }));
    peer.run(5, "all", json!({}));
    assert_eq!(peer.expect_answer(5)["result"], json!({ "output": {} }));
    working.leave(peer);
}

#[test]
fn an_output_that_cannot_be_sent_fails_the_run() {
    let fake = Fake::new();
    let working = fake.work(|worker| {
        worker
            .initializer("large", |_| Ok("x".repeat(1 << 20)))
            .initializer("deep", |_| {
                Ok((0..30).fold(Value::Null, |value, _| json!([value])))
            })
            .initializer("keys", |_| Ok(BTreeMap::from([(Some(1), 2)])))
    });
    let mut peer = fake.registered();
    peer.run(1, "large", json!({}));
    let answer = peer.expect_answer(1);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("cannot hand over the output: ")
            && message.contains(" 1048576 (frameBytes)")
            && message.contains("64 KiB as JSON (outputBytes)"),
        "{answer}"
    );
    peer.run(2, "deep", json!({}));
    let answer = peer.expect_answer(2);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("29 levels"),
        "{answer}"
    );
    peer.run(3, "keys", json!({}));
    assert_eq!(
        peer.expect_answer(3)["error"]["message"],
        "cannot hand over the output: key must be a string"
    );
    working.leave(peer);
}

#[test]
fn an_error_or_a_panic_fails_the_run_with_its_message() {
    let fake = Fake::new();
    let working = fake.work(|worker| {
        worker
            .initializer("text", |_| Err::<(), _>("HTTP 503".into()))
            .initializer("error", |_| {
                Err::<(), _>(io::Error::new(io::ErrorKind::Other, "åß∂ 漢字").into())
            })
            .initializer("panic", |_| -> Result<(), _> { panic!("boom") })
            .initializer("formatted", |run| -> Result<(), _> {
                panic!("boom {}", run.number())
            })
            .initializer("mute", |_| Err::<(), _>("".into()))
            .initializer("silent", |_| -> Result<(), _> { panic!(" ") })
            .initializer("odd", |_| -> Result<(), _> { std::panic::panic_any(7) })
    });
    let mut peer = fake.registered();
    let expected = [
        ("text", "HTTP 503"),
        ("error", "åß∂ 漢字"),
        ("panic", "boom"),
        ("formatted", "boom 4"),
        ("mute", "the handler failed without a message"),
        ("silent", "the handler panicked"),
        ("odd", "the handler panicked"),
    ];
    for (number, (name, message)) in (1..).zip(expected) {
        peer.run(number, name, json!({}));
        assert_eq!(
            peer.expect_answer(number)["error"],
            json!({ "code": 1, "message": message })
        );
    }
    working.leave(peer);
}

#[test]
fn any_error_fits_a_handler() {
    #[derive(Debug)]
    struct Mine;
    impl fmt::Display for Mine {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("mine")
        }
    }
    impl std::error::Error for Mine {}
    fn fallible() -> Result<u16, Mine> {
        Err(Mine)
    }

    let fake = Fake::new();
    let working = fake.work(|worker| worker.initializer("a", |_| Ok(fallible()?)));
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    assert_eq!(peer.expect_answer(1)["error"]["message"], "mine");
    until("the report", || {
        working
            .events
            .try_iter()
            .any(|event| matches!(event, WorkerEvent::Answered { .. }))
    });
    working.leave(peer);
}

#[test]
fn runs_are_concurrent() {
    let fake = Fake::new();
    let barrier = Arc::new(Barrier::new(2));
    let meet = move |_: &Run| {
        barrier.wait();
        Ok(())
    };
    let working = fake.work(|worker| {
        worker
            .initializer("first", meet.clone())
            .initializer("second", meet)
    });
    let mut peer = fake.registered();
    peer.run(1, "first", json!({}));
    peer.run(2, "second", json!({}));
    peer.receive().unwrap();
    peer.receive().unwrap();
    working.leave(peer);
}

#[test]
fn reports_come_in_order() {
    let fake = Fake::new();
    let working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.registered();
    for number in 1..=100 {
        peer.run(number, "a", json!({}));
        peer.expect_answer(number);
    }
    assert!(matches!(
        working.events.recv().unwrap(),
        WorkerEvent::Registered
    ));
    for number in 1..=100 {
        let started = working.events.recv_timeout(DEADLINE).unwrap();
        assert!(
            matches!(started, WorkerEvent::Started { run, attempt: 1, .. } if run == number),
            "{started:?}"
        );
        let answered = working.events.recv_timeout(DEADLINE).unwrap();
        assert!(
            matches!(answered, WorkerEvent::Answered { run, .. } if run == number),
            "{answered:?}"
        );
    }
    working.leave(peer);
}
