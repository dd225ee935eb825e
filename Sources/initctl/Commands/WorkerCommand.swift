internal import CommandLineOptions
internal import Glibc
internal import InitClient
internal import InitWire
internal import Libuv
internal import Platform

/// `worker`: registers a name, and runs a command for each of its runs.
struct WorkerCommand: ProgramCommand, Sendable {
  static let help = CommandHelp(
    "worker", "Provide an initializer: run a command each time the supervisor asks for it.",
    discussion: """
      Examples:
        initctl worker favorites --priority appActive -- ./load-favorites
        initctl worker index --dependency migrate --timeout 30s -- ./build-index
      """)

  private var name = ""
  private var priority: Priority?
  private(set) var dependencies: [String] = []
  private(set) var timeout: Duration?
  private var secret = false
  private(set) var command: [String] = []
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .initializerName, help: "The name of the initializer.")
    try options.option(
      "priority", &priority, .word("priority"),
      help: "The phase that runs it: appLaunch or appActive. Default: appLaunch.")
    try options.option(
      "dependency", &dependencies, .initializerName,
      help: "An initializer that must be complete first. Repeat for several.")
    try options.option("timeout", &timeout, .duration, help: "Cancel a run that takes longer. Default: never.")
    try options.flag("secret", &secret, help: "Hide the command's output for dependents from logs.")
    try options.command("command", &command, isRequired: true, help: "The command to run, and its arguments.")
    try connection.visit(&options)
  }

  func validate() throws(UsageError) {
    guard Set(dependencies).count == dependencies.count else { throw UsageError("give each --dependency only once") }
    if let clash = InputVariableName.clash(in: dependencies) {
      throw UsageError(
        "the dependencies \(dependencies[clash.first]) and \(dependencies[clash.second]) share the variable \(clash.variable); rename one of them"
      )
    }
  }

  func run() throws {
    try CommandLoop.run { loop in
      let path = try SocketPath.resolve(asked: connection.socket)
      try await serve(loop, path, within: connection.connectTimeout)
      return .success
    }
  }

  private func serve(_ loop: Loop, _ path: String, within: Duration?) async throws {
    let registration = RegistrationShape(
      name: name, priority: priority, dependencies: dependencies.isEmpty ? nil : dependencies,
      timeout: timeout?.inSeconds)
    let commands = RunningCommands()
    let outputs = CommandOutputs(loop: loop)
    defer { outputs.close() }
    let worker = WorkerService(
      loop: loop, path: path, program: ProgramShape(name: "initctl worker \(name)", version: Release.version),
      initializers: [
        WorkerInitializer(registration) { [command, secret] run in
          let file = outputs.file(of: run.params.run)
          defer { file?.remove() }
          try await commands.run(
            WorkerProcess(loop: loop, arguments: command, socket: path, run: run.params, output: file))
          try await outputs.handOver(file, of: run, isSecret: secret)
        }
      ],
      onChange: { [changes = WorkerChanges(name: name)] in changes.tell($0) })
    let service = Task(executorPreference: loop) { try await worker.serve(within: within) }
    var signalsSeen = 0
    let onSignal = {
      signalsSeen += 1
      // The first signal ends it in order; a second one skips the waiting.
      if signalsSeen == 1 { service.cancel() } else { commands.kill() }
    }
    // If this worker is killed, child processes of its command must not continue beside the next worker.
    do throws(SystemError) {
      try loop.guardChildren(grace: .zero, lock: nil)
    } catch {
      Console.complain(
        "cannot start the guard of \(name): \(error); if this process is killed, child processes may keep running")
    }
    defer { loop.endGuard() }
    let sources = try [SIGTERM, SIGINT].map { try SignalSource(loop: loop, signal: $0, then: onSignal) }
    defer { for source in sources { source.close() } }
    try await service.value
  }
}

/// Prints problems of a worker on standard error; on the loop's thread.
private final class WorkerChanges: @unchecked Sendable {
  private let name: String
  private var wasLost = false

  init(name: String) { self.name = name }

  func tell(_ change: WorkerService.Change) {
    switch change {
    case .registered:
      if wasLost { Console.complain("\(name) is registered again") }
    case .lost(let error):
      wasLost = true
      Console.complain("\(error); reconnecting")
    case .notRegistered(let error): Console.complain("\(error); retrying")
    }
  }
}
