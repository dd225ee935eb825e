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
    abstract: "Runs an app's initializers in order, at launch and each time it becomes active.",
    discussion: """
      initd reads which initializers there are from a manifest (init.yaml), takes further ones from workers that connect to its socket, \
      launches, and stays until it is told to shut down. Talk to it with initctl.

      With an app (initd -- app argument ...) it activates, starts the app once everything is ready, hands signals on to it, and ends when the \
      app does, with its status (128 + n for a signal). It may be a container's first process.

      Exit status: 0, 1 initialization failed (with an app, which is not started), 64 wrong usage, 65 bad manifest, 66 it can't be read, 73 the socket can't be made or the state directory be used, 75 a supervisor already runs there, 127 the app isn't found, 126 it can't be run (both before anything is run).
      """,
    version: "0.1.0")

  @Option(help: ArgumentHelp("The manifest. Without one there are only what workers register.", valueName: "file"))
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Where to listen; else $INITD_SOCKET, else initd.sock in $XDG_RUNTIME_DIR, else in /run for root.",
      valueName: "path"))
  var socket: String?

  @Flag(name: .customLong("no-launch"), help: "Wait for a launch event instead of launching at once.")
  var waitsForLaunch = false

  @Flag(name: .customLong("activate"), help: "Count the app as active from the start.")
  var activates = false

  @Option(
    help: ArgumentHelp("The signal by which the app becomes active, USR1 for one.", valueName: "signal"),
    transform: Initd.lifecycleSignal)
  var activateOn: Int32?

  @Option(
    help: ArgumentHelp("The signal by which it is no longer active, USR2 for one.", valueName: "signal"),
    transform: Initd.lifecycleSignal)
  var deactivateOn: Int32?

  @Option(
    help: ArgumentHelp(
      "Where to keep what of launch has completed since the system's start: a supervisor after this one doesn't run it again.",
      valueName: "path"))
  var stateDirectory: String?

  @Option(help: ArgumentHelp("How many initializers may run at once; wins over the manifest.", valueName: "n"))
  var concurrency: Int?

  @Option(
    help: ArgumentHelp(
      "The least that is logged: trace, debug, info, notice, warning, error or critical (default: info).",
      valueName: "level"),
    transform: Initd.level)
  var logLevel = Logger.Level.info

  @Option(help: ArgumentHelp("How the log is written to standard error: text or json.", valueName: "format"))
  var logFormat = StandardErrorLog.Format.text

  @Option(
    help: ArgumentHelp(
      "Which lines that commands write are logged: all, failed (the last ones, when an attempt fails) or none.",
      valueName: "lines"),
    transform: Initd.outputInLog)
  var output = OutputInLog.failed

  @OptionGroup(title: "Access") var access: AccessOptions

  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp(
      "Sets a limit of the protocol's table, connections=2000 or frameBytes=4MiB for two.", valueName: "name=value"),
    transform: LimitOption.parse)
  var limits: [LimitOption] = []

  @Option(help: ArgumentHelp("Check this manifest, print what would run in which order, and exit.", valueName: "file"))
  var check: String?

  @Argument(parsing: .postTerminator, help: .hidden)
  var app: [String] = []

  private static func level(_ name: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: name) else {
      let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("there is no log level \(name); name one of \(names)")
    }
    return level
  }

  private static func outputInLog(_ name: String) throws -> OutputInLog {
    guard let lines = OutputInLog(rawValue: name) else {
      throw ValidationError("--output must be one of all, failed and none, not \(name)")
    }
    return lines
  }

  /// Those that mean something else: the kernel's own, errors of ours, and what initd needs itself.
  private static let takenSignals: Set<Int32> = [
    SIGKILL, SIGSTOP, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP,
    SIGSYS, SIGXFSZ,
  ]

  private static func lifecycleSignal(_ name: String) throws -> Int32 {
    guard let number = SignalName.number(of: name), SignalName.of(number) != "signal \(number)" else {
      throw ValidationError("there is no signal \(name); name one as USR1, SIGUSR2, or by its number")
    }
    guard !takenSignals.contains(number) else {
      throw ValidationError("\(SignalName.of(number)) is taken, and can't mean this; USR1 and USR2 are free")
    }
    return number
  }

  func validate() throws {
    if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
      throw ValidationError("\(TerminalText.escape(argument)) isn't UTF-8; give arguments in UTF-8 alone")
    }
    for option in ["--config", "--check"] {
      let options = CommandLine.arguments.prefix { $0 != "--" }
      guard options.count(where: { $0 == option || $0.hasPrefix(option + "=") }) < 2 else {
        throw ValidationError("\(option) is given twice; name one manifest")
      }
    }
    if let activateOn, activateOn == deactivateOn {
      throw ValidationError(
        "--activate-on and --deactivate-on are both \(SignalName.of(activateOn)); give each its own, USR1 and USR2 say")
    }
    if let concurrency, concurrency < 1 {
      throw ValidationError("--concurrency must be at least 1, not \(concurrency)")
    }
    if app.isEmpty, CommandLine.arguments.last == "--" {
      throw ValidationError("nothing stands behind --: name the app there, or leave -- out")
    }
    if waitsForLaunch, !app.isEmpty {
      throw ValidationError("--no-launch and an app exclude each other: it is started once launch has completed")
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
  /// - Throws: what is wrong with them. Its message repeats them escaped, as if they had been given so.
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
        .usage, "the socket's mode lets nobody else in whom --allow-… speaks of; let them with --socket-mode 660 or 666"
      )
    }
    try refuseOptionsOf(passed)
    do throws(NoSocketPath) {
      configuration = try .ofThisProcess(socketPath: passed.main?.path ?? socket)
    } catch {
      try fail(.usage, "\(error); name a path with --socket")
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
      try fail(.usage, "--observe-socket names the socket itself; name another path")
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

  /// What a passed socket is, its unit says.
  private func refuseOptionsOf(_ passed: (main: PassedSocket?, observe: PassedSocket?)) throws {
    if let main = passed.main {
      if let socket, WorkingDirectory.absolute(socket) != main.path {
        try fail(.usage, "--socket is \(socket), and the service manager passes \(main.path); leave --socket out")
      }
      if access.socketMode != nil || access.socketGroup != nil {
        try fail(.usage, "the service manager passes \(main.path); set SocketMode= and SocketGroup= in its unit")
      }
    }
    if let observe = passed.observe {
      if let path = access.observeSocket, WorkingDirectory.absolute(path) != observe.path {
        try fail(
          .usage,
          "--observe-socket is \(path), and the service manager passes \(observe.path); leave --observe-socket out")
      }
      if access.observeSocketMode != nil {
        try fail(.usage, "the service manager passes \(observe.path); set SocketMode= in its unit")
      }
    }
  }

  /// What systemd listens at for us: the socket, and the one it calls `observe`.
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
        "cannot listen on \(extra.path) too: a service manager may pass one socket, and one that it calls observe")
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
    // Before the socket answers: whoever has seen it may send a signal at once.
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
    // Watched to the very end: one that comes now must not take the place of the status.
    Self.watched = signals
    let status = supervisor.assumeIsolated { $0.exitStatus }
    if status != 0 { throw ExitCode(status) }
  }

  /// Kept for as long as the process lives; touched by the main thread alone.
  nonisolated(unsafe) private static var watched: [SignalSource] = []

  private func watchSignals(of supervisor: Supervisor, _ loop: Loop, _ logger: Logger) throws -> [SignalSource] {
    try supervisor.assumeIsolated { try $0.end(on: [SIGTERM, SIGINT]) }
    // Beside the supervisor, which watches them no longer once it has ended.
    let beyondTheEnd = try [SIGTERM, SIGINT].map { try SignalSource(loop: loop, signal: $0) {} }
    return try watchOthers(of: supervisor, loop, logger) + watchLifecycle(of: supervisor, loop) + beyondTheEnd
  }

  /// Whatever else may be meant for the app; without one SIGHUP alone, which would end us.
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
  /// The socket can't be made.
  static let noSocket = ExitCode(73)
  /// A supervisor already runs there.
  static let alreadyRunning = ExitCode(75)
}

extension StandardErrorLog.Format: ExpressibleByArgument {}
