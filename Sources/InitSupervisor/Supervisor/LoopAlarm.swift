internal import AppInitializers
internal import EventLoop

/// A manager's alarm on a loop's timer.
///
/// The manager runs on the loop, so the alarm needs no task. A task on Swift's own executors would need libdispatch, which aborts the
/// process if it can't get a descriptor.
final class LoopAlarm: Alarm {
  private let loop: Loop
  private let origin: Duration
  private let timer: Confined<Timer>

  init(loop: Loop) {
    self.loop = loop
    self.origin = loop.now
    self.timer = Confined(Timer(loop: loop, name: "alarm"))
  }

  var now: Duration { loop.now - origin }
  var ringsOnExecutor: Bool { true }

  func set(_ deadline: Duration?, ring: @escaping @Sendable () -> Void) {
    loop.preconditionIsolated()
    guard let deadline else { return timer.value.stop() }
    timer.value.start(at: origin + deadline, then: ring)
  }

  func close() { timer.value.close() }

  /// A `Sendable` box for a value that only the loop's thread uses.
  private struct Confined<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
