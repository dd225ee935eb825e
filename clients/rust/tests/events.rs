//! Subscriptions: snapshots, changes, losses, and the end.

mod common;

use appinitializers::{json, Change, Client, ErrorKind, Event, Events, PassStatus, Topic};
use common::{frame, status, Fake, Peer, DEADLINE};
use std::thread;
use std::time::Duration;

fn subscribed(fake: &Fake) -> (Events, Peer) {
    let client = Client::builder().path(fake.path()).build().unwrap();
    let events = thread::spawn(move || client.subscribe([Topic::Pass, Topic::Lifecycle]));
    let mut peer = fake.greeted();
    let params = peer.reply("subscribe", json!({ "snapshot": status(7, "one") }));
    assert_eq!(params, json!({ "topics": ["pass", "lifecycle"] }));
    (events.join().unwrap().unwrap(), peer)
}

fn next(events: &mut Events) -> Event {
    events
        .next_timeout(DEADLINE)
        .unwrap()
        .expect("no event came")
}

fn expect_snapshot(events: &mut Events, instance: &str) {
    match next(events) {
        Event::Snapshot(status) => assert_eq!(status.instance, instance),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_snapshot_comes_first_and_then_changes_in_order() {
    let fake = Fake::new();
    let (mut events, mut peer) = subscribed(&fake);
    for seq in 8..11 {
        peer.event(json!({ "seq": seq, "topic": "pass", "pass": 2, "status": "started" }));
    }
    expect_snapshot(&mut events, "one");
    for seq in 8..11 {
        match next(&mut events) {
            Event::Change(change) => {
                assert_eq!((change.topic(), change.seq()), ("pass", seq));
                assert!(matches!(change, Change::Pass(pass) if pass.status == PassStatus::Started));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn lagged_is_followed_by_a_snapshot() {
    let fake = Fake::new();
    let (mut events, mut peer) = subscribed(&fake);
    peer.event(json!({ "topic": "lagged", "dropped": 12 }));
    peer.event(json!({ "topic": "snapshot", "snapshot": status(30, "two") }));
    expect_snapshot(&mut events, "one");
    assert!(matches!(next(&mut events), Event::Lagged(12)));
    expect_snapshot(&mut events, "two");
}

#[test]
fn it_begins_anew_from_a_snapshot_after_a_loss() {
    let fake = Fake::new();
    let (mut events, peer) = subscribed(&fake);
    expect_snapshot(&mut events, "one");
    drop(peer);
    assert!(
        matches!(next(&mut events), Event::Lost(error) if error.kind() == ErrorKind::ConnectionLost)
    );
    thread::scope(|scope| {
        let reading = scope.spawn(|| expect_snapshot(&mut events, "two"));
        fake.greeted().refuse("subscribe", -32006, "shuttingDown");
        let mut peer = fake.greeted();
        let params = peer.reply("subscribe", json!({ "snapshot": status(1, "two") }));
        assert_eq!(params, json!({ "topics": ["pass", "lifecycle"] }));
        reading.join().unwrap();
    });
}

#[test]
fn a_peer_that_is_not_initd_is_an_error_at_the_start_only() {
    let fake = Fake::new();
    let client = Client::builder().path(fake.path()).build().unwrap();
    let refused = thread::spawn(move || client.subscribe([Topic::Pass]).map(drop));
    fake.accept().send_bytes(b"not initd");
    assert_eq!(
        refused.join().unwrap().unwrap_err().kind(),
        ErrorKind::NotInitd
    );

    let (mut events, peer) = subscribed(&fake);
    expect_snapshot(&mut events, "one");
    drop(peer);
    assert!(matches!(next(&mut events), Event::Lost(_)));
    thread::scope(|scope| {
        let reading = scope.spawn(|| expect_snapshot(&mut events, "two"));
        fake.accept().send_bytes(b"not initd");
        fake.greeted()
            .reply("subscribe", json!({ "snapshot": status(1, "two") }));
        reading.join().unwrap();
    });
}

#[test]
fn a_refusal_after_a_loss_ends_it_with_an_error() {
    let fake = Fake::new();
    let (mut events, peer) = subscribed(&fake);
    drop(peer);
    thread::scope(|scope| {
        let rest = scope.spawn(|| events.by_ref().skip(2).collect::<Vec<_>>());
        fake.greeted().refuse("subscribe", -32005, "notPermitted");
        let rest = rest.join().unwrap();
        assert_eq!(rest.len(), 1);
        assert_eq!(
            rest[0].as_ref().unwrap_err().kind(),
            ErrorKind::NotPermitted
        );
    });
    assert_eq!(
        events.next_timeout(Duration::ZERO).unwrap_err().kind(),
        ErrorKind::Stopped
    );
}

#[test]
fn the_shutdown_is_an_event() {
    let fake = Fake::new();
    let (mut events, mut peer) = subscribed(&fake);
    peer.event(json!({ "topic": "shutdown" }));
    drop(peer);
    expect_snapshot(&mut events, "one");
    assert!(matches!(next(&mut events), Event::Shutdown));
    assert!(matches!(next(&mut events), Event::Lost(_)));
}

#[test]
fn a_snapshot_of_another_shape_ends_it_with_an_error() {
    let fake = Fake::new();
    let (mut events, mut peer) = subscribed(&fake);
    expect_snapshot(&mut events, "one");
    peer.event(json!({ "topic": "snapshot", "snapshot": 7 }));
    let error = events.next().unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(events.next().is_none());
    peer.expect_end();
}

#[test]
fn a_stop_ends_an_iteration_that_waits() {
    let fake = Fake::new();
    let (mut events, mut peer) = subscribed(&fake);
    let stopper = events.stopper();
    expect_snapshot(&mut events, "one");
    let rest = thread::spawn(move || events.count());
    stopper.stop();
    assert_eq!(rest.join().unwrap(), 0);
    peer.expect_end();
}

#[test]
fn a_stop_ends_an_iteration_that_waits_for_a_supervisor() {
    let fake = Fake::new();
    let (mut events, peer) = subscribed(&fake);
    let stopper = events.stopper();
    expect_snapshot(&mut events, "one");
    drop(peer);
    assert!(matches!(next(&mut events), Event::Lost(_)));
    let rest = thread::spawn(move || events.count());
    let mut silent = fake.accept();
    silent.expect("hello");
    stopper.stop();
    assert_eq!(rest.join().unwrap(), 0);
}

#[test]
fn a_timeout_interrupts_no_new_connection() {
    let fake = Fake::new();
    let (mut events, peer) = subscribed(&fake);
    expect_snapshot(&mut events, "one");
    drop(peer);
    assert!(matches!(next(&mut events), Event::Lost(_)));
    let moment = Duration::from_millis(1);
    assert!(events.next_timeout(moment).unwrap().is_none());
    let mut peer = fake.accept();
    assert!(events.next_timeout(moment).unwrap().is_none());
    peer.greet();
    assert!(events.next_timeout(moment).unwrap().is_none());
    peer.reply("subscribe", json!({ "snapshot": status(1, "two") }));
    expect_snapshot(&mut events, "two");
}

#[test]
fn a_timeout_loses_nothing_of_a_frame_that_arrives_in_parts() {
    let fake = Fake::new();
    let (mut events, mut peer) = subscribed(&fake);
    expect_snapshot(&mut events, "one");
    let bytes = frame(r#"{"jsonrpc":"2.0","method":"event","params":{"topic":"tide","seq":8}}"#);
    let (first, second) = bytes.split_at(20);
    peer.send_bytes(first);
    assert!(events
        .next_timeout(Duration::from_millis(20))
        .unwrap()
        .is_none());
    peer.send_bytes(second);
    assert!(matches!(next(&mut events), Event::Change(change) if change.topic() == "tide"));
}

#[test]
fn a_large_frame_is_read() {
    let fake = Fake::new();
    let (mut events, mut peer) = subscribed(&fake);
    expect_snapshot(&mut events, "one");
    let length = 3 << 20;
    let sending =
        thread::spawn(move || peer.event(json!({ "topic": "log", "line": "x".repeat(length) })));
    match next(&mut events) {
        Event::Change(Change::Log(line)) => assert_eq!(line.line.len(), length),
        other => panic!("{other:?}"),
    }
    sending.join().unwrap();
}
