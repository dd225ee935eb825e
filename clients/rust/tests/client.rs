//! Requests and their answers; connections that are refused, lost and made again.

mod common;

use appinitializers::{json, Client, ErrorKind, Reload, Wait};
use common::{frame, status, until, Directory, Fake};
use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

/// Connects a client in a thread, because the test must answer it.
fn connect(fake: &Fake) -> thread::JoinHandle<appinitializers::Result<Client>> {
    let builder = Client::builder()
        .path(fake.path())
        .name("test")
        .version("7")
        .connect_timeout(Duration::ZERO);
    thread::spawn(move || builder.connect())
}

#[test]
fn it_says_hello_with_its_name_and_reads_the_status() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.accept();
    let hello = peer.greet();
    assert_eq!(hello["protocol"], 1);
    assert_eq!(hello["client"], json!({ "name": "test", "version": "7" }));
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| peer.reply("status", status(41, "6f0c")));
        let status = client.status().unwrap();
        assert_eq!(
            (status.seq, status.instance.as_str(), status.is_active()),
            (41, "6f0c", false)
        );
    });
    drop(client);
    peer.expect_end();
}

#[test]
fn its_name_is_that_of_the_program_by_default() {
    let fake = Fake::new();
    let builder = Client::builder().path(fake.path());
    let client = thread::spawn(move || builder.connect());
    let name = fake.accept().greet()["client"]["name"].clone();
    let program = std::env::current_exe().unwrap();
    assert_eq!(name, program.file_name().unwrap().to_str().unwrap());
    client.join().unwrap().unwrap();
}

#[test]
fn answers_may_come_in_any_order() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        let first = scope.spawn(|| client.wait(Wait::pass(1).timeout(Duration::from_millis(1500))));
        let wait = peer.expect("wait");
        assert_eq!(wait["params"], json!({ "pass": 1, "timeout": 1.5 }));
        let second = scope.spawn(|| client.ping(json!({ "a": 1 })));
        peer.reply("ping", json!({ "a": 1 }));
        assert_eq!(second.join().unwrap().unwrap()["a"], 1);
        peer.send(json!({ "id": "who", "result": {} }));
        peer.event(json!({ "topic": "shutdown" }));
        peer.send(
            json!({ "id": wait["id"].clone(), "result": { "state": "cancelled", "pass": 1 } }),
        );
        assert!(first.join().unwrap().unwrap().is_cancelled());
    });
}

#[test]
fn a_refused_request_has_its_kind_code_word_and_data() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let wait = peer.expect("wait");
            assert_eq!(
                wait["params"],
                json!({ "initializer": "a", "appear": true, "timeout": 0.0 })
            );
            let data = json!({ "code": "timeout", "status": status(3, "6f0c") });
            let error = json!({ "code": -32003, "message": "timed out", "data": data });
            peer.send(json!({ "id": wait["id"].clone(), "error": error }));
        });
        let error = client
            .wait(Wait::initializer("a").appear().timeout(Duration::ZERO))
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.code(), error.word()),
            (ErrorKind::Timeout, Some(-32003), Some("timeout"))
        );
        assert_eq!(error.data()["status"]["seq"], 3);
    });
}

#[test]
fn a_cancel_returns_the_names_and_is_refused_for_what_does_not_run() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let params = peer.reply("cancelRun", json!({ "cancelled": ["a", "b"] }));
            assert_eq!(params, json!({ "initializers": ["a", "b"] }));
            peer.refuse("cancelRun", -32009, "notRunning");
        });
        assert_eq!(client.cancel(["a", "b"]).unwrap(), ["a", "b"]);
        let error = client.cancel(["a"]).unwrap_err();
        assert_eq!(
            (error.kind(), error.word()),
            (ErrorKind::NotRunning, Some("notRunning"))
        );
    });
}

#[test]
fn a_rerun_returns_the_passes() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let params = peer.reply("rerun", json!({ "passes": [3] }));
            assert_eq!(
                params,
                json!({ "initializers": ["a", "b"], "withDependents": false })
            );
            let params = peer.reply("rerun", json!({ "passes": [3, 4] }));
            assert_eq!(
                params,
                json!({ "initializers": ["a"], "withDependents": true })
            );
            peer.refuse("rerun", -32010, "inactive");
        });
        assert_eq!(client.rerun(["a", "b"]).unwrap(), [3]);
        assert_eq!(client.rerun_with_dependents(["a"]).unwrap(), [3, 4]);
        let error = client.rerun(["a"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Inactive);
    });
}

#[test]
fn a_reload_returns_what_differs() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            let changed = json!([{ "name": "a", "keys": ["command"] }]);
            let result = json!({ "added": ["b"], "changed": changed, "removed": [], "unchanged": 2, "settings": ["concurrency"] });
            assert_eq!(peer.reply("reload", result), json!({}));
            let params = peer.reply("reload", json!({}));
            assert_eq!(params, json!({ "dryRun": true, "withDependents": true }));
            peer.refuse("reload", -32011, "invalidManifest");
            peer.refuse("reload", -32012, "unreadableManifest");
        });
        let reloaded = client.reload(Reload::new()).unwrap();
        assert_eq!(
            (reloaded.added, reloaded.removed),
            (vec!["b".to_owned()], vec![])
        );
        let changed = &reloaded.changed[0];
        assert_eq!(
            (changed.name.as_str(), changed.keys.clone()),
            ("a", vec!["command".to_owned()])
        );
        assert_eq!((reloaded.unchanged, reloaded.from_next_run), (2, vec![]));
        assert_eq!(reloaded.settings, ["concurrency"]);
        client
            .reload(Reload::new().dry_run().with_dependents())
            .unwrap();
        for kind in [ErrorKind::InvalidManifest, ErrorKind::UnreadableManifest] {
            assert_eq!(client.reload(Reload::new()).unwrap_err().kind(), kind);
        }
    });
}

#[test]
fn a_lost_connection_fails_open_requests_and_the_next_request_connects_again() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        let open = scope.spawn(|| client.wait(Wait::ready()));
        peer.expect("wait");
        drop(peer);
        assert_eq!(
            open.join().unwrap().unwrap_err().kind(),
            ErrorKind::ConnectionLost
        );
        let next = scope.spawn(|| client.activate());
        let mut peer = fake.greeted();
        peer.reply(
            "activate",
            json!({ "pass": 2, "active": { "state": "pending", "pass": 2 } }),
        );
        assert_eq!(next.join().unwrap().unwrap().pass, Some(2));
    });
}

#[test]
fn an_error_that_belongs_to_no_request_is_the_reason_of_the_end() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.accept();
    let data = json!({ "code": "notPermitted" });
    let error = json!({ "code": -32005, "message": "no role", "data": data });
    peer.send(json!({ "id": null, "error": error }));
    drop(peer);
    let error = client.join().unwrap().unwrap_err();
    assert_eq!(
        (error.kind(), error.word()),
        (ErrorKind::NotPermitted, Some("notPermitted"))
    );
}

#[test]
fn another_protocol_is_an_error() {
    let fake = Fake::new();
    let client = connect(&fake);
    fake.accept().refuse("hello", -32001, "unsupportedProtocol");
    assert_eq!(
        client.join().unwrap().unwrap_err().kind(),
        ErrorKind::UnsupportedProtocol
    );
}

#[test]
fn what_is_not_initd_is_reported_as_such() {
    let fake = Fake::new();
    let client = connect(&fake);
    fake.accept()
        .send_bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let error = client.join().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotInitd);
    assert!(error.to_string().contains("not initd"), "{error}");
}

#[test]
fn what_is_no_json_ends_the_connection() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        let open = scope.spawn(|| client.status());
        peer.expect("status");
        peer.send_bytes(&frame("{\"jsonrpc\":"));
        assert_eq!(
            open.join().unwrap().unwrap_err().kind(),
            ErrorKind::Protocol
        );
        peer.expect_end();
    });
}

#[test]
fn it_waits_for_a_supervisor_that_is_not_up_yet() {
    let directory = Directory::new();
    let path = directory.socket();
    let client = thread::spawn(move || Client::connect_to(path));
    let fake = Fake::listen(directory);
    fake.greeted();
    client.join().unwrap().unwrap();
}

#[test]
fn without_a_supervisor_its_connect_timeout_passes() {
    let directory = Directory::new();
    let builder = Client::builder().path(directory.socket());
    let error = builder
        .connect_timeout(Duration::from_millis(10))
        .connect()
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoSupervisor);
    let text = error.to_string();
    assert!(
        text.contains("initd.sock: No such file or directory"),
        "{error}"
    );
    assert!(
        text.ends_with("; start one with initd, or give the path of its socket"),
        "{error}"
    );
}

#[test]
fn a_request_that_is_not_json_is_not_sent() {
    let params = BTreeMap::from([(Some(1), 2)]);
    let client = Client::builder()
        .path("/nowhere")
        .connect_timeout(Duration::ZERO)
        .build()
        .unwrap();
    let error = client.request("wait", params).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(error.to_string(), "cannot send wait: key must be a string");
}

#[test]
fn a_request_that_is_too_large_is_not_sent() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    let error = client
        .ping(json!({ "text": "x".repeat(1 << 20) }))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    thread::scope(|scope| {
        scope.spawn(|| peer.reply("ping", json!({})));
        client.ping(json!({})).unwrap();
    });
}

#[test]
fn an_answer_of_another_shape_breaks_the_protocol() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            peer.reply("status", json!({ "initializers": {} }));
            peer.reply("history", json!({ "passes": [1, 2] }));
            peer.reply("ping", json!({}));
        });
        let error = client.status().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol);
        let text = error.to_string();
        assert!(
            text.starts_with("cannot read the answer to status: invalid type"),
            "{text}"
        );
        assert_eq!(client.history(1).unwrap_err().kind(), ErrorKind::Protocol);
        client.ping(json!({})).unwrap();
    });
}

#[test]
fn a_request_to_it_is_refused() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let _client = client.join().unwrap().unwrap();
    peer.send(json!({ "id": "x-1", "method": "ponder" }));
    let answer = peer.receive().unwrap();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&"x-1".into(), &(-32601).into())
    );
}

#[test]
fn a_hold_is_released_at_the_end_of_its_scope() {
    let fake = Fake::new();
    let client = Client::builder().path(fake.path()).build().unwrap();
    thread::scope(|scope| {
        let holding = scope.spawn(|| {
            let hold = client.hold().unwrap();
            assert_eq!(hold.state().pass, Some(2));
        });
        let mut peer = fake.greeted();
        let active = json!({ "state": "pending", "pass": 2 });
        assert_eq!(
            peer.reply("activate", json!({ "pass": 2, "active": active }))["hold"],
            true
        );
        let release = peer.expect("release");
        assert!(!holding.is_finished(), "it must wait for the answer");
        peer.send(json!({ "id": release["id"].clone(), "result": {} }));
        holding.join().unwrap();
        peer.expect_end();
    });
}

#[test]
fn a_hold_is_taken_again_after_a_loss() {
    let fake = Fake::new();
    let client = Client::builder().path(fake.path()).build().unwrap();
    thread::scope(|scope| {
        let hold = scope.spawn(|| client.hold().unwrap());
        fake.greeted().reply("activate", json!({}));
        let hold = hold.join().unwrap();
        let mut peer = fake.greeted();
        assert_eq!(peer.reply("activate", json!({}))["hold"], true);
        drop(peer);
        let releasing = scope.spawn(|| drop(hold));
        until("the end of the hold", || releasing.is_finished());
    });
}

#[test]
fn large_answers_come_in_pages() {
    let fake = Fake::new();
    let client = connect(&fake);
    let mut peer = fake.greeted();
    let client = client.join().unwrap().unwrap();
    let run = |name: &str| json!([{ "initializer": name }]);
    thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let newest =
                json!({ "lines": [{ "line": "c" }], "more": true, "before": { "line": 2 } });
            let oldest = json!({ "lines": [{ "line": "a" }, { "line": "b" }] });
            let mut asked = vec![peer.reply("logs", newest), peer.reply("logs", oldest)];
            let newest = json!([{ "pass": 2, "runs": run("b") }, { "pass": 3 }]);
            let oldest = json!([{ "pass": 1 }, { "pass": 2, "runs": run("a") }]);
            asked.push(peer.reply(
                "history",
                json!({ "passes": newest, "more": true, "before": "x" }),
            ));
            asked.push(peer.reply("history", json!({ "passes": oldest })));
            asked
        });
        let lines = client.logs(None, 9).unwrap();
        assert_eq!(
            lines
                .iter()
                .map(|line| line.line.as_str())
                .collect::<String>(),
            "abc"
        );
        let passes = client.history(9).unwrap();
        assert_eq!(
            passes.iter().map(|pass| pass.pass).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        let runs = &passes[1].runs;
        assert_eq!(
            runs.iter()
                .map(|run| run.initializer.as_str())
                .collect::<String>(),
            "ab"
        );
        let asked = asked.join().unwrap();
        assert_eq!(asked[0], json!({ "limit": 9 }));
        assert_eq!(asked[1], json!({ "limit": 9, "before": { "line": 2 } }));
        assert_eq!(asked[3], json!({ "limit": 9, "before": "x" }));
    });
}
