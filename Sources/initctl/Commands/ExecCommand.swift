internal import CommandLineOptions
internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitModel
internal import InitProcesses
internal import InitWire
internal import Platform

/// `exec`: replaces this process by a command, with the environment and the directory of an initializer's command or a process.
struct ExecCommand: SupervisorCommand {
  static let help = CommandHelp(
    "exec", "Run a command with the environment and the directory of a command or a process.",
    discussion: """
      The command gets the environment that initctl env --format json prints. If that has no TERM, yours is added, so interactive programs \
      work. The command is searched for in the PATH of that environment; a relative path begins in the directory. The command runs as you, \
      even if the manifest sets another user.

      The command replaces initctl, so the exit status is its own, and the terminal and signals reach it directly.

      Examples:
        initctl exec migrate -- env
        initctl exec menu -- sh -c 'echo "$INITD_PHASE in $(pwd)"'
      """)

  private var name = ""
  private(set) var command: [String] = []
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .initializerOrProcessName, help: "The initializer or process.")
    try options.command("command", &command, isRequired: true, help: "The command to run, and its arguments.")
    try connection.visit(&options)
  }

  /// Returns only if the command can't be executed.
  ///
  /// It runs on the main thread, because a command inherits the signal mask of the thread that executes it.
  @ProgramLoop func run(on client: Client) async throws -> ProgramStatus {
    let answer = try await client.environment(of: name)
    guard enter(answer.directory) else { return .cannotRun }
    var variables = answer.variables
    // Without TERM, interactive programs have no screen. A supervisor in the background often has none.
    if variables["TERM"] == nil, let terminal = getenv("TERM") { variables["TERM"] = String(cString: terminal) }
    do throws(SpawnError) {
      try replaceThisProcess(variables)
    } catch {
      Console.complain(message(for: error, in: answer.directory))
      return error.isNotFound ? .notFound : .cannotRun
    }
  }

  /// Enters the working directory.
  ///
  /// Returns false if that isn't possible, and prints why on standard error.
  private func enter(_ directory: String) -> Bool {
    // A supervisor that doesn't know its own working directory answers with a relative path.
    guard directory.hasPrefix("/") else {
      Console.complain(
        "cannot enter the working directory of \(name): the supervisor doesn't know its path; set workingDirectory to an absolute path"
      )
      return false
    }
    guard chdir(directory) != 0 else { return true }
    let reason = errno
    let remedy =
      switch reason {
      case ENOENT, ENOTDIR: "create it, or correct workingDirectory"
      case EACCES: "run initctl as a user who may enter it"
      default: "correct workingDirectory"
      }
    Console.complain(
      "cannot enter \(directory), the working directory of \(name): \(SystemError.reason(of: reason)); \(remedy)")
    return false
  }

  /// Replaces this process by the command, in the current directory.
  private func replaceThisProcess(_ variables: [String: String]) throws(SpawnError) -> Never {
    let program = command[0]
    let environment: EnvironmentBlock
    let arguments: CStringArray
    do throws(SpawnError) {
      guard !program.isEmpty else { throw SpawnError(call: .arguments, errno: EINVAL, program: program) }
      environment = try EnvironmentBlock(variables)
      arguments = try CStringArray(command)
    } catch {
      throw SpawnError(call: .arguments, errno: error.errno, program: program)
    }
    let search = ProgramSearch(path: environment.searchPath, directory: nil)
    let file = try search.locate(program)
    ExecCommand.restoreSignals()
    let failure = withExtendedLifetime((environment, arguments)) { () -> Int32 in
      execve(file, arguments.pointers, environment.strings.pointers)
      return errno
    }
    // This process goes on, and must be able to print the error.
    ProcessStart.ignoreBrokenPipes()
    ProcessStart.ignoreFileSizeLimit()
    ProcessStart.ignoreTerminalStops()
    // Executing an existing program fails with ENOENT if its interpreter is missing.
    let reason = search.check(file)
    let call: SpawnError.Call = reason == ENOENT || reason == ENOTDIR ? .find : .execute
    throw SpawnError(call: call, errno: failure, program: program)
  }

  /// Undoes what would reach the command: the signals that `ProcessStart.prepare` ignores, and the one that the loop blocks.
  ///
  /// Executing a program resets handlers by itself.
  private static func restoreSignals() {
    for number in [SIGPIPE, SIGXFSZ, SIGTTOU] { signal(number, SIG_DFL) }
    ProcessStart.unblockAllSignals()
  }

  /// Returns a message that says where the command was searched for, which isn't where the caller's shell would search.
  private func message(for error: SpawnError, in directory: String) -> String {
    let program = error.program
    guard error.isNotFound, !program.hasPrefix("/") else { return "\(error)" }
    return program.utf8.contains(UInt8(ascii: "/"))
      ? "cannot start \(program): there is no such file in \(directory), the working directory of \(name); correct the path"
      : "cannot start \(program): there is no such program in the PATH of \(name); install it or give its full path"
  }
}
