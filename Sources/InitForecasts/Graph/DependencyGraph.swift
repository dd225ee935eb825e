package import InitModel
internal import InitTimeline
package import InitWire

/// Initializers and their dependencies, by index.
package struct DependencyGraph: Sendable {
  /// The direction from an initializer to others.
  package enum Direction: Sendable {
    /// The initializers that the named one depends on, directly or indirectly.
    case needs
    /// The initializers that depend on the named one, directly or indirectly.
    case neededBy
  }

  /// An initializer.
  package struct Node: Sendable {
    /// The name, phase, provider and status.
    package let shape: InitializerGraph.Node
    /// The indexes of the node's dependencies, in the order listed, each once.
    package fileprivate(set) var needs: [Int] = []
    /// The indexes of the node's dependents, in their order, each once.
    package fileprivate(set) var neededBy: [Int] = []

    package var name: String { shape.name }

    /// Returns the indexes of the neighbours in a direction.
    package func neighbours(_ direction: Direction) -> [Int] {
      switch direction {
      case .needs: needs
      case .neededBy: neededBy
      }
    }
  }

  /// The initializers, in the order of registration.
  ///
  /// Undeclared names come last.
  package private(set) var nodes: [Node] = []
  private var indexes: [String: Int] = [:]

  /// Creates a graph.
  ///
  /// An edge to an unknown name adds a node that has only the name. A second edge between the same two nodes is ignored.
  package init(_ shape: InitializerGraph) {
    nodes.reserveCapacity(shape.nodes.count)
    indexes.reserveCapacity(shape.nodes.count)
    for node in shape.nodes { add(node) }
    for edge in shape.edges {
      let from = index(of: edge.from)
      let to = index(of: edge.to)
      nodes[from].needs.append(to)
    }
    var dependent = [Int?](repeating: nil, count: nodes.count)
    for index in nodes.indices {
      nodes[index].needs.removeAll { need in
        defer { dependent[need] = index }
        return dependent[need] == index
      }
      for need in nodes[index].needs { nodes[need].neededBy.append(index) }
    }
  }

  /// Returns the index of a name; `nil` if no node has it.
  package subscript(name: String) -> Int? { indexes[name] }

  /// The graph in the form that programs read.
  package var shape: InitializerGraph {
    InitializerGraph(
      nodes: nodes.map(\.shape),
      edges: nodes.flatMap { node in node.needs.map { InitializerGraph.Edge(from: node.name, to: nodes[$0].name) } })
  }

  /// Returns the graph of one initializer, the initializers around it in these directions, and all dependencies between them.
  package func around(_ index: Int, _ directions: [Direction]) -> DependencyGraph {
    var kept = [Bool](repeating: false, count: nodes.count)
    for direction in directions {
      var reached = [Bool](repeating: false, count: nodes.count)
      var open = [index]
      reached[index] = true
      while let next = open.popLast() {
        kept[next] = true
        for neighbour in nodes[next].neighbours(direction) where !reached[neighbour] {
          reached[neighbour] = true
          open.append(neighbour)
        }
      }
    }
    let edges = nodes.indices.filter { kept[$0] }.flatMap { from in
      nodes[from].needs.filter { kept[$0] }.map { InitializerGraph.Edge(from: nodes[from].name, to: nodes[$0].name) }
    }
    return DependencyGraph(
      InitializerGraph(nodes: nodes.indices.filter { kept[$0] }.map { nodes[$0].shape }, edges: edges))
  }

  private mutating func index(of name: String) -> Int { indexes[name] ?? add(InitializerGraph.Node(name: name)) }

  @discardableResult
  private mutating func add(_ shape: InitializerGraph.Node) -> Int {
    indexes[shape.name] = nodes.count
    nodes.append(Node(shape: shape))
    return nodes.count - 1
  }
}

extension InitializerGraph {
  /// Creates the graph of a supervisor, with statuses.
  package init(_ status: Status) {
    self.init(
      nodes: status.initializers.map {
        InitializerGraph.Node(
          name: $0.name, priority: $0.priority, provider: $0.provider, status: $0.status, optional: $0.optional)
      },
      edges: status.initializers.flatMap { each in
        each.dependencies.map { InitializerGraph.Edge(from: each.name, to: $0) }
      })
  }
}
