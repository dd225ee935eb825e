internal import InitClient
internal import WebStatus

/// Changes the app's state for clients that have the token, as `initctl activate`, `deactivate`, `launch` and `rerun` do.
struct Control: Sendable {
  /// How long the supervisor may take to answer.
  private static let patience = Duration.seconds(10)

  /// The token that a client must send.
  let token: String
  /// The supervisor's socket; a socket for observers doesn't suffice.
  let socket: String?

  /// The command of a client.
  enum Command: Sendable, Equatable {
    case activate
    case deactivate
    case launch
    case rerun(RerunBody)

    /// Reads the command from a path; `body` is its JSON.
    init?(_ name: Substring, _ body: () throws -> RerunBody) rethrows {
      switch name {
      case "activate": self = .activate
      case "deactivate": self = .deactivate
      case "launch": self = .launch
      case "rerun": self = .rerun(try body())
      default: return nil
      }
    }
  }

  /// The body of `rerun`.
  struct RerunBody: Decodable, Sendable, Equatable {
    var initializers: [String]
    var withDependents: Bool?
  }

  /// The answer to a command.
  struct Result: Encodable, Sendable {
    /// The passes that the request started or joined.
    var passes: [Int]?
    /// The initializers whose runs the request cancelled.
    var cancelled: [String]?
  }

  /// Carries a command out; nil if the supervisor doesn't answer in time.
  func perform(_ command: Command) async throws -> Result? {
    try await limited(to: Self.patience) {
      let client = try await SupervisorClient.connect(at: socket, named: "initweb", within: .zero)
      do {
        let result = try await perform(command, client)
        await client.close()
        return result
      } catch {
        await client.close()
        throw error
      }
    }
  }

  private func perform(_ command: Command, _ client: SupervisorClient) async throws -> Result {
    switch command {
    case .activate: Result(passes: [try await client.activate()])
    case .deactivate: Result(cancelled: try await client.deactivate())
    case .launch: Result(passes: [try await client.launch()])
    case .rerun(let body):
      Result(passes: try await client.rerun(body.initializers, withDependents: body.withDependents ?? false))
    }
  }
}
