internal import CommandLineOptions
internal import EventLoop
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire
internal import InitWords
internal import Platform

/// `worker`: registers names, and runs a command for each of their runs.
struct WorkerCommand: ProgramCommand, Sendable {
  static let help = CommandHelp(
    "worker", "Provide initializers: run a command each time the supervisor asks for one.",
    discussion: """
      The commands have the environment of a manifest's commands: INITD_RUN, INITD_OUTPUT, INITD_INPUT_NAME and others. INITD_INPUTS is \
      the path of a file with all inputs as a JSON object, even those that are too long for a variable (128 KiB).

      The file for --config is like init.yaml, with the keys version, initializers, environment and cancelGrace; every initializer has \
      a command.

      A command may report progress as with sd_notify, to $NOTIFY_SOCKET, or with --progress-prefix in lines of its standard output. \
      With the prefix :: these are reports, and all other lines are printed:
        ::progress 0.5 half of it         the fraction, and a message
        ::message copying the last table  a message alone
        ::extend 30s                      moves the deadline to this time from now
        ::fail no such table              the reason, if the exit status isn't 0
        ::secret                          the output for dependents is secret

      With --status-fd, the worker writes a line for each of these events:
        connected               the names are registered, at the start or again
        lost                    the connection was lost; the worker reconnects when all commands have stopped
        run NAME RUN ATTEMPT    a run has begun
        cancel NAME RUN REASON  a run is being stopped: deactivated, timeout, failed, unregistered, shutdown or lost
        done NAME RUN           a run's command has ended, and the supervisor has its result
        overflow N              N lines were dropped because the reader was too slow

      On SIGTERM and SIGINT, the worker unregisters the names, stops the commands with SIGTERM, and exits when they have exited. On a \
      second signal, it kills them.

      Examples:
        initctl worker favorites --priority appActive -- ./load-favorites
        initctl worker index --dependency migrate --timeout 30s -- ./build-index
        initctl worker --config worker.yaml --progress-prefix ::
      """)

  private var name: String?
  private var config: String?
  private var priority: Priority?
  private(set) var dependencies: [String] = []
  private(set) var timeout: Duration?
  private var secret = false
  private var cancelGrace: Duration?
  private var progressPrefix: String?
  private var clientName: String?
  private var statusDescriptor: Int?
  private(set) var command: [String] = []
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .initializerName, help: "The name of the initializer.")
    try options.option(
      "config", &config, .file(),
      help: "Provide all initializers of this file instead of a single one; - reads standard input.")
    try options.option(
      "priority", &priority, .word("priority"),
      help: "The phase that runs the initializer: appLaunch or appActive. Default: appLaunch.")
    try options.option(
      "dependency", &dependencies, .initializerName,
      help: "An initializer that must complete first. Can be repeated.")
    try options.option("timeout", &timeout, .duration, help: "Cancel a run that takes longer. Default: never.")
    try options.flag("secret", &secret, help: "Hide the command's output for dependents from logs.")
    try options.option(
      "cancel-grace", &cancelGrace, .duration,
      help:
        "Kill a command that hasn't exited this long after SIGTERM. Default: 4.5s; the supervisor waits for its own cancelGrace, 5s."
    )
    try options.option(
      "progress-prefix", &progressPrefix, .prefix,
      help: "Read progress from the lines of standard output that begin with this prefix.")
    try options.option(
      "client-name", &clientName, .clientName,
      help: "The name of this worker in the status. Default: initctl worker and the initializer's name.")
    try options.option(
      "status-fd", &statusDescriptor, .amount("n"), help: "Write status lines for programs to this descriptor.")
    try options.command("command", &command, isRequired: false, help: "The command to run, and its arguments.")
    try connection.visit(&options)
  }

  func validate() throws(UsageError) {
    if config == nil { try validateSingle() } else { try validateConfig() }
    if let statusDescriptor, !StatusLines.isWritable(statusDescriptor) {
      throw UsageError(
        "--status-fd \(statusDescriptor) can't be written; open it, e.g. with \(statusDescriptor)>FILE")
    }
  }

  private func validateSingle() throws(UsageError) {
    guard name != nil else { throw UsageError("missing name; give the initializer's name, or --config") }
    guard !command.isEmpty else { throw UsageError("missing command; give the command after --") }
    guard Set(dependencies).count == dependencies.count else { throw UsageError("give each --dependency only once") }
    if let clash = InputVariableName.clash(in: dependencies) {
      throw UsageError(
        "the dependencies \(dependencies[clash.first]) and \(dependencies[clash.second]) share the variable \(clash.variable); rename one of them"
      )
    }
  }

  private func validateConfig() throws(UsageError) {
    if name != nil || !command.isEmpty {
      throw UsageError("--config replaces the name and the command; write them in the file")
    }
    let given = [
      ("priority", priority != nil), ("dependency", !dependencies.isEmpty), ("timeout", timeout != nil),
      ("secret", secret),
    ]
    if let extra = given.first(where: \.1)?.0 {
      throw UsageError("--\(extra) is for a single initializer; write it in the file of --config")
    }
  }

  func run() throws {
    var manifest: WorkerManifest
    if let config {
      manifest = try ManifestProgram(checkingWorker: config).read()
    } else {
      let registration = RegisterRequest.Registration(
        name: name ?? "", priority: priority, dependencies: dependencies.isEmpty ? nil : dependencies,
        timeout: timeout?.inSeconds)
      manifest = WorkerManifest(initializers: [WorkerManifest.Command(registration, command: command, secret: secret)])
    }
    if let cancelGrace { manifest.cancelGrace = cancelGrace.inSeconds }
    let worker = CommandWorker(
      manifest: manifest, progressPrefix: progressPrefix, clientName: clientName, statusDescriptor: statusDescriptor)
    try CommandLoop.run { loop in
      let path = try SocketPath.resolve(asked: connection.socket)
      try await worker.serve(loop, path, within: connection.connectTimeout, replyTimeout: connection.replyTimeout)
      return .success
    }
  }
}

extension ArgumentKind<String> {
  /// The name of a client.
  fileprivate static var clientName: Self {
    Self("name") { text throws(InvalidArgument) in
      guard (1...128).contains(text.utf8.count) else { throw InvalidArgument("write 1 to 128 bytes") }
      return text
    }
  }

  /// The beginning of a line.
  fileprivate static var prefix: Self {
    Self("prefix") { text throws(InvalidArgument) in
      guard !text.isEmpty, !text.utf8.contains(UInt8(ascii: "\n")) else {
        throw InvalidArgument("write the beginning of a line, e.g. ::")
      }
      return text
    }
  }
}
