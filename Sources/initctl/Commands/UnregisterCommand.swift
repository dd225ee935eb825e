internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitWire

/// `unregister`: removes names that have no provider any more.
struct UnregisterCommand: SupervisorCommand {
  static let help = CommandHelp(
    "unregister", "Remove initializers whose worker is gone, so nothing waits for them.",
    discussion: """
      A worker that was killed leaves its names behind, because it may come back. All of the given names are removed, or none: it is \
      refused if one of them has a provider. A name that the manifest declares stays. The completion and the output of a removed \
      initializer are forgotten.

      Examples:
        initctl unregister favorites
        initctl unregister shelf:stock shelf:prices
      """)

  private var names: [String] = []
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments("name", &names, .initializerName, help: "The initializers to remove.")
    try connection.visit(&options)
  }

  func validate() throws(UsageError) { try names.validate(to: "remove") }

  func run(on client: Client) async throws -> ProgramStatus {
    do throws(ClientError) {
      try await client.send(UnregisterRequest(names: names))
    } catch {
      return try await UnknownName.complain(of: names, after: error, on: client)
    }
    let known = Set(try await client.send(StatusRequest()).initializers.map(\.name))
    for name in names where known.contains(name) {
      Console.complain("\(name) stays: the manifest declares it, or a worker has registered it again")
    }
    return .success
  }
}
