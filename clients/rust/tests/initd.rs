//! With a real supervisor: `INITD` is the path of the program. Without it, these tests have nothing to do.

mod common;

use appinitializers::{
    json, CancelReason, CauseKind, Client, ErrorKind, Event, Initializer, InitializerState,
    Outcome, Phase, Priority, Retry, Topic, Wait, Worker,
};
use common::{until, Directory, DEADLINE};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

struct Supervisor {
    process: Child,
    directory: Directory,
}

impl Supervisor {
    fn start() -> Option<Supervisor> {
        let program = std::env::var_os("INITD")?;
        let directory = Directory::new();
        let process = launch(&program, &directory);
        Some(Supervisor { process, directory })
    }

    fn client(&self) -> Client {
        Client::connect_to(self.directory.socket()).unwrap()
    }

    fn restart(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.process = launch(&std::env::var_os("INITD").unwrap(), &self.directory);
    }
}

fn launch(program: &std::ffi::OsStr, directory: &Directory) -> Child {
    let socket = directory.socket();
    let mut command = Command::new(program);
    command
        .arg("--socket")
        .arg(&socket)
        .env("XDG_RUNTIME_DIR", socket.parent().unwrap());
    command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_worker_runs_what_a_client_waits_for() {
    let supervisor = match Supervisor::start() {
        Some(supervisor) => supervisor,
        None => return,
    };
    let client = supervisor.client();
    let (sender, inputs) = mpsc::channel();
    let sender = std::sync::Mutex::new(sender);
    let worker = Worker::new("shelf-worker")
        .path(supervisor.directory.socket())
        .initializer("catalogue", |run| {
            run.report(0.5, "half");
            Ok(json!({ "exact": u64::MAX, "漢字": "\u{1f642}" }))
        })
        .initializer(
            Initializer::new("favorites")
                .priority(Priority::AppActive)
                .depends_on("catalogue"),
            move |run| Ok(sender.lock().unwrap().send(run.inputs().clone())?),
        )
        .initializer(
            Initializer::new("broken")
                .priority(Priority::AppActive)
                .optional(true),
            |_| Err::<(), _>("HTTP 503".into()),
        )
        .initializer(
            Initializer::new("large")
                .priority(Priority::AppActive)
                .optional(true),
            |_| Ok("x".repeat(64 << 10)),
        );
    let stopper = worker.stopper();
    let working = thread::spawn(move || worker.run());

    let wait = Wait::initializer("catalogue").appear().timeout(DEADLINE);
    assert!(client.wait(wait).unwrap().is_complete());
    let pass = client.activate().unwrap().pass.unwrap();
    assert!(client
        .wait(Wait::pass(pass).timeout(DEADLINE))
        .unwrap()
        .is_complete());
    let input = inputs.recv().unwrap();
    assert_eq!(
        input["catalogue"],
        json!({ "exact": u64::MAX, "漢字": "\u{1f642}" })
    );
    let broken = client
        .wait(Wait::initializer("broken").timeout(DEADLINE))
        .unwrap();
    let failure = broken.error.unwrap();
    assert_eq!(failure.to_string(), "broken failed: HTTP 503");
    assert_eq!(failure.cause.unwrap().kind, CauseKind::Error);
    let large = client
        .wait(Wait::initializer("large").timeout(DEADLINE))
        .unwrap();
    let text = large.error.unwrap().to_string();
    assert!(text.contains("more than 65536 bytes"), "{text}");
    let record = &client.history(1).unwrap()[0];
    assert_eq!((record.pass, &record.phase), (pass, &Phase::Active));
    let run = record.runs.iter().find(|run| run.initializer == "broken");
    assert_eq!(run.unwrap().outcome, Some(Outcome::Failed));
    let status = client.status().unwrap();
    let broken = status.initializer("broken").unwrap();
    assert_eq!(
        (&broken.state, &broken.priority),
        (&InitializerState::Failed, &Priority::AppActive)
    );
    assert!(broken.duration.is_some() && broken.started <= std::time::SystemTime::now().into());

    stopper.stop();
    working.join().unwrap().unwrap();
    assert!(
        client.status().unwrap().initializers.is_empty(),
        "it must unregister"
    );
}

#[test]
fn a_run_is_cancelled_by_its_user() {
    let supervisor = match Supervisor::start() {
        Some(supervisor) => supervisor,
        None => return,
    };
    let client = supervisor.client();
    let (begun, begins) = mpsc::channel();
    let begun = std::sync::Mutex::new(begun);
    let worker = Worker::new("w")
        .path(supervisor.directory.socket())
        .initializer(
            Initializer::new("slow").retry(Retry::attempts(3)),
            move |run| {
                begun.lock().unwrap().send(run.cancel_token().clone())?;
                run.sleep(DEADLINE)?;
                Ok(())
            },
        );
    let stopper = worker.stopper();
    let working = thread::spawn(move || worker.run());
    let token = begins.recv_timeout(DEADLINE).unwrap();
    assert_eq!(client.cancel(["slow"]).unwrap(), ["slow"]);
    assert_eq!(token.reason(), Some(CancelReason::Operator));
    let launch = client.wait(Wait::launch().timeout(DEADLINE)).unwrap();
    let cause = launch.error.unwrap().cause.unwrap();
    assert_eq!(cause.kind, CauseKind::Operator);
    assert!(cause.user.is_some(), "{cause}");
    assert_eq!(
        client.cancel(["slow"]).unwrap_err().kind(),
        ErrorKind::NotRunning
    );
    stopper.stop();
    working.join().unwrap().unwrap();
}

#[test]
fn initializers_run_again_with_what_depends_on_them_or_without() {
    let supervisor = match Supervisor::start() {
        Some(supervisor) => supervisor,
        None => return,
    };
    let client = supervisor.client();
    let worker = Worker::new("w")
        .path(supervisor.directory.socket())
        .initializer("a", |_| Ok(()))
        .initializer(Initializer::new("b").depends_on("a"), |_| Ok(()))
        .initializer(Initializer::new("c").priority(Priority::AppActive), |_| {
            Ok(())
        });
    let stopper = worker.stopper();
    let working = thread::spawn(move || worker.run());
    let wait = Wait::initializer("b").appear().timeout(DEADLINE);
    assert!(client.wait(wait).unwrap().is_complete());
    for is_stale in [true, false] {
        let passes = if is_stale {
            client.rerun(["a"])
        } else {
            client.rerun_with_dependents(["a"])
        };
        let number = passes.unwrap()[0];
        let state = client.wait(Wait::pass(number).timeout(DEADLINE)).unwrap();
        assert!(state.is_complete());
        let status = client.status().unwrap();
        let ran = status.initializer("b").unwrap();
        assert_eq!((ran.stale, ran.pass == Some(number)), (is_stale, !is_stale));
    }
    assert_eq!(client.rerun(["c"]).unwrap_err().kind(), ErrorKind::Inactive);
    stopper.stop();
    working.join().unwrap().unwrap();
}

#[test]
fn a_hold_lasts_as_long_as_its_guard() {
    let supervisor = match Supervisor::start() {
        Some(supervisor) => supervisor,
        None => return,
    };
    let client = supervisor.client();
    let hold = client.hold().unwrap();
    let status = client.status().unwrap();
    assert_eq!((status.is_active(), status.holds), (true, 1));
    drop(hold);
    assert!(!client.status().unwrap().is_active());
}

#[test]
fn a_restart_is_survived_by_the_worker_the_hold_and_the_events() {
    let mut supervisor = match Supervisor::start() {
        Some(supervisor) => supervisor,
        None => return,
    };
    let client = supervisor.client();
    let worker = Worker::new("w")
        .path(supervisor.directory.socket())
        .initializer("a", |_| Ok(()));
    let stopper = worker.stopper();
    let working = thread::spawn(move || worker.run());
    client
        .wait(Wait::initializer("a").appear().timeout(DEADLINE))
        .unwrap();
    let hold = client.hold().unwrap();
    let mut events = client.subscribe([Topic::Lifecycle]).unwrap();
    let mut snapshot = || loop {
        match events
            .next_timeout(DEADLINE)
            .unwrap()
            .expect("no event came")
        {
            Event::Snapshot(status) => return status.instance,
            _ => continue,
        }
    };
    let former = snapshot();

    supervisor.restart();
    assert_ne!(snapshot(), former);
    client
        .wait(Wait::initializer("a").appear().timeout(DEADLINE))
        .unwrap();
    until("the hold", || client.status().unwrap().holds == 1);
    drop(hold);
    stopper.stop();
    working.join().unwrap().unwrap();
    client.shutdown().unwrap();
}
