// Params of the requests that take one or two simple members (protocol §4).

/// Params of `activate`.
public struct ActivateParams: Encodable, Sendable, Equatable {
  /// Whether the app is to stay active only as long as this connection lives (S23).
  public var hold: Bool

  /// An activation.
  public init(hold: Bool = false) { self.hold = hold }

  init(_ params: ParamsReader) throws(WireError) { hold = try params["hold"]?.boolean() ?? false }
}

/// Params of `deactivate`.
public struct DeactivateParams: Encodable, Sendable, Equatable {
  /// Whether to answer only once no run of an active pass is stopping.
  public var wait: Bool

  /// A deactivation.
  public init(wait: Bool = false) { self.wait = wait }

  init(_ params: ParamsReader) throws(WireError) { wait = try params["wait"]?.boolean() ?? false }
}

/// Params of `subscribe`.
public struct SubscribeParams: Encodable, Sendable, Equatable {
  /// The topics, each once. None at all is a subscription too: its answer has the snapshot, and no event follows.
  public var topics: [Topic]

  /// A subscription to some topics.
  public init(topics: [Topic] = Topic.defaults) { self.topics = topics }

  init(_ params: ParamsReader) throws(WireError) {
    guard let list = try params["topics"]?.list() else {
      topics = Topic.defaults
      return
    }
    topics = []
    for element in list {
      let topic = try element.word(Topic.self)
      if !topics.contains(topic) { topics.append(topic) }
    }
  }
}

/// Params of `unregister`: all or none.
public struct UnregisterParams: Encodable, Sendable, Equatable {
  /// The names to take away, each once.
  public var names: [String]

  /// A request to take names away.
  public init(names: [String]) { self.names = names }

  init(_ params: ParamsReader) throws(WireError) { names = try params.required("names").initializerNames() }
}

/// Params of `logs`.
public struct LogsParams: Encodable, Sendable, Equatable {
  /// Whose lines; nil for everybody's.
  public var initializer: String?
  /// How many of the last lines.
  public var limit: Int

  /// A request for the last lines.
  public init(initializer: String? = nil, limit: Int = 1000) {
    self.initializer = initializer
    self.limit = limit
  }

  init(_ params: ParamsReader) throws(WireError) {
    initializer = try params["initializer"]?.initializerName()
    limit = try params["limit"]?.positiveInteger() ?? 1000
  }
}

/// Params of `history`.
public struct HistoryParams: Encodable, Sendable, Equatable {
  /// How many of the last passes.
  public var limit: Int

  /// A request for the last passes.
  public init(limit: Int = 1) { self.limit = limit }

  init(_ params: ParamsReader) throws(WireError) { limit = try params["limit"]?.positiveInteger() ?? 1 }
}
