internal import CommandLineOptions
internal import Etcd
internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitWire
internal import Platform

/// `initfleet`: coordinates the supervisors of many hosts through etcd.
@main
enum InitFleet {
  private static let help = CommandHelp(
    "initfleet", "Coordinate the supervisors (initd) of many hosts through etcd.",
    discussion: """
      A duration is a number with a unit (500ms, 30s, 2m), or a number of seconds.

      Exit status:
        0    success
        1    failed, e.g. a wait for hosts that have failed
        64   wrong usage
        66   the password file can't be read, or other users can read it
        69   no supervisor or no etcd answers, or another coordinator is connected
        77   permission denied
        124  timed out

      Examples:
        initfleet agent --etcd http://10.0.0.1:2379,http://10.0.0.2:2379 --fleet shop
        initfleet wait ready --all --timeout 5m && echo the fleet is ready
      """)

  static func main() {
    do {
      try ProcessStart.prepare()
      if let argument = ProcessEnvironment.firstArgumentThatIsNoText() {
        throw UsageError("\(argument) isn't UTF-8; arguments must be UTF-8", of: "initfleet")
      }
      let program = Program(
        help, version: Release.line(of: "initfleet", commit: BuildCommit.name), shared: NoOptions.self,
        commands: [
          AgentCommand.self, FleetStatusCommand.self, FleetWaitCommand.self, FleetWatchCommand.self,
          FleetActivateCommand.self,
          FleetDeactivateCommand.self, LeadCommand.self,
        ])
      switch try program.invocation(Array(CommandLine.arguments.dropFirst())) {
      case .command(let command): try command.run()
      case .text(let text): try FleetConsole.write(text)
      case .completion(let completion): try FleetConsole.write(completion.text)
      }
    } catch {
      exit(report(error).rawValue)
    }
  }

  /// Prints the error on standard error, and returns the exit status.
  static func report(_ error: any Error) -> ProgramStatus {
    switch error {
    case let status as ProgramStatus: return status
    case let error as UsageError:
      FleetConsole.complain(error.message)
      FleetConsole.explain(error.remedy)
      return .usage
    case let error as ClientError:
      FleetConsole.complain("\(error)")
      switch error {
      case .unreachable(.notPermitted): return .notPermitted
      case .refused(let refusal) where refusal.knownCode == .notPermitted: return .notPermitted
      default: return .unavailable
      }
    case let error as EtcdError:
      FleetConsole.complain(error.words)
      if error.isDenied { return .notPermitted }
      return error.isUnreachable ? .unavailable : .failure
    case let error as PasswordFileError:
      FleetConsole.complain(error.description)
      return .unreadable
    // The reader of our output has closed it; that isn't an error.
    case let error as SystemError where error.errno == EPIPE: return .success
    default:
      FleetConsole.complain("\(error)")
      return .failure
    }
  }
}

/// No options before a command's name.
struct NoOptions: OptionGroup {
  mutating func visit(_ options: inout Options) throws(UsageError) {}
}
