/// A dependency graph (`initctl graph`).
public struct GraphShape: Sendable, Equatable {
  /// The initializers, in the order of registration.
  public var nodes: [GraphNodeShape] = []
  /// The dependencies.
  public var edges: [GraphEdgeShape] = []

  /// An empty value, to be filled by reading.
  package init() {}

  /// A graph.
  public init(nodes: [GraphNodeShape], edges: [GraphEdgeShape]) {
    self.nodes = nodes
    self.edges = edges
  }
}

/// An initializer in a graph. One that nobody has declared has only a name.
public struct GraphNodeShape: Sendable, Equatable {
  /// Its name.
  public var name = ""
  /// The phase it belongs to.
  public var priority: Word<Priority>?
  /// The kind of its provider.
  public var provider: Word<ProviderKind>?
  /// What it is doing; `idle` in the graph of a manifest.
  public var status: Word<InitializerStatus>?

  /// An empty value, to be filled by reading.
  package init() {}

  /// An initializer.
  public init(
    name: String, priority: Word<Priority>? = nil, provider: Word<ProviderKind>? = nil,
    status: Word<InitializerStatus>? = nil
  ) {
    self.name = name
    self.priority = priority
    self.provider = provider
    self.status = status
  }
}

/// A dependency: `from` depends on `to`.
public struct GraphEdgeShape: Sendable, Equatable {
  /// The dependent.
  public var from = ""
  /// The dependency.
  public var to = ""

  /// An empty value, to be filled by reading.
  package init() {}

  /// A dependency.
  public init(from: String, to: String) {
    self.from = from
    self.to = to
  }
}

extension GraphShape: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("nodes", &nodes)
    try json.required("edges", &edges)
  }
}

extension GraphNodeShape: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.optional("priority", &priority)
    try json.optional("provider", &provider)
    try json.optional("status", &status)
  }
}

extension GraphEdgeShape: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("from", &from)
    try json.required("to", &to)
  }
}
