//! Workers: their registration and their end.

mod common;

use appinitializers::{json, CancelReason, ErrorKind, Initializer, Priority, Worker, WorkerEvent};
use common::{frame, Fake};
use std::sync::{mpsc, Mutex};
use std::time::Duration;

#[test]
fn it_registers_what_is_declared_and_unregisters_at_the_end() {
    let fake = Fake::new();
    let full = Initializer::new("full")
        .priority(Priority::AppActive)
        .depends_on("plain")
        .timeout(Duration::from_secs(3));
    let working = fake.work(|worker| {
        worker
            .initializer("plain", |_| Ok(()))
            .initializer(full, |_| Ok(()))
    });
    let mut peer = fake.greeted();
    let params = peer.reply("register", json!({}));
    let full = json!({ "name": "full", "priority": "appActive", "dependencies": ["plain"], "timeout": 3.0 });
    assert_eq!(params["initializers"], json!([{ "name": "plain" }, full]));
    working.stopper.stop();
    let params = peer.reply("unregister", json!({}));
    assert_eq!(params, json!({ "names": ["plain", "full"] }));
    peer.expect_end();
}

#[test]
fn what_it_does_not_know_or_cannot_read_is_refused() {
    let fake = Fake::new();
    let working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.registered();
    peer.run(1, "stranger", json!({}));
    let error = peer.expect_answer(1);
    assert_eq!(error["error"]["code"], -32602);
    assert!(
        error["error"]["message"]
            .as_str()
            .unwrap()
            .contains("stranger"),
        "{error}"
    );
    peer.send(json!({ "id": 9, "method": "run", "params": { "run": 2 } }));
    assert_eq!(peer.receive().unwrap()["error"]["code"], -32602);
    peer.send_bytes(&frame(
        r#"{"jsonrpc":"2.0","id":"run-3","method":"run","params":{"run":3,"initializer":"a","inputs":{"b":1e999}}}"#,
    ));
    let error = peer.expect_answer(3)["error"].clone();
    let message = error["message"].as_str().unwrap();
    assert_eq!(error["code"], -32602);
    assert!(message.starts_with("cannot read the params of run: number out of range"));
    peer.send(json!({ "id": 10, "method": "dance" }));
    assert_eq!(peer.receive().unwrap()["error"]["code"], -32601);
    peer.cancel(99, "timeout");
    peer.send(json!({ "method": "weather" }));
    working.leave(peer);
}

#[test]
fn a_panic_of_the_observer_does_no_harm() {
    let fake = Fake::new();
    let working = fake.work(|worker| {
        worker
            .initializer("a", |_| Ok(()))
            .observe(|_| panic!("of the observer"))
    });
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    peer.expect_answer(1);
    working.leave(peer);
}

#[test]
fn a_refused_registration_is_an_error() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.greeted();
    peer.refuse("register", -32002, "nameConflict");
    peer.expect_end();
    assert_eq!(
        working.outcome().unwrap_err().kind(),
        ErrorKind::NameConflict
    );
}

#[test]
fn without_initializers_it_does_not_run() {
    let worker = Worker::new("w")
        .path("/nowhere")
        .connect_timeout(Duration::ZERO);
    let error = worker.run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(
        error.to_string(),
        "cannot run w: it has no initializers; declare one with Worker::initializer"
    );
}

#[test]
fn a_wrong_declaration_is_an_error_before_it_connects() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a b", |_| Ok(())));
    // Nobody answers its hello: it would wait.
    let error = working.outcome().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    let text = error.to_string();
    assert!(text.starts_with("cannot declare \"a b\": "), "{text}");
}

#[test]
fn a_name_is_declared_once() {
    let worker = Worker::new("w")
        .path("/nowhere")
        .initializer("a", |_| Ok(()))
        .initializer("a", |_| Ok(()));
    let error = worker.run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(
        error.to_string(),
        "two initializers are named \"a\"; rename one of them"
    );
}

#[test]
fn a_stop_cancels_runs_and_waits_for_them() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| {
        worker.initializer("a", |run| {
            run.progress(0.0);
            run.sleep(Duration::from_secs(3600))?;
            Ok(())
        })
    });
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    peer.expect("progress");
    working.stopper.stop();
    peer.reply("unregister", json!({}));
    peer.expect_cancelled(1);
    peer.expect_end();
    working.outcome().unwrap();
    let cancelled = working
        .events
        .iter()
        .find(|event| matches!(event, WorkerEvent::Cancelled { .. }));
    assert!(
        matches!(cancelled, Some(WorkerEvent::Cancelled { reason, .. }) if reason == CancelReason::Unregistered)
    );
}

#[test]
fn a_stop_waits_for_a_stubborn_run_for_the_cancel_grace_only() {
    let fake = Fake::new();
    let (go_on, goes_on) = mpsc::channel::<()>();
    let goes_on = Mutex::new(goes_on);
    let mut working = fake.work(|worker| {
        worker
            .cancel_grace(Duration::from_millis(20))
            .initializer("a", move |run| {
                run.progress(0.0);
                let _ = goes_on.lock().unwrap().recv();
                Ok(())
            })
    });
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    peer.expect("progress");
    working.stopper.stop();
    peer.reply("unregister", json!({}));
    peer.expect_end();
    working.outcome().unwrap();
    drop(go_on);
}

#[test]
fn a_stop_does_not_wait_for_ever_for_a_supervisor_that_hangs() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.registered();
    working.stopper.stop();
    peer.expect("unregister");
    peer.expect_end();
    working.outcome().unwrap();
}
