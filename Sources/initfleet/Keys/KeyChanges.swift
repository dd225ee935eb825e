internal import Etcd
internal import EventLoop

/// The changes of keys under a prefix, from one watch for all who wait for them.
actor KeyChanges {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private struct Waiter {
    let wakes: (EtcdEvent) -> Bool
    let continuation: CheckedContinuation<EtcdEvent?, Never>
  }

  private let etcd: Etcd
  private let prefix: String
  private var watch: EtcdWatch?
  /// The last change of each key that the watch has told.
  private var last: [String: EtcdEvent] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var lastNumber = 0

  init(_ etcd: Etcd, under prefix: String) {
    loop = etcd.loop
    self.etcd = etcd
    self.prefix = prefix
  }

  /// Waits for a change after a revision for which `wakes` is true.
  ///
  /// Nil if what is known may be wrong, so the caller must read the keys again, or if the task was cancelled.
  ///
  /// `wakes` is called with each change, and again with the last one of each key.
  func change(after revision: Int, that wakes: @escaping @Sendable (EtcdEvent) -> Bool) async -> EtcdEvent? {
    if watch == nil { beginWatch(from: revision + 1) }
    lastNumber += 1
    let number = lastNumber
    // A watch can be dead for a while before TCP reports it: the keys are read again.
    let patience = Task(executorPreference: loop) {
      try await Task.sleep(for: .seconds(Int.random(in: 10...15)))
      await self.doubt()
    }
    defer { patience.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let change = last.values.first { $0.revision > revision && wakes($0) }
        if Task.isCancelled || watch == nil || change != nil { return continuation.resume(returning: change) }
        waiters[number] = Waiter(wakes: wakes, continuation: continuation)
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.wake(number) } }
    }
  }

  /// Wakes all, and begins a new watch when one is needed: this one may be dead.
  func doubt() {
    watch?.cancel()
    watchEnded()
  }

  private func beginWatch(from revision: Int) {
    last = [:]
    let prefix = prefix
    watch = etcd.assumeIsolated { etcd in
      etcd.watch(
        EtcdRange(prefix: prefix), from: revision,
        onEvents: { events in self.assumeIsolated { $0.handle(events) } },
        onEnd: { _ in self.assumeIsolated { $0.watchEnded() } })
    }
  }

  private func watchEnded() {
    watch = nil
    for number in waiters.keys.sorted() { wake(number) }
  }

  private func wake(_ number: Int, _ event: EtcdEvent? = nil) {
    waiters.removeValue(forKey: number)?.continuation.resume(returning: event)
    guard waiters.isEmpty else { return }
    // No one needs the watch. The next waiter begins another one, at the revision that it knows.
    watch?.cancel()
    watch = nil
  }

  private func handle(_ events: [EtcdEvent]) {
    for event in events {
      last[event.key] = event
      for (number, waiter) in waiters where waiter.wakes(event) { wake(number, event) }
    }
  }
}
