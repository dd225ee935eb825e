internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `start`: starts what was stopped.
struct StartCommand: WaitingCommand {
  static let help = CommandHelp(
    "start", "Start processes that were stopped, given up or have ended: all of them, or none.",
    discussion: """
      A start waits for what the process depends on. The delay between restarts begins again at its shortest. --wait waits until they are \
      ready; a process without ready only has to be started.

      Examples:
        initctl start web
        initctl start web queue --wait --timeout 30s
      """)

  private var names: [String] = []
  var waiting = WaitingOptions()
  var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments("name", &names, .initializerOrProcessName, help: "The processes to start.")
    try waiting.visit(&options)
    try connection.visit(&options)
  }

  func validate() throws(UsageError) { try names.validate(to: "start") }

  func run(on client: Client) async throws -> ProgramStatus {
    let result: ProcessChanges
    do throws(ClientError) {
      result = try await client.send(StartRequest(names: names), within: waiting.timeout)
    } catch {
      return try await UnknownName.complain(of: names, after: error, on: client)
    }
    let waits = try await Situation(client.status()).waits
    try Console.write(
      result.lines(unchanged: "runs already") { waits[$0].map { "\($0), and starts then" } ?? "started" })
    return try await client.awaitProcesses(names, waiting)
  }
}

extension Situation {
  /// Why processes that aren't stopped don't run: `waits for init-db`, by their names.
  fileprivate var waits: [String: String] {
    (status.processes ?? []).reduce(into: [:]) { waits, process in
      guard process.pid == nil else { return }
      let open = initializer(process.name).map { openDependencies(of: $0) } ?? process.waitsFor ?? []
      if !open.isEmpty { waits[process.name] = TerminalText.escape("waits for \(Phrases.list(open))") }
    }
  }
}
