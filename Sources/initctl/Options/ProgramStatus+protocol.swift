internal import CommandLineOptions
internal import EventLoop
internal import InitClient
internal import InitModel
internal import InitProcesses
internal import InitWire

/// The exit statuses of docs/guide.md.
extension ProgramStatus {
  /// The manifest is invalid.
  static let badManifest = ProgramStatus(65)
  /// The manifest, or a record, can't be read.
  static let unreadable = ProgramStatus(66)
  /// No supervisor answers at the socket, or the connection was lost.
  static let noSupervisor = ProgramStatus(69)
  /// Permission denied.
  static let notPermitted = ProgramStatus(77)
  /// A timeout expired.
  static let timedOut = ProgramStatus(124)
  /// The command can't be executed.
  static let cannotRun = ProgramStatus(126)
  /// The command isn't found.
  static let notFound = ProgramStatus(127)

  /// Creates the status for an error of the client.
  init(for error: ClientError) {
    self =
      switch error {
      case .unreachable(.notPermitted): .notPermitted
      case .noSocketPath, .unreachable, .silent, .unresponsive, .notASupervisor, .lost, .closed: .noSupervisor
      case .refused(let error):
        switch error.knownCode {
        case .notPermitted: .notPermitted
        case .timeout: .timedOut
        case .invalidManifest: .badManifest
        case .unreadableManifest: .unreadable
        // An unknown name.
        case .unknownInitializer: .usage
        default: .failure
        }
      case .timedOut: .timedOut
      case .unsendable, .cancelled: .failure
      }
  }

  /// Creates the status of a command that has ended: its own, or 128 + n for a signal.
  init(for status: ExitStatus) { self.init(status.ofShell) }
}
