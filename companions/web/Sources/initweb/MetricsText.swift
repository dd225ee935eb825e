internal import Synchronization
internal import WebStatus

/// The text of the metrics, made at most ten times a second for any number of clients.
///
/// With hundreds of initializers, making it takes some milliseconds, during which no other request is answered.
final class MetricsText: Sendable {
  /// How long a text is used before it is made again.
  private static let age = Duration.milliseconds(100)

  private struct Made {
    var text: String
    var moment: ContinuousClock.Instant
  }

  private let board: Board
  private let hub: EventHub
  private let feeder: PassFeeder
  /// Nil if no traces are exported.
  private let exporter: TraceExporter?
  /// Nil if none is kept.
  private let history: History?
  private let made = Mutex<Made?>(nil)

  init(board: Board, hub: EventHub, feeder: PassFeeder, exporter: TraceExporter?, history: History?) {
    self.board = board
    self.hub = hub
    self.feeder = feeder
    self.exporter = exporter
    self.history = history
  }

  /// The text, at most 100 ms old.
  var current: String {
    // A request that arrives while the text is made waits, and gets the same text.
    made.withLock { made in
      if let made, .now - made.moment < Self.age { return made.text }
      let memory = board.with(\.pid).flatMap(SupervisorMemory.residentBytes)
      let text = board.with { $0 }.metrics(
        residentBytes: memory, readers: hub.readers, missedPasses: feeder.missed,
        spans: exporter.map { SpanCounts($0.counts) }, history: history?.status)
      made = Made(text: text, moment: .now)
      return text
    }
  }
}
