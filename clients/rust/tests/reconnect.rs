//! Workers whose connection is lost.

mod common;

use appinitializers::{json, CancelReason, ErrorKind, WorkerEvent};
use common::{Fake, DEADLINE};
use std::sync::{mpsc, Mutex};
use std::time::Duration;

#[test]
fn it_registers_again_when_its_runs_have_stopped() {
    let fake = Fake::new();
    let (go_on, goes_on) = mpsc::channel();
    let goes_on = Mutex::new(goes_on);
    let (reason, reasons) = mpsc::channel();
    let reason = Mutex::new(reason);
    let working = fake.work(|worker| {
        worker.initializer("a", move |run| {
            run.progress(0.0);
            let cancelled = run.sleep(Duration::from_secs(3600)).unwrap_err();
            reason.lock().unwrap().send(cancelled)?;
            goes_on.lock().unwrap().recv()?;
            Ok(())
        })
    });
    let mut peer = fake.registered();
    assert!(matches!(working.event(), WorkerEvent::Registered));
    peer.run(1, "a", json!({}));
    peer.expect("progress");
    drop(peer);
    assert!(
        matches!(working.event(), WorkerEvent::Lost(error) if error.kind() == ErrorKind::ConnectionLost)
    );
    assert!(
        !fake.has_connection(Duration::from_millis(50)),
        "its run hasn't stopped"
    );
    assert_eq!(
        reasons.recv_timeout(DEADLINE).unwrap().reason(),
        &CancelReason::Lost
    );
    go_on.send(()).unwrap();
    let mut peer = fake.greeted();
    assert_eq!(
        peer.reply("register", json!({}))["initializers"][0]["name"],
        "a"
    );
    assert!(matches!(working.event(), WorkerEvent::Registered));
    working.leave(peer);
}

#[test]
fn the_connect_timeout_ends_no_worker_that_was_registered() {
    let fake = Fake::new();
    let working = fake.work(|worker| {
        worker
            .connect_timeout(Duration::ZERO)
            .initializer("a", |_| Ok(()))
    });
    drop(fake.registered());
    drop(fake.accept());
    working.leave(fake.registered());
}

#[test]
fn a_refusal_that_may_pass_is_retried_after_a_loss() {
    let fake = Fake::new();
    let working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    drop(fake.registered());
    fake.greeted().refuse("register", -32002, "nameConflict");
    fake.greeted().refuse("register", -32006, "shuttingDown");
    fake.accept().send_bytes(b"not initd");
    let peer = fake.registered();
    assert!(matches!(working.event(), WorkerEvent::Registered));
    assert!(matches!(working.event(), WorkerEvent::Lost(_)));
    for kind in [
        ErrorKind::NameConflict,
        ErrorKind::ShuttingDown,
        ErrorKind::NotInitd,
    ] {
        assert!(matches!(working.event(), WorkerEvent::Waiting(error) if error.kind() == kind));
    }
    working.leave(peer);
}

#[test]
fn a_lasting_refusal_after_a_loss_ends_it() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    drop(fake.registered());
    fake.greeted().refuse("register", -32005, "notPermitted");
    assert_eq!(
        working.outcome().unwrap_err().kind(),
        ErrorKind::NotPermitted
    );
}

#[test]
fn a_limit_ends_it_unless_it_is_that_of_connections() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let refuse = |limit: &str| {
        let mut peer = fake.greeted();
        let request = peer.expect("register");
        let data = json!({ "code": "limitExceeded", "limit": limit });
        let error = json!({ "code": -32007, "message": "too many", "data": data });
        peer.send(json!({ "id": request["id"].clone(), "error": error }));
    };
    refuse("connections");
    drop(fake.registered());
    refuse("connections");
    refuse("initializers");
    assert_eq!(
        working.outcome().unwrap_err().kind(),
        ErrorKind::LimitExceeded
    );
}

#[test]
fn a_peer_that_is_not_initd_is_an_error_at_the_start() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    fake.accept().send_bytes(b"not initd");
    assert_eq!(working.outcome().unwrap_err().kind(), ErrorKind::NotInitd);
}

#[test]
fn a_message_that_is_no_json_ends_the_connection_and_not_the_worker() {
    let fake = Fake::new();
    let working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.registered();
    peer.send_bytes(b"\0\0\0\x01{");
    peer.expect_end();
    working.leave(fake.registered());
}

#[test]
fn a_stop_ends_it_while_there_is_no_supervisor() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let peer = fake.registered();
    drop(fake);
    drop(peer);
    assert!(matches!(working.event(), WorkerEvent::Registered));
    assert!(matches!(working.event(), WorkerEvent::Lost(_)));
    let waiting = working.event();
    assert!(
        matches!(&waiting, WorkerEvent::Waiting(error) if error.kind() == ErrorKind::NoSupervisor),
        "{waiting:?}"
    );
    working.stopper.stop();
    working.outcome().unwrap();
}

#[test]
fn a_stop_ends_it_while_the_supervisor_does_not_answer_hello() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.accept();
    peer.expect("hello");
    working.stopper.stop();
    peer.expect_end();
    working.outcome().unwrap();
}

#[test]
fn a_stop_during_the_registration_unregisters() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| worker.initializer("a", |_| Ok(())));
    let mut peer = fake.greeted();
    let request = peer.expect("register");
    working.stopper.stop();
    peer.send(json!({ "id": request["id"].clone(), "result": {} }));
    peer.reply("unregister", json!({}));
    peer.expect_end();
    working.outcome().unwrap();
}
