internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire
internal import InitWords

/// `rerun`: runs initializers again.
struct RerunCommand: WaitingCommand {
  static let help = CommandHelp(
    "rerun", "Run initializers again, in a pass of their phase after the one in flight.",
    discussion: """
      An active initializer can run again only while the app is active. A dependent that doesn't run again becomes stale: it may have used \
      results that are replaced. initctl status shows that. A process is stopped and started again; with onRestart: rerun, its dependents \
      also run again.

      Examples:
        initctl rerun migrate
        initctl rerun migrate --with-dependents --wait --timeout 1m
      """)

  private var names: [String] = []
  private var withDependents = false
  var waiting = WaitingOptions()
  var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments("name", &names, .initializerName, help: "The initializers to run again.")
    try options.flag(
      "with-dependents", &withDependents, help: "Also run their direct and indirect dependents again.")
    try waiting.visit(&options)
    try connection.visit(&options)
  }

  func validate() throws(UsageError) { try names.validate(to: "run again") }

  func run(on client: Client) async throws -> ProgramStatus {
    let passes: [Int]
    do throws(ClientError) {
      passes = try await client.send(
        RerunRequest(initializers: names, withDependents: withDependents), within: waiting.timeout
      ).passes
    } catch {
      return try await UnknownName.complain(of: names, after: error, on: client)
    }
    guard waiting.wait else { return .success }
    return try await client.await(
      passes.map { .pass($0) }, isAny: false, timeout: waiting.timeout, appear: false)
  }
}
