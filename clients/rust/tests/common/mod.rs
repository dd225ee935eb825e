//! A minimal supervisor: a real Unix socket and real bytes; each test plays the supervisor's side.

#![allow(dead_code)] // Each test program uses a part of this module.

pub mod program;

use appinitializers::{json, Result, Stopper, Value, Worker, WorkerEvent};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{env, fs, process};

/// How long a step may take before a test fails.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// A directory for one test, with a path for a socket.
pub struct Directory(PathBuf);

impl Directory {
    pub fn new() -> Directory {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        let path = env::temp_dir().join(format!("appinitializers-{}-{number}", process::id()));
        fs::create_dir(&path).unwrap();
        Directory(path)
    }

    pub fn socket(&self) -> PathBuf {
        self.0.join("initd.sock")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A supervisor that the test plays.
pub struct Fake {
    listener: UnixListener,
    directory: Directory,
}

impl Fake {
    pub fn new() -> Fake {
        Fake::listen(Directory::new())
    }

    pub fn listen(directory: Directory) -> Fake {
        let listener = UnixListener::bind(directory.socket()).unwrap();
        listener.set_nonblocking(true).unwrap();
        Fake {
            listener,
            directory,
        }
    }

    pub fn path(&self) -> PathBuf {
        self.directory.socket()
    }

    /// Returns the next connection.
    pub fn accept(&self) -> Peer {
        let end = Instant::now() + DEADLINE;
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return Peer::new(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => (),
                Err(error) => panic!("{error}"),
            }
            assert!(Instant::now() < end, "no connection came");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns whether a connection comes within this time.
    pub fn has_connection(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while Instant::now() < end {
            if self.listener.accept().is_ok() {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }

    /// Returns the next connection, after hello.
    pub fn greeted(&self) -> Peer {
        let mut peer = self.accept();
        peer.greet();
        peer
    }

    /// Returns the next connection, of a worker that has registered.
    pub fn registered(&self) -> Peer {
        let mut peer = self.greeted();
        peer.reply("register", json!({ "registered": [] }));
        peer
    }

    /// Starts a worker that `declare` has set up.
    pub fn work(&self, declare: impl FnOnce(Worker) -> Worker) -> Working {
        let (sender, events) = mpsc::channel();
        let sender = std::sync::Mutex::new(sender);
        let worker = Worker::new("test-worker").path(self.path());
        let worker = worker.observe(move |event| drop(sender.lock().unwrap().send(event.clone())));
        let worker = declare(worker);
        let stopper = worker.stopper();
        Working {
            stopper,
            events,
            thread: Some(thread::spawn(move || worker.run())),
        }
    }
}

/// A worker in a thread of its own.
pub struct Working {
    pub stopper: Stopper,
    pub events: Receiver<WorkerEvent>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Working {
    /// Returns the result of the worker.
    pub fn outcome(&mut self) -> Result<()> {
        let thread = self.thread.take().unwrap();
        until("the end of the worker", || thread.is_finished());
        thread.join().unwrap()
    }

    /// Stops the worker, as the peer of its connection.
    pub fn leave(mut self, mut peer: Peer) {
        self.stopper.stop();
        peer.reply("unregister", json!({}));
        peer.expect_end();
        self.outcome().unwrap();
    }

    /// Returns the next event that isn't about a run.
    pub fn event(&self) -> WorkerEvent {
        loop {
            let event = self.events.recv_timeout(DEADLINE).expect("no event came");
            let of_run = matches!(
                event,
                WorkerEvent::Started { .. }
                    | WorkerEvent::Cancelled { .. }
                    | WorkerEvent::Answered { .. }
            );
            if !of_run {
                return event;
            }
        }
    }
}

/// Waits until `condition` holds.
pub fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < end, "{what} didn't come");
        thread::sleep(Duration::from_millis(1));
    }
}

/// One connection, as the supervisor sees it.
pub struct Peer(pub UnixStream);

impl Peer {
    pub fn new(stream: UnixStream) -> Peer {
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        Peer(stream)
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    pub fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.send_bytes(&frame(&message.to_string()));
    }

    /// Returns the next message, or `None` at the end.
    pub fn receive(&mut self) -> Option<Value> {
        let mut header = [0; 4];
        match self.0.read_exact(&mut header) {
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset
                ) =>
            {
                return None
            }
            outcome => outcome.expect("no message came"),
        }
        let mut payload = vec![0; u32::from_be_bytes(header) as usize];
        self.0.read_exact(&mut payload).unwrap();
        let message: Value = String::from_utf8(payload).unwrap().parse().unwrap();
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }

    /// Returns the next message, which must have this method.
    pub fn expect(&mut self, method: &str) -> Value {
        let message = self
            .receive()
            .unwrap_or_else(|| panic!("the end instead of {method}"));
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// Returns the answer of a run.
    pub fn expect_answer(&mut self, run: u64) -> Value {
        let message = self.receive().expect("the end instead of an answer");
        assert_eq!(message["id"], format!("run-{run}").as_str(), "{message}");
        message
    }

    /// Expects the answer of a run, which must be -32008.
    pub fn expect_cancelled(&mut self, run: u64) {
        let message = self.expect_answer(run);
        assert_eq!(message["error"]["code"], -32008, "{message}");
    }

    pub fn expect_end(&mut self) {
        if let Some(message) = self.receive() {
            panic!("{message} instead of the end");
        }
    }

    /// Expects a request and answers it. Returns the params of the request.
    pub fn reply(&mut self, method: &str, result: Value) -> Value {
        let request = self.expect(method);
        self.send(json!({ "id": request["id"].clone(), "result": result }));
        request["params"].clone()
    }

    /// Expects a request and answers it with an error.
    pub fn refuse(&mut self, method: &str, code: i64, word: &str) {
        let request = self.expect(method);
        let error = json!({ "code": code, "message": format!("refused: {word}"), "data": { "code": word } });
        self.send(json!({ "id": request["id"].clone(), "error": error }));
    }

    pub fn greet(&mut self) -> Value {
        let server = json!({ "name": "fake", "version": "1" });
        let limits = json!({ "frameBytes": 1 << 20 });
        self.reply("hello", json!({ "protocol": 1, "server": server, "instance": "6f0c", "pid": 4711, "limits": limits }))
    }

    pub fn event(&mut self, params: Value) {
        self.send(json!({ "method": "event", "params": params }));
    }

    pub fn run(&mut self, number: u64, initializer: &str, more: Value) {
        let mut params = json!({ "run": number, "initializer": initializer, "pass": 1, "phase": "launch", "attempt": 1 });
        let more = more.as_object().unwrap().clone();
        params.as_object_mut().unwrap().extend(more);
        self.send(json!({ "id": format!("run-{number}"), "method": "run", "params": params }));
    }

    pub fn cancel(&mut self, number: u64, reason: &str) {
        self.send(json!({ "method": "cancel", "params": { "run": number, "reason": reason } }));
    }
}

pub fn frame(payload: &str) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap();
    [&length.to_be_bytes(), payload.as_bytes()].concat()
}

/// Returns a Status with this number and instance.
pub fn status(seq: u64, instance: &str) -> Value {
    let pending = json!({ "state": "pending" });
    json!({
        "seq": seq, "instance": instance, "lifecycle": "inactive", "initializers": [],
        "launch": pending, "active": pending, "composite": pending,
    })
}
