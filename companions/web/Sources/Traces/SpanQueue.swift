/// Decides which spans are sent, when, and when again: a queue with bounds.
///
/// The spans of a pass are queued together or dropped together. A batch stays in the queue until a collector has taken or refused it. Each
/// dropped span is counted.
public struct SpanQueue: Sendable {
  /// How many spans were exported, dropped or refused.
  public struct Counts: Sendable, Equatable {
    /// The number of spans that a collector has accepted.
    public var exported = 0
    /// Dropped, because the queue was full.
    public var overflowed = 0
    /// Dropped, because a collector refused them.
    public var refused = 0
    /// Dropped at the end of this program.
    public var abandoned = 0
  }

  /// The answer of a collector, or the reason why there is none.
  public enum Answer: Sendable, Equatable {
    /// The collector has accepted all spans except `refused` of them; the text is a warning, or says why.
    case taken(refused: Int, message: String)
    /// The collector may accept the spans later: after that many seconds, if it says so.
    case later(Double?, reason: String)
    /// The collector will never accept the spans.
    case refused(reason: String)
  }

  /// A message for the log.
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

  /// The pause after the first failure, in seconds; each further pause is twice as long.
  static let firstPause = 0.5
  /// The longest pause, in seconds, unless a collector asks for a longer one.
  static let longestPause = 30.0
  /// The longest pause that a collector may ask for, in seconds.
  static let longestWish = 300.0

  private enum Health { case well, failing, refusing, warned }

  /// How many spans were exported, dropped or refused so far.
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

  /// The oldest spans, as many as are sent at once; empty if no span is queued.
  public var batch: ArraySlice<Span> {
    var size = 0
    return spans.prefix(limits.batchSpans).prefix { span in
      defer { size += span.approximateBytes }
      return size < limits.batchBytes
    }
  }

  /// Handles the answer to the batch.
  ///
  /// Returns the delay before the next batch, in seconds, and what to log.
  ///
  /// `random` is from 0 to 1: delays differ, so many programs don't send again at the same time.
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

  /// Drops the spans that are still queued at the end, and returns their number.
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
