/// The last events for readers of `/api/v1/events`: each reader has only a position, without a queue.
///
/// A reader whose position isn't kept any more, because it is too slow or comes from an earlier process, begins with a snapshot.
public struct EventRing: Sendable {
  /// An event in the form in which it is sent.
  public struct Entry: Sendable, Equatable {
    /// The number, from 1.
    public var number: Int
    /// The text of the stream: its id, its name and its data.
    public var text: String
  }

  /// What a reader gets next.
  public enum Batch: Sendable, Equatable {
    /// The reader's position isn't kept: it needs a snapshot, and continues after this number.
    case snapshot(Int)
    /// The next events; empty if there are no new events.
    case events([Entry])
  }

  /// The maximum number of events, and of all their bytes.
  public static let standardLimit = (events: 1024, bytes: 4 << 20)
  /// The maximum number of bytes that a reader gets at once.
  public static let batchBytes = 64 << 10

  private let limit: (events: Int, bytes: Int)
  /// Distinguishes positions of this ring from positions of an earlier process.
  public let id: String
  private var entries: [Entry] = []
  /// The index of the oldest entry that is kept.
  private var first = 0
  private var bytes = 0
  /// The number of the last event; 0 before the first.
  public private(set) var last = 0

  /// Creates an empty ring; `id` is different for each process.
  public init(id: String, limit: (events: Int, bytes: Int) = standardLimit) {
    self.id = id
    self.limit = limit
  }

  /// Adds an event; `json` is one line.
  public mutating func add(_ name: String, json: String) {
    last += 1
    let entry = Entry(number: last, text: text(name, json: json, number: last))
    entries.append(entry)
    bytes += entry.text.utf8.count
    while entries.count - first > limit.events || bytes > limit.bytes, first < entries.count {
      bytes -= entries[first].text.utf8.count
      first += 1
    }
    // The array is moved once for as many events as it keeps.
    if first > limit.events {
      entries.removeFirst(first)
      first = 0
    }
  }

  /// Records that something has changed while there are no readers: later readers begin with a snapshot.
  public mutating func skip() {
    last += 1
    entries = []
    first = 0
    bytes = 0
  }

  /// Returns an event as a text of the stream.
  public func text(_ name: String, json: String, number: Int) -> String {
    "id: \(id).\(number)\nevent: \(name)\ndata: \(json)\n\n"
  }

  /// Returns the position that a reader names in `Last-Event-ID`; nil if it is of another process or isn't one.
  public func position(_ text: String) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == id, let number = Int(parts[1]), (0...last).contains(number) else { return nil }
    return number
  }

  /// Returns the events after a reader's position, or says that the reader needs a snapshot; nil means a reader without a position.
  public func next(after position: Int?) -> Batch {
    guard let position, position <= last else { return .snapshot(last) }
    let missing = last - position
    guard missing <= entries.count - first else { return .snapshot(last) }
    var batch: [Entry] = []
    var room = Self.batchBytes
    for entry in entries[(entries.count - missing)...] {
      room -= entry.text.utf8.count
      guard room >= 0 || batch.isEmpty else { break }
      batch.append(entry)
    }
    return .events(batch)
  }
}
