internal import CommandLineOptions
internal import EventLoop
internal import Glibc
internal import InitClient
internal import Platform

/// The loop of this process, on its main thread, for one command.
enum CommandLoop {
  /// Runs `work` on a loop until it has ended, prints its error, and throws its exit status.
  static func run(_ work: @escaping @Sendable (Loop) async throws -> ProgramStatus) throws {
    let status = try ProgramLoop.run { loop in
      do { return try await work(loop) } catch { return report(error) }
    }
    if status != .success { throw status }
  }

  /// Prints the error on standard error, and returns its exit status.
  static func report(_ error: any Error) -> ProgramStatus {
    switch error {
    case let status as ProgramStatus: return status
    case let error as UsageError:
      Console.complain(error.message)
      Console.explain([error.remedy])
      return .usage
    case let error as ClientError:
      Console.complain("\(error)")
      return ProgramStatus(for: error)
    // The reader of our output has closed it; that isn't an error.
    case let error as SystemError where error.errno == EPIPE: return .success
    default:
      Console.complain("\(error)")
      return .failure
    }
  }
}
