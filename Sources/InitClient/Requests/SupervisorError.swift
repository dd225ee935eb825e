internal import EventLoop
internal import InitModel
internal import InitText
internal import InitWire

/// Why a request failed or was refused.
public struct SupervisorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of error, for programs.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// No socket path is given, not even in the environment.
    case noSocketPath
    /// No process listens at the path, or the path can't be used.
    case unreachable
    /// The peer doesn't speak this protocol.
    case notASupervisor
    /// The supervisor closed the connection, or it broke.
    case connectionLost
    /// The program closed the connection.
    case closed
    /// The timeout has passed.
    case timedOut
    /// The awaited run or pass was cancelled.
    case cancelled
    /// Permission denied: for the socket, or for the request.
    case notPermitted
    /// Another worker provides an initializer of that name.
    case nameConflict
    /// No initializer has that name.
    case unknownInitializer
    /// An initializer doesn't run, so it can't be cancelled, or never runs, so it can't run again.
    case notRunning
    /// An initializer runs in active passes, and the app is inactive.
    case inactive
    /// No pass has that number, or it is forgotten.
    case unknownPass
    /// The name can't be used in a supervisor.
    case unusableName
    /// The supervisor is shutting down.
    case shuttingDown
    /// The configuration that the supervisor has read again has mistakes; nothing has changed.
    case invalidManifest
    /// The supervisor can't read its configuration again; nothing has changed.
    case unreadableManifest
    /// A limit of the supervisor was reached.
    case limitExceeded
    /// The supervisor refused the request for another reason.
    case refused
  }

  /// The kind of error.
  public let kind: Kind
  /// The error's code in the protocol, for example −32003; `nil` if the supervisor didn't answer with an error.
  public let code: Int?
  /// The code's name in the protocol, for example `timeout`; `nil` if it has none.
  public var word: String? { code.flatMap { ErrorCode(rawValue: $0)?.name } }
  /// Says what happened, why, and what to do.
  public let description: String

  /// Creates an error of a kind.
  package init(_ kind: Kind, _ description: String, code: Int? = nil) {
    self.kind = kind
    self.code = code
    self.description = description
  }

  /// Creates the error for users.
  package init(_ error: ClientError) {
    let kind: Kind =
      switch error {
      case .noSocketPath: .noSocketPath
      case .unreachable(.notPermitted): .notPermitted
      case .unreachable, .silent: .unreachable
      case .notASupervisor: .notASupervisor
      case .lost, .unresponsive: .connectionLost
      case .closed: .closed
      case .timedOut: .timedOut
      case .cancelled: .cancelled
      case .unsendable: .refused
      case .refused(let error): Kind(error.knownCode)
      }
    self.init(kind, error.words(naming: "the parameter `at:`"), code: error.code)
  }

  /// Runs `body` and converts its `ClientError`; a cancelled task throws `CancellationError`.
  package static func translate<Value>(
    explaining explain: (ClientError) -> SupervisorError = { SupervisorError($0) },
    _ isolation: isolated (any Actor)? = #isolation, _ body: () async throws(ClientError) -> Value
  ) async throws -> Value {
    do throws(ClientError) {
      return try await body()
    } catch {
      throw thrown(error, explain)
    }
  }

  /// Returns the error to throw: `CancellationError` for a cancelled task.
  static func thrown(
    _ error: ClientError, _ explain: (ClientError) -> SupervisorError = { SupervisorError($0) }
  ) -> any Error {
    error == .cancelled ? CancellationError() : explain(error)
  }
}

extension ClientError {
  /// The code of the supervisor's error, if it is one.
  var code: Int? { if case .refused(let error) = self { error.code } else { nil } }
}

extension SupervisorError.Kind {
  fileprivate init(_ code: ErrorCode?) {
    switch code {
    case .timeout: self = .timedOut
    case .cancelled: self = .cancelled
    case .notPermitted: self = .notPermitted
    case .nameConflict: self = .nameConflict
    case .unknownInitializer: self = .unknownInitializer
    case .notRunning: self = .notRunning
    case .inactive: self = .inactive
    case .shuttingDown: self = .shuttingDown
    case .limitExceeded: self = .limitExceeded
    case .invalidManifest: self = .invalidManifest
    case .unreadableManifest: self = .unreadableManifest
    case .unsupportedProtocol: self = .notASupervisor
    case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, nil: self = .refused
    }
  }
}

extension SupervisorError {
  /// Creates the error of a reload, with all mistakes of the configuration.
  init(reloading error: ClientError) {
    let base = SupervisorError(error)
    guard case .refused(let refusal) = error, case .findings(let findings) = refusal.detail else {
      self = base
      return
    }
    let lines = findings.map { TerminalText.escape("\($0)") }
    self.init(base.kind, ([base.description] + lines).joined(separator: "\n"), code: base.code)
  }
}
