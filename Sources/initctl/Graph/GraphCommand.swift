internal import CommandLineOptions
internal import InitClient
internal import InitForecasts
internal import InitModel
internal import InitTimeline
internal import InitWire

/// `graph`: prints the dependency graph of the supervisor or of a manifest.
struct GraphCommand: SupervisorCommand {
  static let help = CommandHelp(
    "graph", "Show the dependency graph, with the status of each initializer.",
    discussion: """
      The text is a tree: the dependencies of an initializer are indented below it. Each initializer is shown in full once. After that, \
      "see above" follows its name if it has dependencies. In dot (Graphviz), mermaid and json, an edge leads from an initializer to its \
      dependency. Initializers of the active phase are round.

      With a name, only that initializer, its dependencies and its dependents are shown.

      Examples:
        initctl graph
        initctl graph menu --needs
        initctl graph --config init.yaml --format dot > graph.dot
      """)

  /// The language of the output.
  enum Format: String, CaseIterable { case text, dot, mermaid, json }

  private var name: String?
  private var config: [String] = []
  private var profiles: [String] = []
  private var format: Format?
  private var json = false
  private var needs = false
  private var neededBy = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .initializerName, help: "The initializer to show. Default: all.")
    try options.option(
      "config", &config, .file(),
      help:
        "Show the graph of this manifest, without a supervisor. Default: what the supervisor has; if none runs, the init.yaml of this folder, or of the nearest one above. Can be repeated."
    )
    try options.option(
      "profile", &profiles, .text("name"),
      help: "With --config, also select entries with this profile. Can be repeated.")
    try options.option(
      "format", &format, .word("format"), help: "The format: text, dot, mermaid or json (default: text).")
    try options.flag("json", &json, help: "Print JSON, as with --format json.")
    try options.flag(
      "needs", &needs,
      help: "Show what the initializer depends on. Without a name, draw the tree in this direction (default).")
    try options.flag(
      "needed-by", &neededBy,
      help: "Show what depends on the initializer. Without a name, draw the tree in this direction.")
    try connection.visit(&options)
  }

  func validate() throws(UsageError) {
    if needs, neededBy {
      throw UsageError("--needs and --needed-by can't be combined; omit both to show both directions")
    }
    if json, let format, format != .json {
      throw UsageError("--json and --format \(format.rawValue) can't be combined; give one of them")
    }
  }

  func run() throws {
    let config = config.isEmpty ? try manifestWithoutSupervisor() : config
    guard !config.isEmpty else { return try runOnSupervisor() }
    let manifest: CheckedManifest = try ManifestProgram(checking: config, profiles: profiles, ["--format", "json"])
      .read()
    let status = try show(manifest.graph)
    if status != .success { throw status }
  }

  func run(on client: Client) async throws -> ProgramStatus {
    try show(InitializerGraph(try await client.send(StatusRequest())))
  }

  private func show(_ shape: InitializerGraph) throws -> ProgramStatus {
    var graph = DependencyGraph(shape)
    if let name {
      guard let index = graph[name] else {
        return UnknownName.complain(
          of: name, among: graph.nodes.map(\.name), remedy: "initctl graph without a name shows all")
      }
      graph = graph.around(index, directions)
    }
    switch json ? .json : format ?? .text {
    case .text: try Console.write(tree(graph).joined(separator: "\n") + "\n")
    case .dot: try Console.write(graph.dot)
    case .mermaid: try Console.write(graph.mermaid)
    case .json: try Console.write(JSONLine.line(graph.shape))
    }
    return .success
  }

  private var directions: [DependencyGraph.Direction] {
    switch (needs, neededBy) {
    case (true, _): [.needs]
    case (_, true): [.neededBy]
    case (false, false): [.needs, .neededBy]
    }
  }

  private func tree(_ graph: DependencyGraph) -> [String] {
    let tree = GraphTree(graph, terminal: .current)
    guard let index = name.flatMap({ graph[$0] }) else { return tree.lines(neededBy ? .neededBy : .needs) }
    return tree.lines(around: index, directions)
  }
}
