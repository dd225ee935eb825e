internal import CommandLineOptions
internal import Fleet

/// `activate`: makes the apps of all hosts active.
struct FleetActivateCommand: FleetCommand {
  static let help = CommandHelp(
    "activate", "Activate the apps of all hosts, and wait until that is done.",
    discussion: """
      With --rolling, the next hosts follow when the previous ones are ready. After the first failure, no further host is activated.

      Examples:
        initfleet activate
        initfleet activate --rolling 1 --timeout 10m
      """)

  private(set) var fleet = FleetOptions()
  private var options = OrderOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try self.options.visit(&options)
    try fleet.visit(&options)
  }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    try await OrderGiver(.activate, options, fleet).run()
  }
}

/// `deactivate`: makes the apps of all hosts inactive.
struct FleetDeactivateCommand: FleetCommand {
  static let help = CommandHelp(
    "deactivate", "Deactivate the apps of all hosts, and wait until their runs have stopped.",
    discussion: """
      With --rolling, the next hosts follow when the previous ones are inactive. After the first failure, no further host is deactivated.

      Examples:
        initfleet deactivate
        initfleet deactivate --rolling 2
      """)

  private(set) var fleet = FleetOptions()
  private var options = OrderOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try self.options.visit(&options)
    try fleet.visit(&options)
  }

  func run(in fleet: FleetConnection) async throws -> ProgramStatus {
    try await OrderGiver(.deactivate, options, fleet).run()
  }
}

/// Options of both.
struct OrderOptions: OptionGroup {
  /// The number of hosts at a time; nil for all.
  private(set) var rolling: Int?
  private(set) var timeout: Duration?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option("rolling", &rolling, .count("n"), help: "At most n hosts at a time. Default: all.")
    try options.option(
      "timeout", &timeout, .duration,
      help: "Give up with status 124 after this time; hosts that have begun continue. Default: never.")
  }
}
