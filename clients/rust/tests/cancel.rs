//! Cancellations: a run stops, and is answered once.

mod common;

use appinitializers::{json, CancelReason, WorkerEvent};
use common::{Fake, DEADLINE};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;
use std::time::Duration;

#[test]
fn a_cancelled_run_is_answered_so_once_whatever_its_handler_returns() {
    let fake = Fake::new();
    let (sender, reasons) = mpsc::channel();
    let sender = Mutex::new(sender);
    let working = fake.work(|worker| {
        worker.initializer("a", move |run| {
            run.progress(0.0);
            let token = run.cancel_token();
            assert!(thread::spawn(move || token.wait(DEADLINE)).join().unwrap());
            run.progress(1.0); // Has no effect any more.
            sender
                .lock()
                .unwrap()
                .send(run.cancel_token().reason().unwrap())?;
            match run.number() {
                1 => run.check().map_err(Into::into),
                2 => Ok(()),
                3 => Err("another".into()),
                _ => panic!("interrupted"),
            }
        })
    });
    let mut peer = fake.registered();
    for number in 1..=4 {
        peer.run(number, "a", json!({}));
        peer.expect("progress");
        peer.cancel(number, "deactivated");
        peer.cancel(number, "shutdown");
        peer.expect_cancelled(number);
        assert_eq!(reasons.recv().unwrap(), CancelReason::Deactivated);
    }
    let reported = |event: &WorkerEvent| matches!(event, WorkerEvent::Cancelled { .. });
    assert_eq!(working.events.try_iter().filter(reported).count(), 4);
    working.leave(peer);
}

#[test]
fn a_sleep_ends_at_the_cancellation() {
    let fake = Fake::new();
    let working = fake.work(|worker| {
        worker.initializer("a", |run| {
            run.progress(0.0);
            run.sleep(Duration::from_secs(3600))?;
            Ok(())
        })
    });
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    peer.expect("progress");
    peer.cancel(1, "timeout");
    peer.expect_cancelled(1);
    working.leave(peer);
}

#[test]
fn a_run_is_not_answered_before_its_work_has_stopped() {
    let fake = Fake::new();
    let stopped = Arc::new(AtomicBool::new(false));
    let (go_on, goes_on) = mpsc::channel();
    let goes_on = Mutex::new(goes_on);
    let flag = stopped.clone();
    let working = fake.work(|worker| {
        worker.initializer("a", move |run| {
            run.progress(0.0);
            goes_on.lock().unwrap().recv()?;
            flag.store(true, Ordering::SeqCst);
            Ok(())
        })
    });
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    peer.expect("progress");
    peer.cancel(1, "timeout");
    peer.send(json!({ "id": 9, "method": "ponder" }));
    assert_eq!(peer.receive().unwrap()["id"], 9); // The worker answers, although the handler blocks.
    go_on.send(()).unwrap();
    peer.expect_cancelled(1);
    assert!(stopped.load(Ordering::SeqCst));
    working.leave(peer);
}

#[test]
fn a_cancellation_that_crosses_the_answer_is_ignored() {
    let fake = Fake::new();
    let working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.registered();
    for number in 1..=50 {
        peer.run(number, "a", json!({}));
        peer.expect_answer(number);
        peer.cancel(number, "deactivated");
    }
    let kinds: Vec<_> = working.events.try_iter().collect();
    assert!(
        !kinds
            .iter()
            .any(|event| matches!(event, WorkerEvent::Cancelled { .. })),
        "{kinds:?}"
    );
    working.leave(peer);
}

#[test]
fn a_cancellation_together_with_its_run_is_not_missed() {
    let fake = Fake::new();
    let working = fake
        .work(|worker| worker.initializer("a", |run| Ok(run.sleep(Duration::from_secs(3600))?)));
    let mut peer = fake.registered();
    for number in 1..=50 {
        peer.run(number, "a", json!({}));
        peer.cancel(number, "deactivated");
        peer.expect_cancelled(number);
    }
    working.leave(peer);
}
