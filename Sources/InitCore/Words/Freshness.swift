/// When an initializer that has completed needn't run again: then it is skipped as fresh (S30).
public struct Freshness: Hashable, Sendable {
  /// The files whose contents must be the same as when it completed; without any, only the time counts.
  public var inputs: [InputPattern]
  /// How long the initializer may be fresh after it has completed; `nil` for no limit.
  public var limit: Duration?
  /// The directory at which relative inputs start.
  public var directory: String
  /// Whether a completion also counts after the system was started again, and only a changed output of a dependency matters, not that it
  /// ran again (S37).
  public var isEver: Bool

  /// Creates a rule.
  public init(inputs: [InputPattern] = [], limit: Duration? = nil, directory: String = "", isEver: Bool = false) {
    self.inputs = inputs
    self.limit = limit
    self.directory = directory
    self.isEver = isEver
  }

  /// Whether nothing makes the initializer fresh.
  package var isEmpty: Bool { inputs.isEmpty && limit == nil && !isEver }

  /// Decides whether an initializer is fresh.
  ///
  /// - Parameters:
  ///   - fingerprint: the fingerprint of its work now; `nil` if it couldn't be read.
  ///   - completed: the fingerprint and the time of its last completion; `nil` if it hasn't completed, or if something has undone the
  ///     completion since.
  ///   - isStale: whether a dependency has run since it completed (S26), which matters unless it is done once (S37).
  /// - Returns: that the initializer is fresh, or why it isn't.
  public func verdict(_ fingerprint: Fingerprint?, completed: Fingerprint?, isStale: Bool) -> FreshnessVerdict {
    guard let completed else { return .notCompleted }
    guard let fingerprint else { return .unreadable }
    guard !isStale || isEver else { return .stale }
    guard fingerprint.digest == completed.digest else { return .changed }
    // A moment in the future belongs to another clock.
    if let limit, !(.zero..<limit).contains(fingerprint.moment - completed.moment) { return .expired }
    return .fresh
  }
}

/// Whether an initializer whose turn has come is fresh, and why not (S30).
public enum FreshnessVerdict: Hashable, Sendable {
  /// The initializer completed with the same definition and the same inputs, recently enough.
  case fresh
  /// The initializer hasn't completed, its fingerprint isn't known, or it must run again.
  case notCompleted
  /// The inputs can't be read, or changed while they were read.
  case unreadable
  /// A dependency has run since the initializer completed.
  case stale
  /// The definition, a file, or an output of a dependency has changed.
  case changed
  /// The initializer completed too long ago.
  case expired
}

/// A hash of everything that the work of an initializer depends on, at one time (S30).
public struct Fingerprint: Hashable, Sendable {
  /// A hash of its definition, of the contents of its input files, and of the outputs of its dependencies.
  public let digest: String
  /// The moment, in a clock that also counts the time during which the system sleeps.
  public let moment: Duration

  /// Creates a fingerprint.
  public init(_ digest: String, at moment: Duration) {
    self.digest = digest
    self.moment = moment
  }

  /// Returns the same fingerprint with another time.
  func moved(by duration: Duration) -> Fingerprint { Fingerprint(digest, at: moment + duration) }
}
