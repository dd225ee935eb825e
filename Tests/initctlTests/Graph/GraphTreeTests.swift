import InitForecasts
import InitModel
import InitText
import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

private func graph(_ needs: KeyValuePairs<String, [String]>) -> DependencyGraph {
  DependencyGraph(
    InitializerGraph(
      nodes: needs.map {
        InitializerGraph.Node(
          name: $0.key, priority: .known(.appLaunch), provider: .known(.command), status: .known(.complete))
      },
      edges: needs.flatMap { name, needs in needs.map { InitializerGraph.Edge(from: name, to: $0) } }))
}

private let pipe = OutputTerminal(size: nil, hasColor: false)

@Suite("GraphTree")
struct GraphTreeTests {
  private let diamond = graph(["a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": ["d", "z"]])

  @Test("Below each initializer stand those that it needs; what stands above isn't repeated")
  func needs() {
    #expect(
      GraphTree(diamond, terminal: pipe).lines(.needs).joined(separator: "\n") == """
        e           complete      command  launch
        ├─ d        complete      command  launch
        │  ├─ b     complete      command  launch
        │  │  └─ a  complete      command  launch
        │  └─ c     complete      command  launch
        │     └─ a
        └─ z        not declared
        """)
  }

  @Test("The other way round, below each stand those that need it")
  func neededBy() {
    #expect(
      GraphTree(graph(["a": [], "b": ["a"], "c": ["b", "a"], "d": ["b"]]), terminal: pipe).lines(.neededBy).joined(
        separator: "\n") == """
          a        complete  command  launch
          ├─ b     complete  command  launch
          │  ├─ c  complete  command  launch
          │  └─ d  complete  command  launch
          └─ c
          """)
  }

  @Test("Around one initializer both directions are shown")
  func around() throws {
    #expect(
      GraphTree(diamond, terminal: pipe).lines(around: try #require(diamond["b"]), [.needs, .neededBy]).joined(
        separator: "\n") == """
          b        complete  command  launch
          needs:
          └─ a     complete  command  launch
          needed by:
          └─ d     complete  command  launch
             └─ e  complete  command  launch
          """)
  }

  @Test("A cycle is shown, and ends")
  func cycle() {
    #expect(
      GraphTree(graph(["a": ["b"], "b": ["a"]]), terminal: pipe).lines(.needs).joined(separator: "\n") == """
        a     complete  command  launch
        └─ b  complete  command  launch
           └─ a  (see above)
        """)
  }

  @Test("Lines are at most initializers and dependencies; a long chain goes on below the deepest level")
  func linear() {
    let count = 2000
    let chain = DependencyGraph(
      InitializerGraph(
        nodes: (0..<count).map { InitializerGraph.Node(name: "n\($0)") },
        edges: (1..<count).flatMap { index in
          Set([1, 2, 3].map { max(0, index - $0) }).map { InitializerGraph.Edge(from: "n\(index)", to: "n\($0)") }
        }))
    let lines = GraphTree(chain, terminal: pipe).lines(.needs)
    let edges = chain.nodes.reduce(0) { $0 + $1.needs.count }
    #expect(lines.count <= count + edges)
    #expect(lines.allSatisfy { $0.count < 120 })
    #expect(lines.contains { $0.hasSuffix("(see below)") })
    for name in ["n0", "n1000", "n1999"] {
      #expect(lines.contains { $0.split(separator: " ").contains { $0 == name } }, "\(name)")
    }
  }

  @Test("On a terminal no line is wider than the window, and only the status is coloured")
  func terminal() {
    for columns in [40, 60, 80] {
      let terminal = OutputTerminal(size: .init(columns: columns, rows: 24), hasColor: false)
      for line in GraphTree(diamond, terminal: terminal).lines(.needs) { #expect(TextWidth.columns(line) <= columns) }
    }
    let colored = GraphTree(diamond, terminal: OutputTerminal(size: nil, hasColor: true)).lines(.needs)
    #expect(colored[0] == "e           \u{1B}[32mcomplete    \u{1B}[0m  command  launch")
  }

  @Test("An empty graph is said to be empty")
  func empty() { #expect(GraphTree(graph([:]), terminal: pipe).lines(.needs) == ["no initializers"]) }
}

@Suite("PlanTable")
struct PlanTableTests {
  @Test("Initializers are numbered, with their providers and dependencies")
  func table() {
    let table = PlanTable(graph(["a": [], "b": ["a"]]), concurrency: 2, terminal: pipe)
    #expect(
      table.lines(.launch, ["a", "b"], idle: "nothing").joined(separator: "\n") == """
        launch: 2 initializers, 2 at a time
          1  a  command
          2  b  command  after a
        """)
    #expect(table.lines(.active, [], idle: "nothing: launch is complete") == ["active: nothing: launch is complete"])
  }
}
