import ArgumentParser
import Glibc
import InitCore
import InitManifest
import InitSupervisor
import InitWire
import Libuv
import Logging

/// The supervisor as a program: parse, prepare, run the loop.
@main
struct Initd: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "initd",
    abstract: "Run the initializers of an app in order, at launch and each time the app becomes active.",
    discussion: """
      initd reads the initializers from a manifest (init.yaml), and accepts more from workers that connect to its socket. It launches, and \
      runs until it is told to shut down. Control it with initctl.

      With an app (initd -- app argument ...) it activates, starts the app once everything is ready, and forwards signals to it. It exits when \
      the app exits, with the app's status (128 + n for signal n). It can be the first process of a container.

      Exit status:
        0    success
        1    initialization failed, so the app was not started
        64   wrong usage
        65   invalid manifest
        66   the manifest cannot be read
        73   the socket or the state directory cannot be used
        75   another supervisor listens at the socket
        126  the app cannot be executed
        127  the app was not found
      The last two are found before anything runs.

      Examples:
        initd --config init.yaml
        initd --config init.yaml --socket initd.sock -- ./server
      """,
    version: "0.1.0")

  @Option(help: ArgumentHelp("The manifest. Without one, all initializers come from workers.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Path of the socket. Default: $INITD_SOCKET, else $XDG_RUNTIME_DIR/initd.sock, else /run/initd.sock for root.",
      valueName: "path"))
  var socket: String?

  @Flag(name: .customLong("no-launch"), help: "Launch only when a client asks for it.")
  var waitsForLaunch = false

  @Flag(name: .customLong("activate"), help: "Activate the app at the start.")
  var activates = false

  @Option(
    help: ArgumentHelp("Activate the app on this signal, e.g. USR1.", valueName: "signal"),
    transform: Initd.lifecycleSignal)
  var activateOn: Int32?

  @Option(
    help: ArgumentHelp("Deactivate the app on this signal, e.g. USR2.", valueName: "signal"),
    transform: Initd.lifecycleSignal)
  var deactivateOn: Int32?

  @Option(
    help: ArgumentHelp(
      "Directory that records which launch initializers have completed since the system started. A restarted supervisor doesn't run them again.",
      valueName: "path"))
  var stateDirectory: String?

  @Option(help: ArgumentHelp("How many initializers may run at once. Overrides the manifest.", valueName: "n"))
  var concurrency: Int?

  @Option(
    help: ArgumentHelp(
      "The lowest level that is logged: trace, debug, info, notice, warning, error or critical (default: info).",
      valueName: "level"),
    transform: Initd.level)
  var logLevel = Logger.Level.info

  @Option(help: ArgumentHelp("Format of the log on standard error.", valueName: "format"))
  var logFormat = StandardErrorLog.Format.text

  @Option(
    help: ArgumentHelp(
      "Which output of commands is logged: all, failed (the last lines of failed attempts) or none (default: failed).",
      valueName: "lines"),
    transform: Initd.outputInLog)
  var output = OutputInLog.failed

  @OptionGroup(title: "Access") var access: AccessOptions

  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp(
      "Set a limit, e.g. connections=2000 or frameBytes=4MiB. clients/PROTOCOL.md lists all limits.",
      valueName: "name=value"),
    transform: LimitOption.parse)
  var limits: [LimitOption] = []

  @Option(help: ArgumentHelp("Check this manifest, print the order of its initializers, and exit.", valueName: "file"))
  var check: String?

  @Argument(parsing: .postTerminator, help: .hidden)
  var app: [String] = []

  private static func level(_ name: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: name) else {
      let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("unknown log level \(name); use one of \(names)")
    }
    return level
  }

  private static func outputInLog(_ name: String) throws -> OutputInLog {
    guard let lines = OutputInLog(rawValue: name) else {
      throw ValidationError("--output must be one of all, failed and none, not \(name)")
    }
    return lines
  }

  /// Signals with another meaning: those of the kernel, those of program errors, and those that initd uses itself.
  private static let takenSignals: Set<Int32> = [
    SIGKILL, SIGSTOP, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP,
    SIGSYS, SIGXFSZ,
  ]

  private static func lifecycleSignal(_ name: String) throws -> Int32 {
    guard let number = SignalName.number(of: name), SignalName.of(number) != "signal \(number)" else {
      throw ValidationError("unknown signal \(name); use a name, e.g. USR1 or SIGUSR2, or a number")
    }
    guard !takenSignals.contains(number) else {
      throw ValidationError("\(SignalName.of(number)) can't be used here: it has another meaning; use USR1 or USR2")
    }
    return number
  }

  func validate() throws {
    if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
      throw ValidationError("\(TerminalText.escape(argument)) isn't UTF-8; arguments must be UTF-8")
    }
    for option in ["--config", "--check"] {
      let options = CommandLine.arguments.prefix { $0 != "--" }
      guard options.count(where: { $0 == option || $0.hasPrefix(option + "=") }) < 2 else {
        throw ValidationError("\(option) is given twice; give one manifest")
      }
    }
    if let activateOn, activateOn == deactivateOn {
      throw ValidationError(
        "--activate-on and --deactivate-on are both \(SignalName.of(activateOn)); use different signals, e.g. USR1 and USR2"
      )
    }
    if let concurrency, concurrency < 1 {
      throw ValidationError("--concurrency must be at least 1, not \(concurrency)")
    }
    if app.isEmpty, CommandLine.arguments.last == "--" {
      throw ValidationError("no app is given after --; give one, or remove --")
    }
    if waitsForLaunch, !app.isEmpty {
      throw ValidationError("--no-launch can't be used with an app: the app is started once launch has completed")
    }
  }

  static func main() {
    do {
      var command = try parse()
      try command.run()
    } catch {
      exit(withError: error)
    }
  }

  /// Reads the arguments.
  ///
  /// - Throws: why they are wrong. The message quotes them escaped.
  private static func parse() throws -> any ParsableCommand {
    do {
      return try parseAsRoot()
    } catch {
      _ = try parseAsRoot(CommandLine.arguments.dropFirst().map(TerminalText.escape))
      throw error
    }
  }

  func run() throws {
    do { try ProcessStart.prepare(holdsSignals: check == nil) } catch { try fail(.failure, "\(error)") }
    if let check { return try report(check) }
    let configuration = try configuration()
    DescriptorLimit.raise()
    let level = logLevel
    let log = StandardErrorLog.stream(logFormat)
    let logger = Logger(label: "initd") { _ in StandardErrorLog(format: logFormat, level: level, stream: log) }
    defer { log.finish() }
    try supervise(configuration, logger, log)
  }

  private func report(_ path: String) throws {
    let report = try manifest(path).checkReport()
    print(report, terminator: "")
  }

  private func manifest(_ path: String) throws -> Manifest {
    do throws(ManifestFile.Fault) {
      var limits = Limits()
      for limit in self.limits { try? limit.apply(to: &limits) }
      return try ManifestFile.read(path, limit: limits.initializers)
    } catch .unreadable(let why) {
      try fail(.unreadable, why)
    } catch .bad(let findings) {
      StandardStream.error.say(findings)
      throw ExitCode.badManifest
    }
  }

  private func configuration() throws -> SupervisorConfiguration {
    var configuration: SupervisorConfiguration
    let passed = try passedSockets()
    if passed.main == nil, access.keepsOthersOut {
      try fail(
        .usage, "--allow-… has no effect: the mode of the socket excludes other users; set --socket-mode 660 or 666"
      )
    }
    try refuseOptionsOf(passed)
    do throws(NoSocketPath) {
      configuration = try .ofThisProcess(socketPath: passed.main?.path ?? socket)
    } catch {
      try fail(.usage, "\(error); give a path with --socket")
    }
    if let config { configuration.take(try manifest(config)) }
    if let concurrency { configuration.machine.concurrency = concurrency }
    configuration.machine.launchesAtStart = !waitsForLaunch
    configuration.activatesAtStart = activates
    configuration.stateDirectory = stateDirectory
    configuration.outputInLog = output
    access.apply(to: &configuration)
    configuration.makePathsAbsolute()
    if configuration.observeSocketPath == configuration.socketPath {
      try fail(.usage, "--observe-socket is the path of the socket itself; use another path")
    }
    for limit in limits { try limit.apply(to: &configuration.limits) }
    configuration.passedSocket = passed.main
    if let observe = passed.observe {
      configuration.observeSocketPath = observe.path
      configuration.passedObserveSocket = observe
    }
    configuration.serviceManager = ServiceManager(ProcessEnvironment.variables())
    configuration.adoptsOrphans = true
    if !app.isEmpty {
      configuration.app = Command(app)
      do {
        try configuration.findApp()
      } catch {
        configuration.serviceManager?.tell([("STOPPING", "1"), ("STATUS", TerminalText.escape("\(error)"))])
        try fail(ExitCode(error.exitStatus), "\(error)")
      }
    }
    return configuration
  }

  /// The unit determines the mode and the group of a passed socket.
  private func refuseOptionsOf(_ passed: (main: PassedSocket?, observe: PassedSocket?)) throws {
    if let main = passed.main {
      if let socket, WorkingDirectory.absolute(socket) != main.path {
        try fail(.usage, "--socket is \(socket), but the service manager passes \(main.path); remove --socket")
      }
      if access.socketMode != nil || access.socketGroup != nil {
        try fail(.usage, "the service manager passes \(main.path); set SocketMode= and SocketGroup= in its unit")
      }
    }
    if let observe = passed.observe {
      if let path = access.observeSocket, WorkingDirectory.absolute(path) != observe.path {
        try fail(
          .usage,
          "--observe-socket is \(path), but the service manager passes \(observe.path); remove --observe-socket")
      }
      if access.observeSocketMode != nil {
        try fail(.usage, "the service manager passes \(observe.path); set SocketMode= in its unit")
      }
    }
  }

  /// The sockets that systemd passes: the main one, and the one named `observe`.
  private func passedSockets() throws -> (main: PassedSocket?, observe: PassedSocket?) {
    let sockets: [PassedSocket]
    do throws(PassedSocketError) {
      sockets = try PassedSocket.all(ProcessEnvironment.variables())
    } catch {
      try fail(.noSocket, "\(error)")
    }
    let observe = sockets.filter { $0.name == "observe" }
    let main = sockets.filter { $0.name != "observe" }
    if let extra = main.dropFirst().first ?? observe.dropFirst().first {
      try fail(
        .noSocket,
        "cannot listen on \(extra.path): a service manager may pass only one socket, and one named observe; remove the others"
      )
    }
    return (main.first, observe.first)
  }

  /// Runs until the supervisor has ended.
  private func supervise(_ configuration: SupervisorConfiguration, _ logger: Logger, _ log: LogStream) throws {
    let loop: Loop
    do { loop = try Loop() } catch { try fail(.failure, "\(error)") }
    let drain = LogDrain(log, on: loop)
    defer { drain.close() }
    let supervisor = Supervisor(configuration, loop: loop, logger: logger)
    // Before the socket answers, because clients may then send signals at once.
    let signals = try watchSignals(of: supervisor, loop, logger)
    ProcessStart.unblockAllSignals()
    do {
      try supervisor.assumeIsolated { supervisor in try supervisor.start { loop.stop() } }
    } catch let error as ListenerError {
      if case .alreadyRunning = error { try fail(.alreadyRunning, "\(error)") }
      try fail(.noSocket, "\(error)")
    } catch let error as JournalError {
      if case .inUse = error { try fail(.alreadyRunning, "\(error)") }
      try fail(.noSocket, "\(error)")
    }
    loop.refuseAtRandom()
    loop.run()
    // Watched to the very end: a signal that comes now must not change the exit status.
    Self.watched = signals
    let status = supervisor.assumeIsolated { $0.exitStatus }
    if status != 0 { throw ExitCode(status) }
  }

  /// Kept until the process ends; used only by the main thread.
  nonisolated(unsafe) private static var watched: [SignalSource] = []

  private func watchSignals(of supervisor: Supervisor, _ loop: Loop, _ logger: Logger) throws -> [SignalSource] {
    try supervisor.assumeIsolated { try $0.end(on: [SIGTERM, SIGINT]) }
    // In addition to the supervisor, which stops watching them when it has ended.
    let beyondTheEnd = try [SIGTERM, SIGINT].map { try SignalSource(loop: loop, signal: $0) {} }
    return try watchOthers(of: supervisor, loop, logger) + watchLifecycle(of: supervisor, loop) + beyondTheEnd
  }

  /// All other signals, which may be for the app; without an app only SIGHUP, which would end us.
  private func watchOthers(of supervisor: Supervisor, _ loop: Loop, _ logger: Logger) throws -> [SignalSource] {
    let own = [SIGTERM, SIGINT, activateOn, deactivateOn].compactMap(\.self)
    let others = app.isEmpty ? [SIGHUP] : ForwardableSignals.all
    let sources = try others.filter { !own.contains($0) }.map { number in
      try SignalSource(loop: loop, signal: number) {
        let isForwarded = supervisor.assumeIsolated { $0.forwardToApp(number) }
        if !isForwarded { logger.info("got \(SignalName.of(number)); it is ignored") }
      }
    }
    ProcessStart.ignoreOwnFileSizeLimit()
    return sources
  }

  private func watchLifecycle(of supervisor: Supervisor, _ loop: Loop) throws -> [SignalSource] {
    var sources: [SignalSource] = []
    if let activateOn {
      let reason = "got \(SignalName.of(activateOn))"
      sources.append(
        try SignalSource(loop: loop, signal: activateOn) {
          supervisor.assumeIsolated { _ = $0.activate(because: reason) }
        })
    }
    if let deactivateOn {
      let reason = "got \(SignalName.of(deactivateOn))"
      sources.append(
        try SignalSource(loop: loop, signal: deactivateOn) {
          supervisor.assumeIsolated { $0.deactivate(because: reason) }
        })
    }
    return sources
  }

  private func fail(_ status: ExitCode, _ why: String) throws -> Never {
    StandardStream.error.say("initd: \(TerminalText.escape(why))")
    throw status
  }
}

extension ExitCode {
  /// Wrong usage.
  static let usage = ExitCode(64)
  /// The manifest is bad.
  static let badManifest = ExitCode(65)
  /// The manifest can't be read.
  static let unreadable = ExitCode(66)
  /// The socket can't be created.
  static let noSocket = ExitCode(73)
  /// A supervisor already runs there.
  static let alreadyRunning = ExitCode(75)
}

extension StandardErrorLog.Format: ExpressibleByArgument {}
