import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

/// A graph of commands: each name with its dependencies.
private func graph(_ needs: KeyValuePairs<String, [String]>) -> DependencyGraph {
  DependencyGraph(
    InitializerGraph(
      nodes: needs.map {
        InitializerGraph.Node(
          name: $0.key, priority: .known(.appLaunch), provider: .known(.command), status: .known(.complete))
      },
      edges: needs.flatMap { name, needs in needs.map { InitializerGraph.Edge(from: name, to: $0) } }))
}

@Suite("DependencyGraph")
struct DependencyGraphTests {
  @Test("Each edge counts once, and leads both ways")
  func edges() {
    let graph = graph(["a": [], "b": ["a", "a"], "c": ["b", "a", "b"]])
    #expect(graph.nodes.map(\.needs) == [[], [0], [1, 0]])
    #expect(graph.nodes.map(\.neededBy) == [[1, 2], [2], []])
    #expect(graph.shape.edges.map { "\($0.from)>\($0.to)" } == ["b>a", "c>b", "c>a"])
  }

  @Test("A dependency that nobody has declared is a node with a name alone")
  func undeclared() {
    let graph = graph(["a": ["z"]])
    #expect(graph.shape.nodes.last == InitializerGraph.Node(name: "z"))
    #expect(graph["z"] == 1)
    #expect(graph["y"] == nil)
  }

  @Test("Around an initializer are those that it needs, those that need it, or both, with all edges between them")
  func around() throws {
    let graph = graph(["a": [], "b": ["a"], "c": ["b"], "d": ["c", "a"], "other": ["a"]])
    let place = try #require(graph["c"])
    #expect(graph.around(place, [.needs]).nodes.map(\.name) == ["a", "b", "c"])
    #expect(graph.around(place, [.neededBy]).nodes.map(\.name) == ["c", "d"])
    let both = graph.around(place, [.needs, .neededBy])
    #expect(both.nodes.map(\.name) == ["a", "b", "c", "d"])
    #expect(both.shape.edges.map { "\($0.from)>\($0.to)" } == ["b>a", "c>b", "d>c", "d>a"])
  }

  @Test("A cycle and a long chain end the walk")
  func cycle() throws {
    let graph = graph(["a": ["b"], "b": ["a"], "c": ["a"]])
    #expect(graph.around(try #require(graph["a"]), [.needs]).nodes.map(\.name) == ["a", "b"])
    let count = 20_000
    let chain = DependencyGraph(
      InitializerGraph(
        nodes: (0..<count).map { InitializerGraph.Node(name: "n\($0)") },
        edges: (1..<count).map { InitializerGraph.Edge(from: "n\($0)", to: "n\($0 - 1)") }))
    #expect(chain.around(count - 1, [.needs]).nodes.count == count)
  }

  @Test("In dot, names are quoted, and a quote or a backslash in a name is escaped")
  func dot() {
    let lines = graph([#"a"\b"#: [], "end": [#"a"\b"#]]).dot.split(separator: "\n")
    #expect(lines.first == "digraph initializers {" && lines.last == "}")
    #expect(lines.contains(##"  "a\"\\b" [label="a\"\\b\ncomplete", fillcolor="#d2f4d9"];"##))
    #expect(lines.contains(#"  "end" -> "a\"\\b";"#))
  }

  @Test("In Mermaid, nodes are numbers, and characters that could be markup are written by their numbers")
  func mermaid() {
    let lines = graph([#"a"<b>#;"#: [], "end": [#"a"<b>#;"#]]).mermaid.split(separator: "\n")
    #expect(lines.first == "flowchart LR")
    #expect(lines.contains(##"  n0["a#34;#60;b#62;#35;#59;<br/>complete"]:::complete"##))
    #expect(lines.contains(#"  n1["end<br/>complete"]:::complete"#))
    #expect(lines.contains("  n1 --> n0"))
    #expect(lines.contains("  classDef complete fill:#d2f4d9,stroke:#57606a,color:#1f2328"))
  }

  @Test("Phases and undeclared names have shapes of their own in both languages")
  func shapes() {
    let graph = DependencyGraph(
      InitializerGraph(
        nodes: [InitializerGraph.Node(name: "a", priority: .known(.appActive), status: .known(.idle))],
        edges: [InitializerGraph.Edge(from: "a", to: "z")]))
    #expect(graph.dot.contains(##""a" [fillcolor="#ffffff", shape=ellipse];"##))
    #expect(graph.dot.contains(##""z" [label="z\nnot declared", fillcolor="#ffffff", style="rounded,dashed"];"##))
    #expect(graph.mermaid.contains(#"n0(["a"]):::idle"#))
    #expect(graph.mermaid.contains("n1[\"z<br/>not declared\"]:::undeclared"))
  }
}
