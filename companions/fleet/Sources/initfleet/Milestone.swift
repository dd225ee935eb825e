internal import Etcd

/// An event that happens once, and for which tasks wait.
@FleetActor final class Milestone {
  private var isReached = false
  private var waiting: [Int: AsyncStream<Never>.Continuation] = [:]
  private var last = 0

  /// Wakes the waiting tasks: the event has happened.
  func reach() {
    isReached = true
    for continuation in waiting.values { continuation.finish() }
  }

  /// Waits until it has happened, the moment has come, or the task is cancelled.
  func wait(until limit: Duration? = nil) async {
    guard !isReached else { return }
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    last += 1
    let number = last
    waiting[number] = continuation
    let alarm = Alarm()
    alarm.set(limit) { continuation.finish() }
    for await _ in stream {}
    alarm.set(nil) {}
    waiting[number] = nil
  }
}
