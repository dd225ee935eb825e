internal import AppInitializers
internal import ArgumentParser
internal import CCommit
internal import Etcd
internal import Glibc
internal import InitClient

/// `initfleet`: coordinates the supervisors of many hosts through etcd.
struct InitFleet: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "initfleet",
    abstract: "Coordinate the supervisors (initd) of many hosts through etcd.",
    discussion: """
      A duration is a number with a unit (500ms, 30s, 2m, 1h), or a number of seconds.

      Exit status:
        0    success
        1    failed, e.g. a wait for hosts that have failed
        64   wrong usage
        66   a file can't be used: the password's, or one of --cacert, --cert and --key
        69   no supervisor or no etcd answers, or another coordinator is connected
        77   permission denied: by the supervisor, or by etcd, to the user or its certificate
        124  timed out

      Examples:
        initfleet agent --etcd http://10.0.0.1:2379,http://10.0.0.2:2379 --fleet shop
        initfleet wait ready --all --timeout 5m && echo the fleet is ready
      """,
    version: Version.line,
    subcommands: [
      AgentCommand.self, StatusCommand.self, WaitCommand.self, WatchCommand.self, LaunchCommand.self,
      ActivateCommand.self, DeactivateCommand.self, ForgetCommand.self, LeadCommand.self,
    ])
}

/// Starts the program.
@main enum Main {
  static func main() async {
    // A reader of our output that has gone is an error of the write.
    signal(SIGPIPE, SIG_IGN)
    // Swift's runtime would print a backtrace, and go on.
    signal(SIGQUIT, SIG_DFL)
    do {
      var command = try InitFleet.parseAsRoot()
      if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
    } catch {
      exit(report(error).rawValue)
    }
  }

  /// Prints the error on standard error, and returns the exit status.
  static func report(_ error: any Error) -> ExitCode {
    if let failure = failure(error) { return complain(failure.message, failure.status) }
    switch error {
    case let status as ExitCode: return status
    case let error as OutputFailure: return error.isClosed ? .success : complain(error.description, .failure)
    default: break
    }
    let status = InitFleet.exitCode(for: error)
    if status.isSuccess {
      // Help, or the version.
      do throws(OutputFailure) {
        try Console.write(InitFleet.fullMessage(for: error) + "\n")
      } catch {
        return report(error)
      }
    } else if status == .validationFailure {
      return complain(InitFleet.message(for: error), .usage)
    } else {
      return complain(InitFleet.message(for: error), .failure)
    }
    return status
  }

  /// Returns the message and the exit status of a failure of the fleet; nil for other errors.
  static func failure(_ error: any Error) -> (message: String, status: ExitCode)? {
    switch error {
    case let error as UsageError: (error.message, .usage)
    case let error as SupervisorError: (error.words, error.kind == .notPermitted ? .notPermitted : .unavailable)
    case let error as EtcdError:
      (error.words, error.isDenied ? .notPermitted : error.mayPass ? .unavailable : .failure)
    case let error as PasswordFileError: (error.description, .unusable)
    case let error as EtcdSecurityError: (error.description, .unusable)
    default: nil
    }
  }

  private static func complain(_ message: String, _ status: ExitCode) -> ExitCode {
    Console.complain(message)
    if status == .usage { Console.explain("see initfleet --help, or initfleet COMMAND --help") }
    return status
  }
}

extension SupervisorError {
  /// A text that says what happened, and what to do with the options of this program.
  var words: String { description.replacing("the parameter `at:`", with: "--socket") }
}

/// Wrong usage that is found after the options were read.
struct UsageError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

extension ExitCode {
  /// Wrong usage.
  static let usage = ExitCode(64)
  /// A file can't be used.
  static let unusable = ExitCode(66)
  /// No supervisor answers, or etcd doesn't.
  static let unavailable = ExitCode(69)
  /// Permission denied.
  static let notPermitted = ExitCode(77)
  /// A timeout expired.
  static let timedOut = ExitCode(124)
}

/// The version of this program.
enum Version {
  static let number = "0.1.0"
  /// The program, its version, the commit, and the architecture.
  static let line = "initfleet \(number) (commit \(String(cString: initfleet_commit())), \(architecture))"

  #if arch(x86_64)
    private static let architecture = "x86_64"
  #elseif arch(arm64)
    private static let architecture = "aarch64"
  #endif
}
