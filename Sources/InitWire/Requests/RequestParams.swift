// Params of the requests with one or two simple members (protocol §4).

/// Params of `activate`.
public struct ActivateParams: Sendable, Shape {
  /// Whether the app stays active only as long as this connection exists (S23).
  public var hold: Bool
  /// How long the hold lasts, in seconds, unless `renew` extends that. When it ends, the app is deactivated. nil for no limit.
  public var lease: Double?
  /// The moment from which the lease counts, in seconds by CLOCK_MONOTONIC; nil for the one in which the supervisor reads this.
  public var at: Double?

  /// An activation.
  public init(hold: Bool = false, lease: Double? = nil, at: Double? = nil) {
    (self.hold, self.lease, self.at) = (hold, lease, at)
  }

  package init() { self.init(hold: false) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("hold", &hold)
    try json.optional("lease", &lease, .seconds)
    try json.optional("at", &at, .seconds)
  }
}

/// Params of `deactivate`.
public struct DeactivateParams: Sendable, Shape {
  /// Whether the answer waits until no run of an active pass is stopping.
  public var wait: Bool

  /// A deactivation.
  public init(wait: Bool = false) { self.wait = wait }

  package init() { self.init(wait: false) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("wait", &wait)
  }
}

/// Params of `subscribe`.
public struct SubscribeParams: Sendable, Shape {
  /// The topics, without duplicates. An empty list is valid: its answer has the snapshot, and no events follow.
  public var topics: [Topic]

  /// A subscription to some topics.
  public init(topics: [Topic] = Topic.defaults) { self.topics = topics }

  package init() { self.init(topics: Topic.defaults) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("topics", &topics)
    var seen: Set<Topic> = []
    topics.removeAll { !seen.insert($0).inserted }
  }
}

/// Params of `unregister`: all or none.
public struct UnregisterParams: Sendable, Shape {
  /// The names to remove, without duplicates.
  public var names: [String]

  /// A request to remove names.
  public init(names: [String]) { self.names = names }

  package init() { self.init(names: []) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    var list = NameList(names)
    try json.required("names", &list)
    names = list.names
  }
}

/// Params of `logs`.
public struct LogsParams: Sendable, Shape {
  /// The initializer; nil for all.
  public var initializer: String?
  /// How many of the last lines.
  public var limit: Int
  /// Where the page begins: as in the last answer; nil for the newest lines.
  public var before: LogsPosition?

  /// A request for the last lines.
  public init(initializer: String? = nil, limit: Int = 1000, before: LogsPosition? = nil) {
    self.initializer = initializer
    self.limit = limit
    self.before = before
  }

  package init() { self.init(limit: 1000) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("initializer", &initializer, .initializerName)
    try json.optional("limit", &limit, .positive)
    try json.optional("before", &before)
  }
}

/// Params of `history`.
public struct HistoryParams: Sendable, Shape {
  /// How many of the last passes.
  public var limit: Int
  /// The number of the only pass; nil for the last ones.
  public var pass: Int?
  /// The phase of the passes; nil for both.
  public var phase: Phase?
  /// Whether passes in flight are included.
  public var inFlight: Bool
  /// Whether the answer has summaries instead of passes with runs; then also passes of earlier supervisors.
  public var summaries: Bool
  /// Whether the answer says how long phases and initializers usually take.
  public var usual: Bool
  /// Where the page begins: as in the last answer; nil for the newest passes.
  public var before: HistoryPosition?

  /// A request for the last passes.
  public init(
    limit: Int = 1, pass: Int? = nil, phase: Phase? = nil, inFlight: Bool = false, summaries: Bool = false,
    usual: Bool = false, before: HistoryPosition? = nil
  ) {
    self.limit = limit
    self.pass = pass
    self.phase = phase
    self.inFlight = inFlight
    self.summaries = summaries
    self.usual = usual
    self.before = before
  }

  package init() { self.init(limit: 1) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("limit", &limit, .positive)
    try json.optional("pass", &pass, .positive)
    try json.optional("phase", &phase)
    try json.optional("inFlight", &inFlight)
    try json.optional("summaries", &summaries)
    try json.optional("usual", &usual)
    try json.optional("before", &before)
  }
}

/// Names of initializers, without duplicates.
struct NameList: JSONValue {
  let names: [String]

  init(_ names: [String]) { self.names = names }

  static func read(_ json: RawJSON, _ manner: ReadingManner) throws(ShapeFault) -> NameList {
    guard json.kind == .array else { throw .must("an array") }
    var names: [String] = []
    var seen: Set<String> = []
    for (place, value) in json.values.enumerated() {
      guard let name = value.string, InitializerName.isValid(name) else {
        throw ShapeFault(path: "[\(place)]", reason: InitializerName.requirement)
      }
      guard seen.insert(name).inserted else {
        throw ShapeFault(path: "[\(place)]", reason: "must not name \"\(name)\" a second time")
      }
      names.append(name)
    }
    return NameList(names)
  }

  func write(to writer: inout JSONWriter) throws(ShapeFault) { try names.write(to: &writer) }
}
