/// A dependency graph, whose nodes are numbered from 0.
enum Shape: String, CaseIterable {
  /// Each node depends on the previous one.
  case chain
  /// All nodes depend on the first, and the last on all others.
  case fan
  /// Layers of 100; each node depends on two of the layer below.
  case layers

  /// Returns the dependencies of a node, in a graph of `count` nodes.
  func dependencies(of number: Int, count: Int) -> [Int] {
    switch self {
    case .chain:
      number == 0 ? [] : [number - 1]
    case .fan:
      number == 0 ? [] : number < count - 1 ? [0] : Array(1..<number)
    case .layers:
      number < 100 ? [] : [number / 100 * 100 - 100 + number % 100, number / 100 * 100 - 100 + (number + 1) % 100]
    }
  }
}
