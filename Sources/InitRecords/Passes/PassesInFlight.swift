internal import AppInitializers
internal import EventLoop
internal import InitCore

/// Records the passes in flight in the state directory, so a pass that is cut off when the supervisor is killed is still known.
///
/// The passes are recorded soon after a pass has started, and then at most once a second while something changes, or less often if there
/// are many initializers.
final class PassesInFlight {
  /// Writes the passes in flight.
  var write: () -> Void = {}

  private let context: RecordsContext
  private let timer: EventLoop.Timer
  /// The time of the last write.
  private var written: Duration?

  init(_ context: RecordsContext) {
    self.context = context
    timer = Timer(loop: context.loop, name: "passes in flight")
  }

  /// Returns the minimum pause between two records.
  ///
  /// Encoding many initializers takes time, and no client is answered during that time.
  static func pause(_ initializers: Int) -> Duration { max(.seconds(1), .milliseconds(2 * initializers)) }

  /// Schedules a record, because a pass or a run has changed.
  func changed() {
    guard !timer.isActive else { return }
    let pause = Self.pause(context.manager.read { $0.initializerCount })
    let next = written.map { $0 + pause } ?? .zero
    // A short pass ends before this, and needs no record.
    timer.start(at: max(next, context.loop.now + pause / 10)) { [unowned self] in
      written = context.loop.now
      write()
    }
  }

  /// Stops it.
  func close() { timer.close() }
}
