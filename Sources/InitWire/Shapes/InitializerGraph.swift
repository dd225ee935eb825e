package import InitJSON
package import InitModel
package import InitWords

/// A dependency graph (`initctl graph`).
package struct InitializerGraph: Sendable, Equatable {
  /// The initializers, in the order of registration.
  package var nodes: [InitializerGraph.Node] = []
  /// The dependencies.
  package var edges: [InitializerGraph.Edge] = []

  package init() {}

  package init(nodes: [InitializerGraph.Node], edges: [InitializerGraph.Edge]) {
    self.nodes = nodes
    self.edges = edges
  }
}

extension InitializerGraph {
  /// An initializer in a graph.
  ///
  /// An undeclared one has only a name.
  package struct Node: Sendable, Equatable {
    package var name = ""
    /// The phase that the initializer belongs to.
    package var priority: Word<Priority>?
    /// The kind of the initializer's provider.
    package var provider: Word<ProviderKind>?
    /// The current activity; `idle` in the graph of a manifest.
    package var status: Word<InitializerStatus>?
    /// Whether its failure doesn't fail the phase; `nil` for false.
    package var optional: Bool?

    package init() {}

    /// Describes an initializer.
    package init(
      name: String, priority: Word<Priority>? = nil, provider: Word<ProviderKind>? = nil,
      status: Word<InitializerStatus>? = nil, optional: Bool? = nil
    ) {
      self.name = name
      self.priority = priority
      self.provider = provider
      self.status = status
      self.optional = optional
    }
  }
}

extension InitializerGraph {
  /// A dependency: `from` depends on `to`.
  package struct Edge: Sendable, Equatable {
    /// The dependent.
    package var from = ""
    /// The dependency.
    package var to = ""

    package init() {}

    /// Describes a dependency.
    package init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }
}

extension InitializerGraph: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("nodes", &nodes)
    try json.required("edges", &edges)
  }
}

extension InitializerGraph.Node: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.optional("priority", &priority)
    try json.optional("provider", &provider)
    try json.optional("status", &status)
    try json.optional("optional", &optional)
  }
}

extension InitializerGraph.Edge: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("from", &from)
    try json.required("to", &to)
  }
}
