/// What the history does, for the metrics.
public struct HistoryStatus: Sendable, Equatable {
  /// The reason why the history can't be used at the moment, and what to do; nil if it can be used.
  public var failure: String?
  /// How many passes were stored.
  public var stored: Int
  /// How many passes wait.
  public var waiting: Int
  /// How many passes were lost, because the history couldn't be used for too long.
  public var lost: Int
  /// The size of the file and its write-ahead log, in bytes.
  public var bytes: Int

  /// Describes a history.
  public init(failure: String? = nil, stored: Int = 0, waiting: Int = 0, lost: Int = 0, bytes: Int = 0) {
    self.failure = failure
    self.stored = stored
    self.waiting = waiting
    self.lost = lost
    self.bytes = bytes
  }

  func write(to text: inout PrometheusText) {
    text.begin("initweb_history_failed", .gauge, "1 while the history can't be used; the log says why.")
    text.sample(failure == nil ? 0 : 1)
    text.begin("initweb_history_stored_passes_total", .counter, "Passes that were stored in the history.")
    text.sample(stored)
    text.begin("initweb_history_waiting_passes", .gauge, "Passes that aren't stored in the history yet.")
    text.sample(waiting)
    text.begin(
      "initweb_history_lost_passes_total", .counter,
      "Passes that aren't in the history: it couldn't be used for too long.")
    text.sample(lost)
    text.begin("initweb_history_size_bytes", .gauge, "Size of the history's file and its write-ahead log.")
    text.sample(bytes)
  }
}
