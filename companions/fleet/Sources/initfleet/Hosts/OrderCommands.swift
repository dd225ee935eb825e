internal import ArgumentParser
internal import Etcd
internal import Fleet

/// `launch`: runs the launch initializers of all hosts, or retries them.
struct LaunchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "launch",
    abstract: "Retry launch on all hosts where it has failed, and wait until that is done.",
    discussion: """
      A host whose launch is complete runs nothing, and one whose launch is running is waited for.

      With --rolling, the next hosts follow when launch is complete on the previous ones. After the first failure, no further host is asked.

      Examples:
        initfleet launch
        initfleet launch --rolling 1 --timeout 10m
      """)

  @OptionGroup var order: OrderOptions
  @OptionGroup(title: "The fleet") var options: FleetOptions

  @FleetActor func run() async throws {
    try await OrderGiver(OrderRecord.launch, order, try options.connect()).run()
  }
}

/// `activate`: makes the apps of all hosts active.
struct ActivateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activate",
    abstract: "Activate the apps of all hosts, and wait until that is done.",
    discussion: """
      With --rolling, the next hosts follow when the previous ones are ready. After the first failure, no further host is activated.

      Examples:
        initfleet activate
        initfleet activate --rolling 1 --timeout 10m
      """)

  @OptionGroup var order: OrderOptions
  @OptionGroup(title: "The fleet") var options: FleetOptions

  @FleetActor func run() async throws {
    try await OrderGiver(OrderRecord.activate, order, try options.connect()).run()
  }
}

/// `deactivate`: makes the apps of all hosts inactive.
struct DeactivateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deactivate",
    abstract: "Deactivate the apps of all hosts, and wait until their runs have stopped.",
    discussion: """
      With --rolling, the next hosts follow when the previous ones are inactive. After the first failure, no further host is deactivated.

      Examples:
        initfleet deactivate
        initfleet deactivate --rolling 2
      """)

  @OptionGroup var order: OrderOptions
  @OptionGroup(title: "The fleet") var options: FleetOptions

  @FleetActor func run() async throws {
    try await OrderGiver(OrderRecord.deactivate, order, try options.connect()).run()
  }
}

/// The options of an order.
struct OrderOptions: ParsableArguments {
  @Option(help: ArgumentHelp("At most n hosts at a time. Default: all.", valueName: "n")) var rolling: Int?
  @Option(
    help: ArgumentHelp(
      "Give up with status 124 after this time; hosts that have begun continue. Default: never.",
      valueName: "duration"), transform: DurationText.parse)
  var timeout: Duration?

  func validate() throws {
    if let rolling, rolling < 1 { throw ValidationError("invalid --rolling \(rolling); write 1 or more") }
  }
}
