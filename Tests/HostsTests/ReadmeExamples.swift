import AppInitializers
import AppInitializersWorker
import Glibc
import InitClient
import InitModel
import InitWords

// The code blocks of clients/swift/README.md, and some of the articles. Tests/Docs compares them.

private final class Credentials: ContextualInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> Secret<String> { Secret("swordfish") }
}

private func tell(_ worker: Worker) async throws {
  try await worker.run(endingOn: [SIGTERM, SIGINT]) { change in print(change) }
}

private func ask() async throws {
  let client = try await SupervisorClient.connect(within: .seconds(10)) { error in print("waiting: \(error)") }
  try await client.withHold {
    do {
      try await client.wait(for: .ready, timeout: .seconds(30))
    } catch let error as SupervisorError where error.kind == .timedOut {
      print(try await client.status().initializers.filter { $0.status == .running }.map(\.name))
    }
  }
  for try await event in client.events(.pass) {
    switch event.body {
    case .snapshot(let status): print(status.composite.state.rawValue)
    case .pass(let pass): print("pass", pass.pass, pass.status.rawValue)
    default: break
    }
  }
}
