internal import Etcd
internal import Libuv

/// The changes of keys under a prefix, from one watch for all who wait for them. Used on the loop's thread.
final class Changes {
  let prefix: String
  var watch: Etcd.Watch?
  /// The last revision at which each key has changed, as far as the watch has told.
  private var changed: [String: Int] = [:]
  private var waiters: [Int: (keys: [String], continuation: CheckedContinuation<Void, Never>)] = [:]
  private var last = 0

  init(prefix: String) { self.prefix = prefix }

  /// A number for a waiter.
  func reserve() -> Int {
    last += 1
    return last
  }

  /// Whether one of the keys has changed after a revision.
  func hasChanged(_ keys: [String], after revision: Int) -> Bool {
    keys.contains { changed[$0, default: 0] > revision }
  }

  /// Resumes the continuation when one of the keys changes, or all are woken.
  func wait(_ number: Int, for keys: [String], _ continuation: CheckedContinuation<Void, Never>) {
    waiters[number] = (keys, continuation)
  }

  /// Resumes one waiter.
  func wake(_ number: Int) { waiters.removeValue(forKey: number)?.continuation.resume() }

  /// Resumes all: what they know may be wrong.
  func wakeAll() { for number in waiters.keys.sorted() { wake(number) } }

  func take(_ events: [EtcdEvent]) {
    for event in events {
      let (key, revision) =
        switch event {
        case .put(let entry): (entry.key, entry.modified)
        case .deleted(let key, let revision): (key, revision)
        }
      changed[key] = revision
      for (number, waiter) in waiters where waiter.keys.contains(key) { wake(number) }
    }
  }
}

extension Agent {
  /// Waits until one of the keys has changed after a revision, or what is known about them may be wrong, or the task is cancelled. The
  /// caller reads them again then.
  func change(of keys: [String], after revision: Int) async {
    if changes.watch == nil { beginWatch(from: revision + 1) }
    let number = changes.reserve()
    // A watch can be dead for minutes before TCP tells: the keys are read again after a while.
    let patience = Task(executorPreference: loop) {
      try await Task.sleep(for: .seconds(Int.random(in: 10...15)))
      await self.wake(number)
    }
    defer { patience.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled || changes.watch == nil || changes.hasChanged(keys, after: revision) {
          continuation.resume()
        } else {
          changes.wait(number, for: keys, continuation)
        }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.changes.wake(number) } }
    }
  }

  private func beginWatch(from revision: Int) {
    let prefix = changes.prefix
    // Both are used on the loop's thread.
    changes.watch = etcd.assumeIsolated { etcd in
      etcd.watch(
        under: prefix, from: revision,
        onEvents: { events in self.assumeIsolated { $0.changes.take(events) } },
        onEnd: { _ in self.assumeIsolated { $0.watchEnded() } })
    }
  }

  private func wake(_ number: Int) { changes.wake(number) }

  private func watchEnded() {
    changes.watch = nil
    changes.wakeAll()
  }
}
