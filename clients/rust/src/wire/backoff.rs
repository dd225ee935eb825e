//! The pauses between attempts to connect.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// Pauses that double from 50 ms to 1 s, with jitter.
pub(crate) struct Backoff {
    next: Duration,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff { next: FIRST }
    }
}

impl Backoff {
    pub fn next_pause(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(LONGEST);
        pause.mul_f64(0.5 + random() / 2.0)
    }
}

/// Returns a random number from 0 to 1, from the keys that the standard library seeds its hash maps with.
fn random() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_second_with_jitter() {
        let mut backoff = Backoff::default();
        for longest in [50, 100, 200, 400, 800, 1000, 1000, 1000] {
            let longest = Duration::from_millis(longest);
            let pause = backoff.next_pause();
            assert!(
                longest / 2 <= pause && pause <= longest,
                "{pause:?} of {longest:?}"
            );
        }
    }

    #[test]
    fn many_clients_do_not_come_back_at_once() {
        let pauses: Vec<Duration> = (0..100).map(|_| Backoff::default().next_pause()).collect();
        assert!(*pauses.iter().min().unwrap() < Duration::from_millis(32));
        assert!(*pauses.iter().max().unwrap() > Duration::from_millis(43));
    }
}
