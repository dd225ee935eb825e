import CStart
import CommandLineOptions
internal import EventLoop
import Glibc
import InitCore
import InitDeclarations
import InitManifest
import InitModel
internal import InitProcesses
import InitRecords
internal import InitRunner
internal import InitServer
import InitSupervisor
import InitText
import InitWire
import Logging
import Platform

/// The supervisor as a program: parse, prepare, run the loop.
@main
struct Initd: ProgramCommand {
  static let help = CommandHelp(
    "initd", "Run the initializers of an app in order, at launch and each time the app becomes active.",
    discussion: """
      initd reads the initializers from a manifest (init.yaml), and accepts more from workers that connect to its socket. It runs \
      until it is shut down. Control it with initctl.

      initctl reload, or SIGHUP, makes it read the manifest again, and apply the changes.

      With an app (initd -- app argument ...) it activates, starts the app once everything is ready, and forwards signals to it. It exits \
      when the app exits, with the app's status (128 + n for signal n). It can be the first process of a container.

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
      initd detects 126 and 127 before anything runs.

      Examples:
        initd --config init.yaml
        initd --config init.yaml --socket initd.sock -- ./server
      """)

  private var config: [String] = []
  private var profiles: [String] = []
  private(set) var socket: String?
  private var waitsForLaunch = false
  private var activates = false
  private var staysInactive = false
  private(set) var activateOn: Int32?
  private(set) var deactivateOn: Int32?
  private var stateDirectory: String?
  private var concurrency: Int?
  private var keepsGoing = false
  private var only: [String] = []
  private var skipped: [String] = []
  private var logLevel = Logger.Level.info
  private var logFormat = StandardErrorLog.Format.text
  private var output = OutputInLog.failed
  private(set) var access = AccessOptions()
  private var limits: [LimitOption] = []
  private var check: [String] = []
  private(set) var resolves = false
  private(set) var isStrict = false
  private(set) var json = false
  private(set) var format: StandardErrorLog.Format?
  private var checkWorker: String?
  private var schema: ManualFormat?
  private(set) var app: [String] = []

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "config", &config, .file(),
      help:
        "The manifest. Without one, all initializers come from workers. Can be repeated: the values of each file override those of the files before it."
    )
    try options.option(
      "profile", &profiles, .text("name"),
      help: "Also select the initializers and workers with this profile. Can be repeated.")
    try options.option(
      "socket", &socket, .file("path"),
      help:
        "Path of the socket. Default: $INITD_SOCKET, else $XDG_RUNTIME_DIR/initd.sock, else /run/initd.sock for root.")
    try options.flag("no-launch", &waitsForLaunch, help: "Launch only when a client asks for it.")
    try options.flag("activate", &activates, help: "Activate the app at the start.")
    try options.flag(
      "no-activate", &staysInactive,
      help: "Don't activate the app at the start, even if the manifest says activate: true.")
    try options.option(
      "activate-on", &activateOn, .lifecycleSignal, help: "Activate the app on this signal, e.g. USR1.")
    try options.option(
      "deactivate-on", &deactivateOn, .lifecycleSignal, help: "Deactivate the app on this signal, e.g. USR2.")
    try options.option(
      "state-directory", &stateDirectory, .directory(),
      help:
        "Directory that records which launch initializers have completed since the system started, and the last passes. A restarted supervisor runs only the others again, and those with perProcess: true, e.g. checks of running services."
    )
    try options.option(
      "concurrency", &concurrency, .count("n"),
      help: "How many initializers may run at once. Overrides the manifest.")
    try options.flag(
      "keep-going", &keepsGoing,
      help:
        "If an initializer fails, stop only what depends on it; the pass fails at its end. As keepGoing: true in the manifest."
    )
    try options.option(
      "only", &only, .nameInManifest,
      help: "Run only this initializer or process, and everything that it needs. Can be repeated.")
    try options.option(
      "skip", &skipped, .nameInManifest,
      help:
        "Don't run this initializer or process; what depends on it goes on as if it had completed. Can be repeated.")
    try options.option(
      "log-level", &logLevel, .word("level"),
      help: "The lowest level that is logged: trace, debug, info, notice, warning, error or critical (default: info).")
    try options.option(
      "log-format", &logFormat, .word("format"),
      help: "Format of the log on standard error: text or json (default: text).")
    try options.option(
      "output", &output, .word("choice", placeholder: "lines"),
      help:
        "Which output of commands is logged: all, failed (the last lines of failed attempts) or none (default: failed)."
    )
    try options.option(
      "limit", &limits, .limit,
      help:
        """
        Set a limit, e.g. connections=2000 or frameBytes=4MiB. clients/PROTOCOL.md lists all limits. initd takes at most clientBytes \
        (default: 256MiB, or a quarter of its cgroup's memory if that is less) and 64 MiB of memory.
        """)
    try options.option(
      "check", &check, .file(),
      help:
        "Check this manifest (- for standard input), print the order of its initializers and their commands, and exit. Can be repeated, as --config."
    )
    try options.flag(
      "strict", &isStrict,
      help: "With --check, warnings are errors, and so are programs and directories that don't exist.")
    try options.flag(
      "resolved", &resolves,
      help:
        "With --check, print the whole manifest as one YAML file, with the values of environment files and variables.")
    try options.flag(
      "json", &json,
      help: "With --check, print each mistake or warning as JSON, one a line; if there is none, as with --format json.")
    try options.option(
      "format", &format, .word("format"),
      help: "With --check, the output format: text, or json (the graph and the order, on one line). Default: text.")
    try options.option(
      "check-worker", &checkWorker, .file(),
      help: "Check this manifest of a worker (initctl worker --config), print it as JSON, and exit.")
    try options.option(
      "schema", &schema, .word("format"),
      help:
        "Print the keys of manifests, and exit: json (a JSON Schema), part (one of files that are merged), man (a manual page) or markdown."
    )
    try access.visit(&options)
    try options.command("app", &app, isRequired: false, help: "The app to start, and its arguments.")
  }

  func validate() throws(UsageError) {
    try access.validate()
    try LimitOption.validate(limits)
    if let activateOn, activateOn == deactivateOn {
      throw UsageError(
        "--activate-on and --deactivate-on are both \(SignalName.of(activateOn)); use different signals, e.g. USR1 and USR2"
      )
    }
    if activates, staysInactive {
      throw UsageError("--activate and --no-activate are both given; remove one of them")
    }
    if staysInactive, !app.isEmpty {
      throw UsageError(
        "--no-activate can't be used with an app: initd activates, and starts it once everything is ready")
    }
    if check.isEmpty, let option = isStrict ? "strict" : resolves ? "resolved" : json ? "json" : nil {
      throw UsageError("--\(option) is given without --check; add --check FILE")
    }
    guard check.count(where: { $0 == "-" }) < 2 else {
      throw UsageError("standard input (-) can be read only once; name it once, or give a file")
    }
    if resolves, json || format != nil {
      throw UsageError("--resolved prints YAML; omit --\(json ? "json" : "format")")
    }
    if !profiles.isEmpty, config.isEmpty, check.isEmpty {
      throw UsageError("--profile is given without a manifest; add --config FILE or --check FILE")
    }
    if let name = only.first(where: skipped.contains) {
      throw UsageError("--only and --skip both name \(name); remove one of them")
    }
    if format != nil, check.isEmpty {
      throw UsageError("--format has no effect without --check; to set the log's format, use --log-format")
    }
    if waitsForLaunch, !app.isEmpty {
      throw UsageError("--no-launch can't be used with an app: the app is started once launch has completed")
    }
  }

  static func main() {
    start_restore_environment()
    CrashReport.install(program: "initd", version: Release.version)
    do {
      if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
        throw UsageError("\(argument) isn't UTF-8; arguments must be UTF-8", of: "initd")
      }
      let program = Program(Initd.self, version: Release.line(of: "initd", commit: BuildCommit.name))
      switch try program.invocation(Array(CommandLine.arguments.dropFirst())) {
      case .command(let command): try command.run()
      case .text(let text): try StandardStream.output.write(Array(text.utf8))
      case .completion(let completion): try StandardStream.output.write(Array(completion.text.utf8))
      }
    } catch {
      exit(report(error).rawValue)
    }
  }

  /// Prints an error on standard error, and returns the exit status for it.
  private static func report(_ error: any Error) -> ProgramStatus {
    switch error {
    case let status as ProgramStatus: return status
    case let error as UsageError:
      complain(error.message)
      StandardStream.error.say(error.remedy)
      return .usage
    // The reader of our output has closed it, which isn't an error.
    case let error as SystemError where error.errno == EPIPE: return .success
    default:
      complain("\(error)")
      return .failure
    }
  }

  private static func complain(_ message: String) {
    StandardStream.error.say("initd: \(TerminalText.escape(message))")
  }

  func run() throws {
    do { try ProcessStart.prepare(holdsSignals: check.isEmpty && checkWorker == nil && schema == nil) } catch {
      try fail(.failure, "\(error)")
    }
    if let schema { return try reportSchema(schema) }
    if !check.isEmpty { return try report(check) }
    if let checkWorker { return try reportWorker(checkWorker) }
    ProcessStart.recordDispositions()
    let (configuration, warnings) = try configuration()
    DescriptorLimit.raise()
    let level = logLevel
    let log = StandardErrorLog.stream(logFormat)
    let logger = Logger(label: "initd") { _ in StandardErrorLog(format: logFormat, level: level, stream: log) }
    defer { log.finish() }
    for warning in warnings { logger.warning("\(warning)") }
    let memory = configuration.limits.clients.memory
    if memory < Limits().clients.memory, !limits.contains(where: { $0.name == .clientBytes }) {
      logger.info(
        "clients may hold \(memory >> 10) KiB, a quarter of the cgroup's memory; --limit clientBytes changes it")
    }
    try supervise(configuration, logger, log)
  }

  /// Reads a manifest of these files, and exits if it has mistakes.
  func manifest(
    _ paths: [String], for purpose: Manifest.Purpose = .supervisor, acceptsInput: Bool = false
  ) throws -> Manifest {
    do throws(ManifestFile.Fault) {
      var limits = Limits()
      for limit in self.limits { try? limit.apply(to: &limits) }
      var files = files(paths)
      files.resolves = resolves
      return try ManifestFile.read(files, for: purpose, acceptsInput: acceptsInput, limit: limits.initializers)
    } catch .unreadable(let why) {
      try fail(.unreadable, why)
    } catch .unknownProfile(let why) {
      try fail(.usage, why)
    } catch .bad(let errors) {
      try report(errors.findings, .error)
      throw ProgramStatus.badManifest
    }
  }

  private func files(_ paths: [String]) -> ManifestFiles {
    ManifestFiles(
      paths, variables: SupervisorConfiguration.inherited(ProcessEnvironment.variables()), profiles: profiles)
  }

  private func configuration() throws -> (SupervisorConfiguration, warnings: [Finding]) {
    var configuration: SupervisorConfiguration
    let variables = ProcessEnvironment.variables()
    let passed = try passedSockets(variables)
    if passed.main == nil, access.keepsOthersOut {
      try fail(
        .usage, "--allow-… has no effect: the mode of the socket excludes other users; set --socket-mode 660 or 666"
      )
    }
    try refuseOptionsOf(passed)
    do throws(NoSocketPath) {
      configuration = try .ofThisProcess(socketPath: passed.main?.path ?? socket, variables)
    } catch {
      try fail(.usage, "\(error); give a path with --socket")
    }
    let manifest = config.isEmpty ? nil : try self.manifest(config)
    if let manifest {
      let refused = StrictCheck.refusedUsers(of: manifest)
      if !refused.isEmpty {
        try report(refused, .error)
        throw ProgramStatus.badManifest
      }
    }
    configuration.machine.only = Set(only)
    configuration.machine.skipped = Set(skipped)
    configuration.machine.launchesAtStart = !waitsForLaunch
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
    configuration.serviceManager = ServiceManager(variables)
    configuration.adoptsOrphans = true
    configuration.isWholeProcess = true
    let source = ManifestSource(
      files: files(config), base: configuration, concurrency: concurrency, keepsGoing: keepsGoing,
      activates: activates ? true : staysInactive ? false : nil)
    if let manifest, let (option, name, remedy) = source.unknownNames(in: manifest).first {
      try fail(.usage, "--\(option): the manifest declares no initializer or process \"\(name)\"; \(remedy)")
    }
    configuration = source.configuration(with: manifest)
    if manifest != nil { configuration.source = source }
    if !app.isEmpty {
      configuration.app = Command(app)
      do {
        try configuration.findApp()
      } catch {
        configuration.serviceManager?.notify([("STOPPING", "1"), ("STATUS", TerminalText.escape("\(error)"))])
        try fail(ProgramStatus(error.exitStatus), "\(error)")
      }
    }
    return (configuration, manifest?.warnings ?? [])
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
    } catch let error as UnusableRelease {
      try fail(.badManifest, "\(error)")
    } catch let error as JournalError {
      if case .inUse = error { try fail(.alreadyRunning, "\(error)") }
      try fail(.noSocket, "\(error)")
    }
    loop.refuseAtRandom()
    loop.run()
    // Watched until the process ends: a late signal must not change the exit status.
    Self.watched = signals
    let status = supervisor.assumeIsolated { $0.exitStatus }
    if status != 0 { throw ProgramStatus(status) }
  }

  /// Prints the reason on standard error, and exits with a status.
  func fail(_ status: ProgramStatus, _ why: String) throws -> Never {
    Self.complain(why)
    throw status
  }
}

extension ArgumentKind<String> {
  /// The name of an initializer.
  fileprivate static var nameInManifest: Self {
    Self("initializer", placeholder: "name") { text throws(InvalidArgument) in text }
  }
}

extension ArgumentKind<Int32> {
  /// A signal that the lifecycle can be mapped to.
  fileprivate static var lifecycleSignal: Self {
    Self("signal", values: .words(["USR1", "USR2"])) { name throws(InvalidArgument) in
      guard let number = SignalName.number(of: name), SignalName.of(number) != "signal \(number)" else {
        throw InvalidArgument("use a name, e.g. USR1 or SIGUSR2, or a number")
      }
      guard !takenSignals.contains(number) else {
        throw InvalidArgument(because: "it has another meaning", "use USR1 or USR2")
      }
      return number
    }
  }

  /// Signals with another meaning: the kernel's own, errors of this process, and those that initd itself needs.
  private static var takenSignals: Set<Int32> {
    [
      SIGKILL, SIGSTOP, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP,
      SIGSYS, SIGXFSZ,
    ]
  }
}
