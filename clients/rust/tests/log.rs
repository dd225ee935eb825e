//! Lines for people, which a function gets instead of standard error.

mod common;

use appinitializers::{json, Client, Worker};
use common::program::Program;
use common::{Fake, DEADLINE};
use std::sync::{mpsc, Mutex};
use std::thread;
use std::time::Duration;

/// Returns a function for `log`, and a function that returns the start of the next line.
fn log() -> (impl Fn(&str) + Send + Sync, impl Fn(&str)) {
    let (sender, lines) = mpsc::channel();
    let sender = Mutex::new(sender);
    let log = move |line: &str| sender.lock().unwrap().send(line.to_owned()).unwrap();
    let expect = move |start: &str| {
        let line = lines.recv_timeout(DEADLINE).unwrap();
        assert!(line.starts_with(start), "{line}");
    };
    (log, expect)
}

#[test]
#[ignore = "a program of the other tests"]
fn a_hold() {
    let (log, expect) = log();
    let client = Client::builder().log(log).build().unwrap();
    let _hold = client.hold().unwrap();
    expect("waiting for the supervisor at");
    expect("lost the hold at");
}

#[test]
#[ignore = "a program of the other tests"]
fn a_worker() {
    let (log, expect) = log();
    let worker = Worker::new("test-worker")
        .log(log)
        .cancel_grace(Duration::from_millis(20))
        .initializer("a", |run| {
            run.progress(0.0);
            loop {
                thread::park();
            }
            #[allow(unreachable_code)]
            Ok(())
        });
    worker.run_until_signal().unwrap();
    expect("waiting for the supervisor at");
    expect("stopped, although these runs go on: a");
}

#[test]
fn the_lines_of_a_hold() {
    let fake = Fake::new();
    let mut program = Program::start("a_hold", &fake.path());
    fake.greeted().reply("activate", json!({}));
    fake.accept().send_bytes(b"not initd");
    fake.greeted().refuse("activate", -32005, "notPermitted");
    assert_eq!(program.rest(), "");
    assert!(program.end().success());
}

#[test]
fn the_lines_of_a_worker() {
    let fake = Fake::new();
    let mut program = Program::start("a_worker", &fake.path());
    drop(fake.registered());
    fake.accept().send_bytes(b"not initd");
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    peer.expect("progress");
    program.kill("TERM");
    peer.reply("unregister", json!({}));
    assert_eq!(program.rest(), "");
    assert!(program.end().success());
}
