//! Waits for a supervisor: their limit, and their lines on standard error.

mod common;

use appinitializers::{json, Client, ErrorKind, Wait, Worker};
use common::program::Program;
use common::{Directory, Fake};
use std::io::Read;
use std::time::{Duration, Instant};
use std::{io, thread};

/// The limit of an attempt without a shorter one.
const HANDSHAKE: Duration = Duration::from_secs(10);

#[test]
#[ignore = "a program of the other tests"]
fn a_client() {
    Client::connect().unwrap();
}

#[test]
#[ignore = "a program of the other tests"]
fn a_worker() {
    Worker::new("test-worker")
        .initializer("a", |_| Ok(()))
        .run_until_signal()
        .unwrap();
}

#[test]
#[ignore = "a program of the other tests"]
fn a_hold() {
    let _hold = Client::connect().unwrap().hold().unwrap();
    io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_client_says_once_that_it_waits_even_if_an_attempt_hangs() {
    let fake = Fake::new();
    let mut program = Program::start("a_client", &fake.path());
    let mut silent = fake.accept();
    silent.expect("hello");
    let line = program.line();
    assert!(line.contains("waiting for the supervisor at"), "{line}");
    assert!(line.ends_with("it doesn't answer hello"), "{line}");
    drop(silent);
    fake.greeted().expect_end();
    assert_eq!(program.rest(), "");
    assert!(program.end().success());
}

#[test]
fn a_worker_says_once_in_each_wait_that_it_waits() {
    let directory = Directory::new();
    let mut program = Program::start("a_worker", &directory.socket());
    let line = program.line();
    assert!(line.contains("cannot connect to"), "{line}");
    let fake = Fake::listen(directory);
    drop(fake.registered());
    let mut silent = fake.accept();
    silent.expect("hello");
    let line = program.line();
    assert!(line.ends_with("it doesn't answer hello"), "{line}");
    drop(silent);
    let mut peer = fake.registered();
    program.kill("TERM");
    peer.reply("unregister", json!({}));
    assert_eq!(program.rest(), "");
}

#[test]
fn a_hold_that_meets_another_program_or_is_refused_after_a_loss_says_so_once() {
    let fake = Fake::new();
    let mut program = Program::start("a_hold", &fake.path());
    let _client = fake.greeted();
    fake.greeted().reply("activate", json!({}));
    fake.accept().send_bytes(b"not initd");
    fake.accept().send_bytes(b"not initd");
    let line = program.line();
    assert!(line.contains("the peer is not initd"), "{line}");
    fake.greeted().refuse("activate", -32006, "shuttingDown");
    fake.greeted().refuse("activate", -32005, "notPermitted");
    let line = program.line();
    assert!(line.contains("lost the hold at"), "{line}");
    assert!(line.ends_with("refused: notPermitted"), "{line}");
    assert!(program.end().success());
}

#[test]
fn with_a_connect_timeout_of_zero_a_worker_makes_one_attempt() {
    let fake = Fake::new();
    let mut working = fake.work(|worker| {
        worker
            .connect_timeout(Duration::ZERO)
            .initializer("a", |_| Ok(()))
    });
    drop(fake.accept());
    let error = working.outcome().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost);
}

#[test]
fn the_connect_timeout_of_a_client_passes_also_while_an_attempt_hangs() {
    let fake = Fake::new();
    let builder = Client::builder().path(fake.path());
    let timeout = Duration::from_millis(100);
    let began = Instant::now();
    let error = builder.connect_timeout(timeout).connect().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoSupervisor);
    assert!(error.to_string().contains("didn't answer hello"), "{error}");
    assert!(began.elapsed() < HANDSHAKE / 2);
}

#[test]
fn threads_that_share_a_client_wait_together() {
    let fake = Fake::new();
    let client = Client::builder().path(fake.path()).build().unwrap();
    thread::scope(|scope| {
        let requests = [(); 2].map(|()| scope.spawn(|| client.ping(json!({})).unwrap()));
        let mut peer = fake.accept();
        peer.expect("hello");
        assert!(!fake.has_connection(Duration::from_millis(50)));
        peer.send(json!({ "id": 1, "result": { "limits": { "frameBytes": 1000 } } }));
        peer.reply("ping", json!({}));
        peer.reply("ping", json!({}));
        for request in requests {
            request.join().unwrap();
        }
    });
}

#[test]
fn a_wait_ends_even_if_its_supervisor_has_stopped() {
    let fake = Fake::new();
    let client = Client::builder().path(fake.path()).build().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| client.wait(Wait::ready().timeout(Duration::ZERO)));
        let mut silent = fake.greeted();
        silent.expect("wait");
        let error = waiting.join().unwrap().unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Timeout, None));
    });
}
