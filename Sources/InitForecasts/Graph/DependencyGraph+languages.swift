internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

extension DependencyGraph {
  /// The graph in the language of Graphviz.
  ///
  /// An arrow points from an initializer to its dependency. Active initializers are ellipses.
  package var dot: String {
    var lines = [
      "digraph initializers {", "  rankdir=LR;",
      ##"  node [shape=box, style="filled,rounded", fillcolor="#ffffff", color="#57606a", fontname="sans-serif"];"##,
      ##"  edge [color="#57606a"];"##,
    ]
    lines.reserveCapacity(lines.count + nodes.count * 3)
    for node in nodes {
      let status = node.shape.label
      let label = status.isEmpty ? "" : "label=\"\(DependencyGraph.dot(node.name))\\n\(DependencyGraph.dot(status))\", "
      lines.append(
        "  \"\(DependencyGraph.dot(node.name))\" [\(label)fillcolor=\"\(node.shape.fill)\"\(node.shape.dotShape)];")
    }
    for node in nodes {
      for need in node.needs {
        lines.append("  \"\(DependencyGraph.dot(node.name))\" -> \"\(DependencyGraph.dot(nodes[need].name))\";")
      }
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  /// The graph in the language of Mermaid.
  ///
  /// An arrow points from an initializer to its dependency. Active initializers are stadiums.
  package var mermaid: String {
    var lines = ["flowchart LR"]
    lines.reserveCapacity(nodes.count * 3)
    var classes: [String: String] = [:]
    for (index, node) in nodes.enumerated() {
      let status = node.shape.label
      let label = DependencyGraph.mermaid(node.name) + (status.isEmpty ? "" : "<br/>" + DependencyGraph.mermaid(status))
      // Names such as "end" are keywords of the language, so nodes are named by numbers.
      let (open, close) = node.shape.isActive ? ("([", "])") : ("[", "]")
      lines.append("  n\(index)\(open)\"\(label)\"\(close):::\(node.shape.mermaidClass)")
      classes[node.shape.mermaidClass] = node.shape.fill
    }
    for (index, node) in nodes.enumerated() {
      for need in node.needs { lines.append("  n\(index) --> n\(need)") }
    }
    for (name, fill) in classes.sorted(by: { $0.key < $1.key }) {
      let dashes = name == "undeclared" ? ",stroke-dasharray:4" : ""
      lines.append("  classDef \(name) fill:\(fill),stroke:#57606a,color:#1f2328\(dashes)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Escapes a text within quotes.
  ///
  /// A backslash would begin an escape.
  private static func dot(_ text: String) -> String {
    var result = ""
    for character in TerminalText.escape(text) {
      if character == "\"" || character == "\\" { result += "\\" }
      result.append(character)
    }
    return result
  }

  /// Escapes a text within quotes.
  ///
  /// All characters that could be markup are written by their numbers.
  private static func mermaid(_ text: String) -> String {
    guard !text.utf8.allSatisfy(isPlain) else { return text }
    return TerminalText.escape(text).unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isASCII, !isPlain(UInt8(scalar.value)) {
        result += "#\(scalar.value);"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension InitializerGraph.Node {
  /// The second line of the initializer's box: the status, unless it has not run.
  fileprivate var label: String {
    switch status {
    case .known(.idle): ""
    case .known(let status): status.phrase
    case .unknown(let word): word
    case nil: "not declared"
    }
  }

  /// A light colour for the status, on which black text can be read.
  fileprivate var fill: String {
    switch status {
    case .known(.complete): "#d2f4d9"
    case .known(.failed): "#ffd3cf"
    case .known(.running): "#cfe8ff"
    case .known(.stopping), .known(.cancelled), .known(.notRun): "#fff1c2"
    case .known(.skipped): "#e4e4e4"
    case .known(.idle), .known(.waiting), .unknown, nil: "#ffffff"
    }
  }

  fileprivate var mermaidClass: String {
    switch status {
    case .known(let status): status.rawValue
    case .unknown: "unknown"
    case nil: "undeclared"
    }
  }

  fileprivate var dotShape: String {
    if status == nil { return ", style=\"rounded,dashed\"" }
    return isActive ? ", shape=ellipse" : ""
  }

  fileprivate var isActive: Bool { priority?.known == .appActive }
}
