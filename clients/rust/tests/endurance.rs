//! The only test of its program, because it counts the threads and descriptors of the process.

mod common;

use appinitializers::json;
use common::{until, Fake};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

fn count(what: &str) -> usize {
    fs::read_dir(format!("/proc/self/{what}")).unwrap().count()
}

#[test]
fn two_hundred_lost_connections_leave_nothing_behind() {
    let fake = Fake::new();
    let ended = Arc::new(AtomicUsize::new(0));
    let counting = ended.clone();
    let working = fake.work(|worker| {
        worker.initializer("a", move |run| {
            run.progress(0.0);
            let _ = run.sleep(Duration::from_secs(3600));
            counting.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
    });
    let mut before = None;
    for number in 0..200 {
        let mut peer = fake.registered();
        peer.run(1, "a", json!({}));
        peer.expect("progress");
        before.get_or_insert_with(|| (count("task"), count("fd")));
        assert_eq!(ended.load(Ordering::SeqCst), number);
    }
    let mut peer = fake.registered();
    peer.run(1, "a", json!({}));
    peer.expect("progress");
    until("the end of the threads", || {
        Some((count("task"), count("fd"))) <= before
    });
    assert_eq!(ended.load(Ordering::SeqCst), 200);
    working.stopper.stop();
    peer.reply("unregister", json!({}));
    peer.expect_cancelled(1);
    peer.expect_end();
}
