internal import CommandLineOptions
internal import InitClient
internal import InitTimeline
internal import InitWire

/// `plan`: prints what a launch and an activation would run.
struct PlanCommand: SupervisorCommand {
  static let help = CommandHelp(
    "plan", "Show what a launch and an activation would run, in order, without running it.",
    discussion: """
      The order is the order with one initializer at a time. With a higher concurrency, of those whose dependencies are complete the \
      first ones start. Of a pass in flight, the rest is shown. If a pass would fail before it runs anything, plan says why, with \
      status 1.

      Examples:
        initctl plan
        initctl plan --config init.yaml --json
      """)

  private var config: String?
  private var json = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "config", &config, .text("file"), help: "Show the plan of this manifest, without a supervisor.")
    try options.flag("json", &json, help: "Print the names as JSON, on one line.")
    try connection.visit(&options)
  }

  func run() throws {
    guard let config else { return try runOnSupervisor() }
    let manifest = try ManifestProgram(checking: config).read()
    try show(manifest.plan, DependencyGraph(manifest.graph), concurrency: manifest.concurrency, idle: "nothing")
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let status = try await client.status()
    let passes = Phase.allCases.map { (phase: $0, pass: UpcomingPass($0, status)) }
    try show(
      PlanShape(status), DependencyGraph(GraphShape(status)), concurrency: status.concurrency,
      idle: status.launch.state == .complete ? "nothing: launch is complete" : "nothing")
    for (phase, pass) in passes {
      if let failure = pass.failure { Console.complain("the \(phase.rawValue) pass would fail: \(failure)") }
      if !pass.undeclared.isEmpty {
        Console.complain(
          "the \(phase.rawValue) pass would wait until a worker registers \(pass.undeclared.joined(separator: ", "))")
      }
    }
    return passes.contains { $0.pass.failure != nil } ? .failure : .success
  }

  /// - Parameter idle: what is said of a launch that would run nothing.
  private func show(_ plan: PlanShape, _ graph: DependencyGraph, concurrency: Int, idle: String) throws {
    guard !json else { return try Console.write(JSONLine.line(plan)) }
    let lines =
      PlanTable(graph, concurrency: concurrency).lines(.launch, plan.launch, idle: idle)
      + PlanTable(graph, concurrency: concurrency).lines(.active, plan.active, idle: "nothing")
    try Console.write(lines.map { $0 + "\n" }.joined())
  }
}

/// A plan as text: a numbered line for each initializer.
struct PlanTable {
  private let graph: DependencyGraph
  private let concurrency: Int

  init(_ graph: DependencyGraph, concurrency: Int) {
    (self.graph, self.concurrency) = (graph, concurrency)
  }

  /// The lines of a phase, without newlines.
  ///
  /// - Parameter idle: what is said if there are no names.
  func lines(_ phase: Phase, _ names: [String], idle: String) -> [String] {
    guard !names.isEmpty else { return ["\(phase.rawValue): \(idle)"] }
    let title = "\(phase.rawValue): \(names.count) initializer\(names.count == 1 ? "" : "s"), \(concurrency) at a time"
    let digits = "\(names.count)".count
    let width = names.reduce(0) { max($0, TextWidth.columns(TerminalText.escape($1))) }
    let places = names.map { graph[$0] }
    return [title]
      + zip(names, places).enumerated().map { index, pair in
        let (name, place) = pair
        let number = "\(index + 1)"
        var line = "  " + String(repeating: " ", count: digits - number.count) + number + "  "
        line += TextWidth.pad(TerminalText.escape(name), to: width)
        guard let node = place.map({ graph.nodes[$0] }) else { return line }
        line += "  \(node.shape.details[1])"
        let needs = node.needs.map { TerminalText.escape(graph.nodes[$0].name) }
        if !needs.isEmpty { line += " after \(needs.joined(separator: ", "))" }
        return line
      }
  }
}
