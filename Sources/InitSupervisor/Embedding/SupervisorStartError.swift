internal import Platform

/// Why a supervisor that is part of a program couldn't start.
public struct SupervisorStartError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Says what happened, why, and what to do.
  public let description: String

  /// Translates an error of the supervisor's start into terms of its parameters.
  ///
  /// Keeps an error that is already public as it is.
  init?(_ error: any Error) {
    switch error {
    case let error as ListenerError: description = error.words(naming: "socketPath")
    case let error as JournalError: description = error.words(naming: "stateDirectory")
    case let error as SystemError: description = "cannot start a supervisor: \(error)"
    default: return nil
    }
  }
}
