internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// `port`: prints the numbers of the manifest's ports.
struct PortCommand: SupervisorCommand {
  static let help = CommandHelp(
    "port", "Print the numbers of the ports that the supervisor has chosen.",
    discussion: """
      Without a name, a line for each port, as "web 8080". With a name, only its number.

      Examples:
        initctl port
        initctl port web
        curl "http://localhost:$(initctl port web)/"
      """)

  private var name: String?
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .text("name"), help: "The port.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let ports = try await client.send(StatusRequest()).ports ?? [:]
    guard let name else {
      try Console.write(ports.sorted { $0.key < $1.key }.map { "\($0) \($1)\n" }.joined())
      return .success
    }
    guard let number = ports[name] else {
      return UnknownName.complain(
        of: name, among: ports.keys.sorted(), noun: "port", remedy: "initctl port lists them")
    }
    try Console.write("\(number)\n")
    return .success
  }
}
