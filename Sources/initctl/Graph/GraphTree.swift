internal import InitForecasts
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// A dependency graph as text: trees of names, and the details of each initializer in columns.
///
/// The number of lines is at most the number of initializers and dependencies: if a name occurs again, the tree below it isn't repeated.
/// Below the deepest level, the tree continues in a tree of its own further down, so the length of a line is also bounded.
struct GraphTree {
  /// How many levels of a tree are indented.
  static let deepest = 20

  private let graph: DependencyGraph
  private let terminal: OutputTerminal

  init(_ graph: DependencyGraph, terminal: OutputTerminal) {
    self.graph = graph
    self.terminal = terminal
  }

  private var style: Style { Style(hasColor: terminal.hasColor) }

  /// Returns the whole graph, without newlines: a tree for each initializer to which no other leads.
  func lines(_ direction: DependencyGraph.Direction) -> [String] {
    guard !graph.nodes.isEmpty else { return ["no initializers"] }
    let back: DependencyGraph.Direction = direction == .needs ? .neededBy : .needs
    var walk = Walk(graph, direction)
    for index in graph.nodes.indices where graph.nodes[index].neighbours(back).isEmpty { walk.grow(from: index) }
    // Cycles, which have no such initializer.
    for index in graph.nodes.indices where !walk.isExpanded[index] { walk.grow(from: index) }
    return table(walk.rows)
  }

  /// Returns one initializer and the trees around it, without newlines.
  func lines(around index: Int, _ directions: [DependencyGraph.Direction]) -> [String] {
    if directions.count == 1, let direction = directions.first {
      var walk = Walk(graph, direction)
      walk.grow(from: index)
      return table(walk.rows)
    }
    var rows = [Row(index: index, text: TerminalText.escape(graph.nodes[index].name))]
    for direction in directions {
      let title = direction == .needs ? "needs" : "needed by"
      let isEmpty = graph.nodes[index].neighbours(direction).isEmpty
      rows.append(Row(index: nil, text: isEmpty ? "\(title): nothing" : "\(title):"))
      var walk = Walk(graph, direction)
      walk.grow(from: index)
      rows += walk.rows.dropFirst()
    }
    return table(rows)
  }

  private func table(_ rows: [Row]) -> [String] {
    let columns = terminal.size?.columns
    let details = rows.map { $0.index.map { graph.nodes[$0].shape.details } ?? [] }
    var width = rows.reduce(0) { $1.index == nil || $1.isRepeated ? $0 : max($0, TextWidth.columns($1.text)) }
    if let columns { width = min(width, max(12, columns * 2 / 3)) }
    let widths = (0..<2).map { column in
      details.reduce(0) { max($0, $1.indices.contains(column) ? TextWidth.columns($1[column]) : 0) }
    }
    return zip(rows, details).map { row, details in
      guard let index = row.index, !details.isEmpty, !row.isRepeated else {
        return columns.map { TextWidth.clip(row.text, to: $0) } ?? row.text
      }
      let name = TextWidth.pad(TextWidth.clip(row.text, to: width), to: width)
      var rest = "  " + TextWidth.pad(details[1], to: widths[1]) + "  " + details[2]
      while rest.hasSuffix(" ") { rest.removeLast() }
      let left = columns.map { max(0, $0 - width - 2 - widths[0]) }
      let status = rest.isEmpty ? details[0] : TextWidth.pad(details[0], to: widths[0])
      let painted = style.paint(status, graph.nodes[index].shape.color)
      return "\(name)  \(painted)\(left.map { TextWidth.clip(rest, to: $0) } ?? rest)"
    }
  }
}

/// A line of a tree.
private struct Row {
  /// The initializer; nil for a title.
  let index: Int?
  /// The branches of the tree and the name.
  let text: String
  /// Whether the details of the initializer are shown above.
  var isRepeated = false
}

/// A walk through the graph that makes the lines of trees.
///
/// The walk has a stack of its own, because a chain may be long.
private struct Walk {
  private struct Step {
    let index: Int
    let indent: String
    let branch: String
    let depth: Int
  }

  private let graph: DependencyGraph
  private let direction: DependencyGraph.Direction
  private(set) var rows: [Row] = []
  private(set) var isExpanded: [Bool]
  private var isShown: [Bool]

  init(_ graph: DependencyGraph, _ direction: DependencyGraph.Direction) {
    self.graph = graph
    self.direction = direction
    isExpanded = [Bool](repeating: false, count: graph.nodes.count)
    isShown = isExpanded
  }

  /// Appends the tree below an initializer, and the trees that continue below its deepest level.
  mutating func grow(from root: Int) {
    var roots = [root]
    var next = 0
    while next < roots.count {
      defer { next += 1 }
      guard !isExpanded[roots[next]] else { continue }
      var stack = [Step(index: roots[next], indent: "", branch: "", depth: 0)]
      while let step = stack.popLast() {
        let neighbours = graph.nodes[step.index].neighbours(direction)
        let isRepeated = isExpanded[step.index]
        let isTooDeep = step.depth >= GraphTree.deepest && !neighbours.isEmpty && !isRepeated
        let remark = neighbours.isEmpty ? "" : isRepeated ? "  (see above)" : isTooDeep ? "  (see below)" : ""
        let name = TerminalText.escape(graph.nodes[step.index].name)
        rows.append(
          Row(index: step.index, text: step.indent + step.branch + name + remark, isRepeated: isShown[step.index]))
        isShown[step.index] = true
        guard !isRepeated else { continue }
        if isTooDeep {
          roots.append(step.index)
          continue
        }
        isExpanded[step.index] = true
        let indent = step.indent + (step.branch.isEmpty ? "" : step.branch == "└─ " ? "   " : "│  ")
        for (index, neighbour) in neighbours.enumerated().reversed() {
          let branch = index == neighbours.count - 1 ? "└─ " : "├─ "
          stack.append(Step(index: neighbour, indent: indent, branch: branch, depth: step.depth + 1))
        }
      }
    }
  }
}

extension InitializerGraph.Node {
  /// The status, provider and phase, for people.
  var details: [String] {
    let phase: String =
      switch priority {
      case .known(.appLaunch): "launch"
      case .known(.appActive): "active"
      case .unknown(let word): TerminalText.escape(word)
      case nil: ""
      }
    let provider = provider?.phrase ?? ""
    let isExcused = status == .failed && optional == true
    return [(status?.phrase ?? "not declared") + (isExcused ? ", optional" : ""), provider, phase]
  }

  /// The colour of the initializer's status.
  var color: Style.Color? { status == nil ? .red : status?.known?.color }
}
