//! Workers that end at a signal. Each is a process of its own.

mod common;

use appinitializers::{json, Client, Worker};
use common::program::Program;
use common::Fake;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::thread;
use std::time::Duration;

fn worker() -> Worker {
    Worker::new("test-worker")
        .initializer("polite", |run| {
            run.progress(0.0);
            Ok(run.sleep(Duration::from_secs(3600))?)
        })
        .initializer("stubborn", |run| {
            run.progress(0.0);
            loop {
                thread::park();
            }
            #[allow(unreachable_code)]
            Ok(())
        })
        .initializer("verbose", |run| {
            run.message("x".repeat(1_000_000));
            Ok(())
        })
}

#[test]
#[ignore = "a program of the other tests"]
fn with_a_long_grace() {
    let worker = worker().cancel_grace(Duration::MAX);
    worker.run_until_signal().unwrap();
}

#[test]
#[ignore = "a program of the other tests"]
fn with_a_short_grace() {
    let worker = worker().cancel_grace(Duration::from_millis(20));
    worker.run_until_signal().unwrap();
}

#[test]
#[ignore = "a program of the other tests"]
fn that_goes_on_after_its_worker() {
    let worker = Worker::new("test-worker")
        .path("/nowhere")
        .connect_timeout(Duration::ZERO)
        .initializer("a", |_| Ok(()));
    worker.run_until_signal().unwrap_err();
    Client::connect().unwrap();
    thread::park();
}

#[test]
fn sigterm_unregisters_and_cancels() {
    let fake = Fake::new();
    let program = Program::start("with_a_long_grace", &fake.path());
    let mut peer = fake.registered();
    peer.run(1, "polite", json!({}));
    peer.expect("progress");
    program.kill("TERM");
    peer.reply("unregister", json!({}));
    peer.expect_cancelled(1);
    peer.expect_end();
    assert!(program.end().success());
}

#[test]
fn sigint_ends_it_while_there_is_no_supervisor() {
    let fake = Fake::new();
    let program = Program::start("with_a_long_grace", &fake.path());
    let mut peer = fake.accept();
    peer.expect("hello");
    program.kill("INT");
    peer.expect_end();
    assert!(program.end().success());
}

#[test]
fn a_run_that_goes_on_does_not_keep_the_process() {
    let fake = Fake::new();
    let mut program = Program::start("with_a_short_grace", &fake.path());
    let mut peer = fake.registered();
    peer.run(1, "stubborn", json!({}));
    peer.expect("progress");
    program.kill("TERM");
    peer.reply("unregister", json!({}));
    peer.expect_end();
    assert!(program.line().ends_with("go on: stubborn"));
    assert!(program.end().success());
}

#[test]
fn a_supervisor_that_has_stopped_reading_does_not_keep_the_process() {
    let fake = Fake::new();
    let program = Program::start("with_a_short_grace", &fake.path());
    let mut peer = fake.registered();
    peer.run(1, "verbose", json!({}));
    peer.0.read_exact(&mut [0]).unwrap(); // The message has begun, and is longer than the socket's buffer.
    program.kill("TERM");
    assert!(program.end().success());
}

#[test]
fn a_second_signal_ends_the_process_at_once() {
    let fake = Fake::new();
    let program = Program::start("with_a_long_grace", &fake.path());
    let mut peer = fake.registered();
    peer.run(1, "stubborn", json!({}));
    peer.expect("progress");
    program.kill("TERM");
    peer.expect("unregister");
    program.kill("INT");
    assert_eq!(program.end().signal(), Some(2));
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let fake = Fake::new();
    let program = Program::start_after("trap '' INT", "with_a_long_grace", &fake.path());
    let mut peer = fake.registered();
    program.kill("INT");
    program.kill("TERM"); // This would be the second signal.
    peer.reply("unregister", json!({}));
    peer.expect_end();
    assert!(program.end().success());
}

#[test]
fn a_signal_has_its_former_action_after_the_worker() {
    let fake = Fake::new();
    let program = Program::start("that_goes_on_after_its_worker", &fake.path());
    let _peer = fake.greeted();
    program.kill("TERM");
    assert_eq!(program.end().signal(), Some(15));
}
