// Params of the requests with one or two simple members (protocol §4).

package import InitJSON
package import InitModel
package import InitWords

/// Params of `activate`.
package struct ActivateParams: Sendable, Shape {
  /// Whether the app stays active only as long as this connection exists (S23).
  package var hold: Bool
  /// How long the hold lasts, in seconds, unless `renew` extends it.
  ///
  /// When the hold ends, the app is deactivated; nil for no limit.
  package var lease: Double?
  /// The moment from which the lease counts, in seconds by CLOCK_MONOTONIC; nil for the moment in which the supervisor reads this.
  package var at: Double?
  /// The same moment by CLOCK_BOOTTIME, which also counts the time while the machine was suspended.
  ///
  /// This moment takes precedence over `at`.
  package var boot: Double?
  /// The fencing token of the holder, which active runs get.
  package var fence: Int?
  /// Whether the app becomes active even if another client manages it.
  package var force = false

  /// Creates an activation.
  package init(
    hold: Bool = false, lease: Double? = nil, at: Double? = nil, boot: Double? = nil, fence: Int? = nil,
    force: Bool = false
  ) {
    self.hold = hold
    self.lease = lease
    self.at = at
    self.boot = boot
    self.fence = fence
    self.force = force
  }

  package init() { self.init(hold: false) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("hold", &hold)
    try json.optional("lease", &lease, .seconds)
    try json.optional("at", &at, .seconds)
    try json.optional("boot", &boot, .seconds)
    try json.optional("fence", &fence, .positive)
    try json.optional("force", &force)
  }
}

/// Params of `deactivate`.
package struct DeactivateParams: Sendable, Shape {
  /// Whether the answer waits until no run of an active pass is stopping.
  package var wait: Bool

  /// Creates a deactivation.
  package init(wait: Bool = false) { self.wait = wait }

  package init() { self.init(wait: false) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("wait", &wait)
  }
}

/// Params of `subscribe`.
package struct SubscribeParams: Sendable, Shape {
  /// The topics, without duplicates.
  ///
  /// An empty list is valid: its answer has the snapshot, and no events follow.
  package var topics: [Topic]

  /// Creates a subscription to some topics.
  package init(topics: [Topic] = Topic.defaults) { self.topics = topics }

  package init() { self.init(topics: Topic.defaults) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("topics", &topics)
    var seen: Set<Topic> = []
    topics.removeAll { !seen.insert($0).inserted }
  }
}

/// Params of `unregister`: all or none.
package struct UnregisterParams: Sendable, Shape {
  /// The names to remove, without duplicates.
  package var names: [String]

  /// Creates a request to remove names.
  package init(names: [String]) { self.names = names }

  package init() { self.init(names: []) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var list = NameList(names)
    try json.required("names", &list)
    names = list.names
  }
}

/// Params of `rerun`: all or none.
package struct RerunParams: Sendable, Shape {
  /// The initializers that run again, without duplicates.
  package var initializers: [String]
  /// Whether the direct and indirect dependents also run again.
  package var withDependents: Bool

  /// Creates a request to run initializers again.
  package init(initializers: [String], withDependents: Bool = false) {
    self.initializers = initializers
    self.withDependents = withDependents
  }

  package init() { self.init(initializers: []) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var list = NameList(initializers)
    try json.required("initializers", &list)
    initializers = list.names
    try json.optional("withDependents", &withDependents)
  }
}

/// Params of `cancelRun`: all or none.
package struct CancelRunParams: Sendable, Shape {
  /// The initializers whose runs are cancelled, without duplicates.
  package var initializers: [String]

  /// Creates a request to cancel runs.
  package init(initializers: [String]) { self.initializers = initializers }

  package init() { self.init(initializers: []) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var list = NameList(initializers)
    try json.required("initializers", &list)
    initializers = list.names
  }
}

/// Params of `logs`.
package struct LogsParams: Sendable, Shape {
  /// The initializer; nil for all.
  package var initializer: String?
  /// The number of lines, counted from the last line.
  package var limit: Int
  /// Whether only lines that are kept of failed attempts are wanted.
  package var failed: Bool
  /// The number of the pass; nil for all lines.
  package var pass: Int?
  /// The position of the page, as in the last answer; nil for the newest lines.
  package var before: LogsPosition?

  /// Creates a request for the last lines.
  package init(
    initializer: String? = nil, limit: Int = 1000, failed: Bool = false, pass: Int? = nil, before: LogsPosition? = nil
  ) {
    self.initializer = initializer
    self.limit = limit
    self.failed = failed
    self.pass = pass
    self.before = before
  }

  package init() { self.init(limit: 1000) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("initializer", &initializer, .initializerName)
    try json.optional("limit", &limit, .positive)
    try json.optional("failed", &failed)
    try json.optional("pass", &pass, .positive)
    try json.optional("before", &before)
  }
}

/// Params of `history`.
package struct HistoryParams: Sendable, Shape {
  /// The number of passes, counted from the last pass.
  package var limit: Int
  /// The number of the only pass to return; nil for the last passes.
  package var pass: Int?
  /// The phase of the passes; nil for both.
  package var phase: Phase?
  /// Whether passes in flight are included.
  package var inFlight: Bool
  /// Whether the answer has summaries instead of passes with runs.
  ///
  /// Summaries include the passes of earlier supervisors.
  package var summaries: Bool
  /// Whether the answer says how long phases and initializers usually take.
  package var usual: Bool
  /// The position of the page, as in the last answer; nil for the newest passes.
  package var before: HistoryPosition?

  /// Creates a request for the last passes.
  package init(
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

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("limit", &limit, .positive)
    try json.optional("pass", &pass, .positive)
    try json.optional("phase", &phase)
    try json.optional("inFlight", &inFlight)
    try json.optional("summaries", &summaries)
    try json.optional("usual", &usual)
    try json.optional("before", &before)
  }
}

/// Params of `reload`.
package struct ReloadParams: Sendable, Shape {
  /// Whether to change nothing: the answer says what would change.
  package var dryRun: Bool
  /// Whether the dependents of initializers that run again also run again.
  package var withDependents: Bool

  /// Creates a request to reload.
  package init(dryRun: Bool = false, withDependents: Bool = false) {
    self.dryRun = dryRun
    self.withDependents = withDependents
  }

  package init() { self.init(dryRun: false) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("dryRun", &dryRun)
    try json.optional("withDependents", &withDependents)
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

  static func form(in _: SchemaBook) -> SchemaBook.Form { .array(.string) }
}
