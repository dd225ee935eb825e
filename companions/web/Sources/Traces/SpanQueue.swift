/// Decides which spans are sent, when, and when again: a queue with bounds.
///
/// The spans of a pass are queued together or dropped together. A batch stays in the queue until a collector has taken or refused it. Nothing
/// is dropped without being counted.
public struct SpanQueue: Sendable {
  /// What became of the spans.
  public struct Counts: Sendable, Equatable {
    /// A collector has taken them.
    public var exported = 0
    /// Dropped, because the queue was full.
    public var overflowed = 0
    /// Dropped, because a collector refused them.
    public var refused = 0
    /// Dropped at the end of this program.
    public var abandoned = 0
  }

  /// What a collector has answered, or that it hasn't.
  public enum Answer: Sendable, Equatable {
    /// It has taken all but these; the text says why, or warns.
    case taken(refused: Int, message: String)
    /// It may take them later, after that many seconds if it says so.
    case later(Double?, reason: String)
    /// It will never take them.
    case refused(reason: String)
  }

  /// What to log.
  public enum Notice: Sendable, Equatable {
    /// Sending fails from now on, for this reason.
    case failing(String)
    /// A collector refuses spans from now on, for this reason.
    case refusing(String)
    /// A collector takes the spans, and warns from now on.
    case warned(String)
    /// A collector takes spans again.
    case resumed
    /// The queue is full from now on.
    case overflowing
  }

  /// The bounds, and how many spans are sent at once.
  struct Limits: Sendable {
    var spans = 65_536
    var bytes = 32 << 20
    var batchSpans = 512
    var batchBytes = 1 << 20
  }

  /// The pause after the first failure, in seconds; the next ones double.
  static let firstPause = 0.5
  /// The longest pause, in seconds, unless a collector asks for a longer one.
  static let longestPause = 30.0
  /// The longest pause that a collector may ask for, in seconds.
  static let longestWish = 300.0

  private enum Health { case well, failing, refusing, warned }

  /// What became of the spans so far.
  public private(set) var counts = Counts()
  private let limits: Limits
  private var spans: [Span] = []
  private var bytes = 0
  private var failures = 0
  private var health = Health.well
  private var isOverflowing = false

  /// Creates an empty queue.
  public init() { self.init(Limits()) }

  init(_ limits: Limits) { self.limits = limits }

  /// How many spans are queued.
  public var count: Int { spans.count }

  /// Queues the spans of a pass.
  public mutating func add(_ new: [Span]) -> Notice? {
    let size = new.reduce(0) { $0 + $1.approximateBytes }
    guard spans.count + new.count <= limits.spans, bytes + size <= limits.bytes else {
      counts.overflowed += new.count
      defer { isOverflowing = true }
      return isOverflowing ? nil : .overflowing
    }
    isOverflowing = false
    spans += new
    bytes += size
    return nil
  }

  /// The oldest spans, as many as are sent at once; empty if there are none.
  public var batch: ArraySlice<Span> {
    var size = 0
    return spans.prefix(limits.batchSpans).prefix { span in
      defer { size += span.approximateBytes }
      return size < limits.batchBytes
    }
  }

  /// Handles the answer to the batch: returns how long to wait before the next one is sent, in seconds, and what to log.
  ///
  /// `random` is from 0 to 1: pauses differ, so many programs don't return at once.
  public mutating func settle(_ sent: ArraySlice<Span>, _ answer: Answer, random: Double) -> (
    pause: Double, notice: Notice?
  ) {
    switch answer {
    case .later(let wish, let reason):
      let pause = min(Self.longestPause, Self.firstPause * Double(1 << min(failures, 10))) * (1 + random) / 2
      failures += 1
      return (max(pause, min(wish ?? 0, Self.longestWish)), change(to: .failing, .failing(reason)))
    case .refused(let reason):
      remove(sent)
      counts.refused += sent.count
      return (0, change(to: .refusing, .refusing(reason)))
    case .taken(let refused, let message):
      remove(sent)
      let count = min(max(refused, 0), sent.count)
      counts.exported += sent.count - count
      counts.refused += count
      if count > 0 { return (0, change(to: .refusing, .refusing(message))) }
      if !message.isEmpty { return (0, change(to: .warned, .warned(message))) }
      return (0, change(to: .well, .resumed))
    }
  }

  /// Drops what is still queued, at the end: returns how many spans that were.
  public mutating func abandon() -> Int {
    let rest = spans.count
    counts.abandoned += rest
    spans = []
    bytes = 0
    return rest
  }

  private mutating func remove(_ sent: ArraySlice<Span>) {
    spans.removeFirst(sent.count)
    bytes -= sent.reduce(0) { $0 + $1.approximateBytes }
    failures = 0
  }

  private mutating func change(to new: Health, _ notice: Notice) -> Notice? {
    guard health != new else { return nil }
    health = new
    return notice
  }
}
