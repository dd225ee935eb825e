internal import CommandLineOptions
internal import InitClient
internal import InitForecasts
internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `plan`: prints the initializers that a launch and an activation would run.
struct PlanCommand: SupervisorCommand {
  static let help = CommandHelp(
    "plan", "Show the initializers that a launch and an activation would run, in order, without running them.",
    discussion: """
      The order is the order with one initializer at a time. With a higher concurrency, several start at once: the first ones whose \
      dependencies are complete. For a pass in flight, only the remaining initializers are shown. If a pass would fail before it runs an \
      initializer, plan says why, with status 1.

      Examples:
        initctl plan
        initctl plan --config init.yaml --json
      """)

  private var config: [String] = []
  private var profiles: [String] = []
  private var json = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "config", &config, .file(),
      help:
        "Show the plan of this manifest, without a supervisor. Default: what the supervisor has; if none runs, the init.yaml of this folder, or of the nearest one above. Can be repeated."
    )
    try options.option(
      "profile", &profiles, .text("name"),
      help: "With --config, also select entries with this profile. Can be repeated.")
    try options.flag("json", &json, help: "Print the names as JSON, on one line.")
    try connection.visit(&options)
  }

  func run() throws {
    let config = config.isEmpty ? try manifestWithoutSupervisor() : config
    guard !config.isEmpty else { return try runOnSupervisor() }
    let manifest: CheckedManifest = try ManifestProgram(
      checking: config, profiles: profiles, ["--format", "json"]
    ).read()
    try show(manifest.plan, DependencyGraph(manifest.graph), concurrency: manifest.concurrency, idle: "nothing")
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let status = try await client.send(StatusRequest())
    let passes = Phase.allCases.map { (phase: $0, pass: UpcomingPass($0, status)) }
    try show(
      PlannedPasses(status), DependencyGraph(InitializerGraph(status)), concurrency: status.concurrency,
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

  /// `idle` is the text for a launch that would run nothing.
  private func show(_ plan: PlannedPasses, _ graph: DependencyGraph, concurrency: Int, idle: String) throws {
    guard !json else { return try Console.write(JSONLine.line(plan)) }
    let table = PlanTable(graph, concurrency: concurrency, terminal: .current)
    let lines = table.lines(.launch, plan.launch, idle: idle) + table.lines(.active, plan.active, idle: "nothing")
    try Console.write(lines.map { $0 + "\n" }.joined())
  }
}
