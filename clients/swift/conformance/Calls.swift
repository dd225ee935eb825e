import AppInitializers
import InitClient
import InitModel

/// Sends requests, one after another, and says how each has ended.
struct Calls {
  private let name: String

  init(_ name: String) { self.name = name }

  /// Sends them.
  ///
  /// - Throws: an error that isn't the supervisor's answer.
  func make(_ calls: [Argument.Call]) async throws {
    let client = try await SupervisorClient.connect(named: name)
    for call in calls { try await make(call, client) }
    await client.close()
  }

  private func make(_ call: Argument.Call, _ client: SupervisorClient) async throws {
    if call.status == true {
      try await say("status") { try await client.status().isActive ? "active" : "inactive" }
    } else if call.activate == true {
      try await say("activate") { "\(try await client.activate())" }
    } else if call.deactivate == true {
      try await say("deactivate") {
        try await client.deactivate()
        return ""
      }
    } else if let goal = call.waitFor.map({ .initializer($0) }) ?? call.wait.flatMap(goal) {
      try await say("wait") { try await outcome(of: goal, call.timeout.map { .seconds($0) }, client) }
    } else if let hold = call.hold {
      try await say("hold") {
        try await client.withHold {
          Lines.say("call hold begun")
          try await Task.sleep(for: .seconds(hold))
        }
        return "ended"
      }
    }
  }

  private func goal(_ word: String) -> SupervisorClient.Goal? {
    switch word {
    case "ready": .ready
    case "launch": .launch
    case "active": .active
    case "composite": .composite
    default: nil
    }
  }

  /// Returns the State of a wait.
  private func outcome(
    of goal: SupervisorClient.Goal, _ timeout: Duration?, _ client: SupervisorClient
  ) async throws -> String {
    do {
      try await client.wait(for: goal, timeout: timeout)
      return "complete"
    } catch is InitializationError {
      return "failed"
    } catch let error as SupervisorError where error.kind == .cancelled && error.code == nil {
      return "cancelled"
    }
  }

  private func say(_ call: String, _ answer: () async throws -> String) async throws {
    do {
      let words = try await answer()
      Lines.say(words.isEmpty ? "call \(call)" : "call \(call) \(words)")
    } catch let error as SupervisorError {
      guard let code = error.code else { throw error }
      Lines.say("call \(call) refused \(code) \(error.word ?? "")")
    }
  }
}
