internal import CommandLineOptions
internal import Glibc
internal import InitWire
internal import Platform

/// `initfleet`: lets the supervisors of many hosts initialize as one, with etcd.
@main
enum InitFleet {
  private static let help = CommandHelp(
    "initfleet", "Let the supervisors (initd) of many hosts initialize as one, with etcd.",
    discussion: """
      A duration is a number with a unit (500ms, 30s, 2m), or a number of seconds.

      Exit status:
        0    success
        1    failed
        64   wrong usage
        69   no supervisor answers, or another coordinator is connected to it

      Examples:
        initfleet agent --etcd http://10.0.0.1:2379,http://10.0.0.2:2379 --fleet shop
      """)

  static func main() {
    do {
      try ProcessStart.prepare()
      if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
        throw UsageError("\(argument) isn't UTF-8; arguments must be UTF-8", of: "initfleet")
      }
      let program = Program(
        help, version: Release.version, shared: NoOptions.self, commands: [AgentCommand.self])
      switch try program.invocation(Array(CommandLine.arguments.dropFirst())) {
      case .command(let command): try command.run()
      case .text(let text): try StandardStream.output.write(Array(text.utf8))
      case .completion(let completion): try StandardStream.output.write(Array(completion.text.utf8))
      }
    } catch {
      exit(tell(error).rawValue)
    }
  }

  /// Prints the error on standard error, and returns the exit status.
  static func tell(_ error: any Error) -> ProgramStatus {
    switch error {
    case let status as ProgramStatus: return status
    case let error as UsageError:
      complain(error.message)
      StandardStream.error.say(error.remedy)
      return .usage
    case let error as SystemError where error.errno == EPIPE: return .success
    default:
      complain("\(error)")
      return .failure
    }
  }

  /// Prints a message on standard error.
  static func complain(_ message: String) {
    StandardStream.error.say("initfleet: \(TerminalText.escape(message))")
  }
}

/// No options before a command's name.
struct NoOptions: OptionGroup {
  mutating func visit(_ options: inout Options) throws(UsageError) {}
}
