public import Passes

/// The passes that aren't in the history yet: a queue with a bound.
///
/// If the history can't be written for long, the oldest are dropped.
public struct PassBacklog: Sendable {
  /// The maximum number of records of passes, initializers and runs: a few megabytes.
  public static let limit = 50_000
  /// The maximum number of passes in a transaction.
  static let batch = 32

  private struct Key: Hashable {
    let instance: String
    let number: Int

    init(_ pass: EndedPass) {
      instance = pass.instance
      number = pass.number
    }
  }

  private var passes: [EndedPass] = []
  private var records = 0
  /// How many passes were dropped.
  public private(set) var dropped = 0

  /// Is empty.
  public init() {}

  /// The number of waiting passes.
  public var count: Int { passes.count }

  /// Adds a pass, and drops the oldest passes if there are too many.
  public mutating func add(_ pass: EndedPass) {
    passes.append(pass)
    records += Self.records(pass)
    var excess = 0
    while records > Self.limit, excess < passes.count - 1 {
      records -= Self.records(passes[excess])
      excess += 1
    }
    passes.removeFirst(excess)
    dropped += excess
  }

  /// The passes to store next, the oldest first.
  public var next: [EndedPass] { Array(passes.prefix(Self.batch)) }

  /// Removes passes that were stored.
  ///
  /// Removed passes that were dropped in the meantime don't count as lost.
  public mutating func remove(_ stored: [EndedPass]) {
    let keys = Set(stored.map(Key.init))
    let before = passes.count
    passes.removeAll { keys.contains(Key($0)) }
    dropped -= stored.count - (before - passes.count)
    records = passes.reduce(0) { $0 + Self.records($1) }
  }

  private static func records(_ pass: EndedPass) -> Int {
    1 + pass.initializers.count + pass.criticalPath.count + pass.runs.count
  }
}
