internal import CommandLineOptions
internal import InitClient
internal import InitWire

/// `unregister`: removes names that have no provider any more.
struct UnregisterCommand: SupervisorCommand {
  static let help = CommandHelp(
    "unregister", "Remove initializers whose worker is gone, so nothing waits for them.",
    discussion: """
      A worker that was killed leaves its names behind, because it may come back. All of the given names are removed, or none: it is \
      refused if one of them has a provider. A name that the manifest declares stays. What a removed initializer has completed and its output \
      are forgotten.

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

  func validate() throws(UsageError) {
    if names.isEmpty { throw UsageError("missing name; give the names of the initializers to remove") }
    var seen: Set<String> = []
    if let twice = names.first(where: { !seen.insert($0).inserted }) {
      throw UsageError("\"\(twice)\" is given twice; give each name once")
    }
  }

  func run(on client: Client) async throws -> ProgramStatus {
    do throws(ClientError) {
      try await client.unregister(names)
    } catch {
      guard case .refused(let refusal) = error, refusal.knownCode == .unknownInitializer else { throw error }
      let known = try await client.status().initializers.map(\.name)
      let unknown = names.first { !known.contains($0) } ?? names[0]
      return UnknownName.complain(of: unknown, among: known, remedy: "initctl status lists them")
    }
    let known = Set(try await client.status().initializers.map(\.name))
    for name in names where known.contains(name) {
      Console.complain("\(name) stays: the manifest declares it, or a worker has registered it again")
    }
    return .success
  }
}
