import WebStatus

/// The graph of dependencies as a picture: initializers without dependencies are on the left.
struct GraphPicture {
  private static let size = (width: 168.0, height: 26.0, column: 220.0, row: 34.0)

  private let nodes: [StatusDocument.Item]
  /// The column of each node: one further than its furthest dependency.
  let columns: [Int]
  private let rows: [Int]
  private let dependencies: [[Int]]

  init(_ initializers: [StatusDocument.Item]) {
    nodes = initializers
    let places = Dictionary(initializers.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    dependencies = initializers.map { $0.dependencies.compactMap { places[$0] } }
    columns = Self.columns(dependencies)
    rows = Self.rows(dependencies, columns)
  }

  private static func columns(_ dependencies: [[Int]]) -> [Int] {
    var columns = Array(repeating: 0, count: dependencies.count)
    // Each round moves nodes behind their dependencies; with a cycle it ends after as many rounds as there are nodes.
    var changed = true
    for _ in dependencies.indices where changed {
      changed = false
      for (node, needs) in dependencies.enumerated() {
        let column = needs.map { columns[$0] + 1 }.max() ?? 0
        guard column > columns[node], column < dependencies.count else { continue }
        columns[node] = column
        changed = true
      }
    }
    return columns
  }

  /// In each column, nodes are ordered by the positions of their dependencies.
  private static func rows(_ dependencies: [[Int]], _ columns: [Int]) -> [Int] {
    var rows = Array(repeating: 0, count: dependencies.count)
    for column in 0...(columns.max() ?? 0) {
      var members: [(mean: Double, node: Int)] = []
      for node in dependencies.indices where columns[node] == column {
        let needs = dependencies[node]
        let mean = needs.isEmpty ? Double(node) : Double(needs.map { rows[$0] }.reduce(0, +)) / Double(needs.count)
        members.append((mean, node))
      }
      members.sort(by: <)
      for (row, member) in members.enumerated() { rows[member.node] = row }
    }
    return rows
  }

  var html: HTML {
    let size = Self.size
    let width = Double((columns.max() ?? 0)) * size.column + size.width + 2
    let height = Double((rows.max() ?? 0)) * size.row + size.height + 2
    let place = { (node: Int) in
      (x: Double(columns[node]) * size.column + 1, y: Double(rows[node]) * size.row + 1)
    }
    var edges: [HTML] = []
    for (node, needs) in dependencies.enumerated() {
      for need in needs {
        let (from, to) = (place(need), place(node))
        let (x1, y1) = (from.x + size.width, from.y + size.height / 2)
        let (x2, y2) = (to.x, to.y + size.height / 2)
        edges.append(
          """
          <path class="edge" d="M\(x1.attribute) \(y1.attribute)C\((x1 + 26).attribute) \(y1.attribute) \
          \((x2 - 26).attribute) \(y2.attribute) \(x2.attribute) \(y2.attribute)"/>

          """)
      }
    }
    let boxes = nodes.indices.map { node -> HTML in
      let (x, y) = place(node)
      let each = nodes[node]
      let name = each.name.count > 22 ? String(each.name.prefix(21)) + "…" : each.name
      return """
        <g id="g-\(each.name)" class="node" data-kind="\(each.status)"><title>\(each.name): \(each.status)</title>\
        <rect x="\(x.attribute)" y="\(y.attribute)" width="\(size.width.attribute)" height="\(size.height.attribute)" rx="5"/>\
        <text x="\((x + 8).attribute)" y="\((y + 17).attribute)">\(name)</text></g>

        """
    }
    return """
      <div class="scroll" tabindex="0" role="region" aria-labelledby="graph">
      <svg class="graph" width="\(width.attribute)" height="\(height.attribute)" viewBox="0 0 \(width.attribute) \(height.attribute)" \
      role="img" aria-label="Graph of \(nodes.count) initializers; the list above has their states">
      \(edges)\(boxes)</svg></div>
      \(Document.scrollNote)
      """
  }
}
