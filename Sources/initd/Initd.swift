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
        65   invalid manifest, or too many files to watch
        66   the manifest cannot be read
        73   the socket, the state directory, a port or a watch cannot be used
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
  private(set) var activateOn: ActivationCause?
  private(set) var deactivateOn: Int32?
  private var stateDirectory: String?
  private var concurrency: Int?
  private var keepsGoing = false
  private var only: [String] = []
  private var skipped: [String] = []
  private var external: [String] = []
  private var watches = false
  private var logLevel = Logger.Level.info
  private var logFormat = StandardErrorLog.Format.text
  private var logFile: String?
  private var hasTime = false
  private var output: OutputInLog?
  private(set) var access = AccessOptions()
  private var limits: [LimitOption] = []
  private var check: [String] = []
  private(set) var resolves = false
  private(set) var isStrict = false
  private(set) var json = false
  private(set) var format: StandardErrorLog.Format?
  private var checkWorker: String?
  private var schema: ManualFormat?
  private var key: String?
  private(set) var app: [String] = []

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "config", &config, .file(),
      help:
        "The manifest. Default: init.yaml or init.yml of this directory, or of the nearest one above that has one; if there is none, all initializers come from workers. Can be repeated: the values of each file override those of the files before it."
    )
    try options.option(
      "profile", &profiles, .text("name"),
      help: "Also select the initializers and workers with this profile. Can be repeated.")
    try options.option(
      "socket", &socket, .file("path"),
      help:
        "Path of the socket. Default: $INITD_SOCKET, else the manifest's socket, else one for the manifest's folder in $XDG_RUNTIME_DIR/initd, /run/user/UID/initd or /tmp/initd-UID; without a manifest $XDG_RUNTIME_DIR/initd.sock, else /run/initd.sock for root."
    )
    try options.flag("no-launch", &waitsForLaunch, help: "Launch only when a client asks for it.")
    try options.flag("activate", &activates, help: "Activate the app at the start.")
    try options.flag(
      "no-activate", &staysInactive,
      help: "Don't activate the app at the start, even if the manifest says activate: true.")
    try options.option(
      "activate-on", &activateOn, .activationCause,
      help:
        "Activate the app on this signal, e.g. USR1; or, with wake, after the machine was suspended for more than 5 s.")
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
      "external", &external, .nameInManifest,
      help: "You run this process by hand: what answers there counts as the process. Can be repeated.")
    try options.flag(
      "watch", &watches,
      help:
        "When the contents of the inputs of an initializer or a process change, run it again with what depends on it, or restart it; when a file of the manifest changes, reload it."
    )
    try options.option(
      "log-level", &logLevel, .word("level"),
      help: "The lowest level that is logged: trace, debug, info, notice, warning, error or critical (default: info).")
    try options.option(
      "log-format", &logFormat, .word("format"),
      help: "Format of the log on standard error: text or json (default: text).")
    try options.flag(
      "log-time", &hasTime, help: "Begin each line of the log with the time, also on a terminal.")
    try options.option(
      "log-file", &logFile, .file(),
      help:
        "Append the log to this file, instead of standard error. At 10 MiB it is renamed to FILE.1, and a new one begins."
    )
    try options.option(
      "output", &output, .word("choice", placeholder: "lines"),
      help:
        "Which output of commands is logged: all, failed (the last lines of failed attempts) or none. Default: the manifest's output, else failed, and all on a terminal."
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
    try options.option(
      "key", &key, .text("name"), help: "With --schema markdown, print only the keys with this name.")
    try access.visit(&options)
    try options.command("app", &app, isRequired: false, help: "The app to start, and its arguments.")
  }

  func validate() throws(UsageError) {
    try access.validate()
    try LimitOption.validate(limits)
    if let number = activateOn?.signal, number == deactivateOn {
      throw UsageError(
        "--activate-on and --deactivate-on are both \(SignalName.of(number)); use different signals, e.g. USR1 and USR2"
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
    if key != nil, schema != .markdown { throw UsageError("--key is given without --schema markdown; add it") }
    guard check.count(where: { $0 == "-" }) < 2 else {
      throw UsageError("standard input (-) can be read only once; name it once, or give a file")
    }
    if resolves, json || format != nil {
      throw UsageError("--resolved prints YAML; omit --\(json ? "json" : "format")")
    }
    if config.isEmpty, check.isEmpty, foundManifest.isEmpty,
      let option = watches ? "watch" : !profiles.isEmpty ? "profile" : nil
    {
      throw UsageError("--\(option) is given without a manifest; add --config FILE")
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
      case .other: break
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
    if let key { return try reportKey(key) }
    if let schema { return try reportSchema(schema) }
    if !check.isEmpty { return try report(check) }
    if let checkWorker { return try reportWorker(checkWorker) }
    ProcessStart.recordDispositions()
    let (configuration, warnings, linked) = try configuration()
    DescriptorLimit.raise()
    let level = logLevel
    if let logFile {
      do { try LogFile.redirect(to: logFile) } catch { try fail(.noSocket, "cannot use the file of the log: \(error)") }
    }
    let log = StandardErrorLog.stream(logFormat, file: logFile)
    let foreground =
      isInForeground
      ? ForegroundText(
        names: configuration.initializers.map(\.declaration.name) + configuration.workers.map(\.name), hasTime: hasTime)
      : nil
    let logger = Logger(label: "initd") { _ in
      StandardErrorLog(format: logFormat, level: level, stream: log, foreground: foreground)
    }
    defer { log.finish() }
    for warning in warnings { logger.warning("\(warning)") }
    let memory = configuration.limits.clients.memory
    if memory < Limits().clients.memory, !limits.contains(where: { $0.name == .clientBytes }) {
      logger.info(
        "clients may hold \(memory >> 10) KiB, a quarter of the cgroup's memory; --limit clientBytes changes it")
    }
    try supervise(configuration, logger, log, linked)
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

  /// Whether a person reads the log on a terminal.
  private var isInForeground: Bool { logFile == nil && logFormat == .text && isatty(STDERR_FILENO) == 1 }

  /// The manifest that no option names: of this directory, or of the nearest one above that has one.
  private var foundManifest: [String] { foundProject.map { [$0.shownManifest] } ?? [] }

  private var foundProject: ProjectFolder? {
    WorkingDirectory.current.flatMap { ProjectFolder(from: $0) }
  }

  /// Returns the path of a project's socket, and whether the manifest has chosen it.
  private func socket(
    of project: ProjectFolder, _ manifest: Manifest?, _ variables: [String: String]
  ) throws -> (path: String, isChosen: Bool) {
    if let written = manifest?.settings.start.socket {
      return (WorkingDirectory.absoluteSocket(Path.join(Path.directory(of: project.manifest), written)), true)
    }
    let path = try project.socket(variables, creates: true)
    SocketLink.clear(path)
    return (path, false)
  }

  /// Returns the settings, and the project to whose socket a link must lead.
  private func configuration() throws -> (SupervisorConfiguration, warnings: [Finding], linked: ProjectFolder?) {
    var configuration: SupervisorConfiguration
    let variables = ProcessEnvironment.variables()
    let passed = try passedSockets(variables)
    if passed.main == nil, access.keepsOthersOut {
      try fail(
        .usage, "--allow-… has no effect: the mode of the socket excludes other users; set --socket-mode 660 or 666"
      )
    }
    try refuseOptionsOf(passed)
    if config.isEmpty, let found = foundProject, !found.isTrusted {
      try fail(.unreadable, "\(found.shownManifest) belongs to another user; if you trust it, name it with --config")
    }
    let paths = config.isEmpty ? foundManifest : config
    let manifest = paths.isEmpty ? nil : try self.manifest(paths)
    let isNamed = passed.main != nil || socket != nil || variables[SocketRule.variable]?.isEmpty == false
    let project = isNamed ? nil : paths.first.map { ProjectFolder(manifest: $0) }
    var isChosen = false
    do {
      var path = passed.main?.path ?? socket
      if let project { (path, isChosen) = try socket(of: project, manifest, variables) }
      configuration = try .ofThisProcess(socketPath: path, variables)
    } catch let error as NoSocketPath {
      try fail(.usage, "\(error); give a path with --socket")
    } catch let error as SystemError {
      try fail(.noSocket, "cannot use the directory of the project's socket: \(error); give a path with --socket")
    }
    if let manifest {
      let refused = StrictCheck.refusedUsers(of: manifest)
      if !refused.isEmpty {
        try report(refused, .error)
        throw ProgramStatus.badManifest
      }
    }
    configuration.machine.only = Set(only)
    configuration.machine.skipped = Set(skipped)
    configuration.externalProcesses = external
    configuration.watchesInputs = watches
    if let name = external.first(where: { name in manifest?.probes(name) != true }) {
      throw UsageError(
        "--external \(name): no process of the manifest has this name, and a ready with tcp, http, unix, path or command"
      )
    }
    configuration.machine.launchesAtStart = !waitsForLaunch
    let start = manifest?.settings.start
    let folder = paths.first.map(Path.directory) ?? ""
    configuration.stateDirectory = stateDirectory ?? start?.stateDirectory.map { Path.join(folder, $0) }
    configuration.outputInLog =
      output ?? start?.output.flatMap { OutputInLog(rawValue: $0) }
      ?? (isInForeground ? .all : .failed)
    configuration.advisesAfterFailure = isInForeground
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
      files: files(paths), base: configuration, concurrency: concurrency, keepsGoing: keepsGoing,
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
    // initctl looks for the project's socket in the user's runtime directory.
    return (configuration, manifest?.warnings ?? [], linked: isChosen ? project : nil)
  }

  /// Runs until the supervisor has ended.
  ///
  /// `linked` is the project to whose socket a link must lead.
  private func supervise(
    _ configuration: SupervisorConfiguration, _ logger: Logger, _ log: LogStream, _ linked: ProjectFolder?
  ) throws {
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
    } catch let error as PortFault {
      try fail(.noSocket, "\(error)")
    } catch let error as WatchFault {
      if case .tooMany = error { try fail(.badManifest, "\(error)") }
      try fail(.noSocket, "\(error)")
    } catch let error as JournalError {
      if case .inUse = error { try fail(.alreadyRunning, "\(error)") }
      try fail(.noSocket, "\(error)")
    }
    if configuration.source == nil {
      logger.info("there is no init.yaml here or above: all initializers come from workers")
    }
    loop.refuseAtRandom()
    let link = linked.flatMap { createLink(to: configuration.socketPath, of: $0, logger) }
    loop.run()
    link?.remove()
    // Watched until the process ends: a late signal must not change the exit status.
    Self.watched = signals
    let status = supervisor.assumeIsolated { $0.exitStatus }
    if status != 0 { throw ProgramStatus(status) }
  }

  /// Creates the link with which `initctl` finds the socket of a project.
  private func createLink(to socket: String, of project: ProjectFolder, _ logger: Logger) -> SocketLink? {
    do throws(SystemError) {
      return try SocketLink(at: project.socket(ProcessEnvironment.variables(), creates: true), to: socket)
    } catch {
      logger.warning("initctl finds this supervisor only with --socket \(TerminalText.escape(socket)): \(error)")
      return nil
    }
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

/// What activates the app, other than a client.
enum ActivationCause {
  /// A signal to the supervisor.
  case signal(Int32)
  /// The machine resumes after a suspension.
  case wake

  /// The signal, if it is one.
  var signal: Int32? {
    guard case .signal(let number) = self else { return nil }
    return number
  }
}

extension ArgumentKind<ActivationCause> {
  /// A signal, or the machine's wake.
  fileprivate static var activationCause: Self {
    Self("signal", values: .words(["USR1", "USR2", "wake"])) { word throws(InvalidArgument) in
      word == "wake" ? .wake : .signal(try Initd.lifecycleSignal(named: word, orElse: ", or wake"))
    }
  }
}

extension ArgumentKind<Int32> {
  /// A signal that the lifecycle can be mapped to.
  fileprivate static var lifecycleSignal: Self {
    Self("signal", values: .words(["USR1", "USR2"])) { name throws(InvalidArgument) in
      try Initd.lifecycleSignal(named: name)
    }
  }
}

extension Initd {
  /// Returns the number of a signal that the lifecycle can be mapped to.
  fileprivate static func lifecycleSignal(named name: String, orElse: String = "") throws(InvalidArgument) -> Int32 {
    guard let number = SignalName.number(of: name), SignalName.of(number) != "signal \(number)" else {
      throw InvalidArgument("use a name, e.g. USR1 or SIGUSR2, or a number\(orElse)")
    }
    guard !takenSignals.contains(number) else {
      throw InvalidArgument(because: "it has another meaning", "use USR1 or USR2\(orElse)")
    }
    return number
  }

  /// Signals with another meaning: the kernel's own, errors of this process, and those that initd itself needs.
  private static var takenSignals: Set<Int32> {
    [
      SIGKILL, SIGSTOP, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP,
      SIGSYS, SIGXFSZ,
    ]
  }
}
