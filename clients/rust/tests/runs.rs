//! Runs: what they know, report and hand over, and how they fail.

mod common;

use appinitializers::{object, Output, Run, Value, WorkerEvent};
use common::{until, Fake, DEADLINE};
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
    let more = object! {
        "pass": 3, "phase": "active", "attempt": 2, "timeout": 30, "fence": 9007199254740993u64, "traceparent": trace, "new": [1],
    };
    peer.run(7, "a", more);
    assert_eq!(peer.expect_answer(7)["result"], object! {});
    peer.run(8, "a", object! {});
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
    peer.run(7, "a", object! {});
    let expected = [
        object! { "run": 7, "fraction": 0.5, "message": "half" },
        object! { "run": 7, "fraction": 1 },
        object! { "run": 7, "fraction": 0 },
        object! { "run": 7, "message": "some" },
        object! { "run": 7, "message": "more" },
        object! { "run": 7, "extend": 30 },
    ];
    for report in expected {
        assert_eq!(peer.expect("progress")["params"], report);
    }
    assert_eq!(peer.expect_answer(7)["result"], object! {});
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
    peer.run(1, "port", object! { "inputs": object! { "b": 8080 } });
    assert_eq!(peer.expect_answer(1)["result"], object! { "output": 8081 });
    peer.run(2, "port", object! { "inputs": object! { "b": "x" } });
    let message =
        "cannot use the output of b: expected an integer in the range of u16, found a string";
    assert_eq!(peer.expect_answer(2)["error"]["message"], message);
    peer.run(6, "port", object! { "inputs": object! { "a": 1 } });
    let message =
        "cannot use the output of b: it is no dependency of port, or has no output; see depends_on, and the value of its handler";
    assert_eq!(peer.expect_answer(6)["error"]["message"], message);
    peer.run(3, "secret", object! {});
    assert_eq!(
        peer.expect_answer(3)["result"],
        object! { "output": "hunter2", "secret": true }
    );
    let inputs = object! { "漢字": [Value::Null], "exact": u64::MAX };
    peer.run(4, "all", object! { "inputs": inputs.clone() });
    assert_eq!(
        peer.expect_answer(4)["result"],
        object! { "output": inputs }
    );
    peer.run(5, "all", object! {});
    let none = object! {};
    assert_eq!(peer.expect_answer(5)["result"], object! { "output": none });
    working.leave(peer);
}

#[test]
fn an_output_that_cannot_be_sent_fails_the_run() {
    let fake = Fake::new();
    let working = fake.work(|worker| {
        worker
            .initializer("large", |_| Ok("x".repeat(1 << 20)))
            .initializer("deep", |_| {
                Ok((0..30).fold(Value::Null, |value, _| Value::from(vec![value])))
            })
            .initializer("nan", |_| Ok(object! { "a": [f64::NAN] }))
    });
    let mut peer = fake.registered();
    peer.run(1, "large", object! {});
    let answer = peer.expect_answer(1);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("cannot hand over the output: ")
            && message.contains(" 1048576 (frameBytes)")
            && message.contains("64 KiB as JSON (outputBytes)"),
        "{answer}"
    );
    peer.run(2, "deep", object! {});
    let answer = peer.expect_answer(2);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("29 levels"),
        "{answer}"
    );
    peer.run(3, "nan", object! {});
    assert_eq!(
        peer.expect_answer(3)["error"]["message"],
        "cannot hand over the output: at .a[0]: NaN isn't JSON"
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
        peer.run(number, name, object! {});
        assert_eq!(
            peer.expect_answer(number)["error"],
            object! { "code": 1, "message": message }
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
    peer.run(1, "a", object! {});
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
    peer.run(1, "first", object! {});
    peer.run(2, "second", object! {});
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
        peer.run(number, "a", object! {});
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
