import AppInitializers
import Dispatch
import Glibc
import InitClient

// The code blocks of clients/swift/README.md, and some of the articles. Tests/Docs compares them.

private final class Credentials: ContextualInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> Secret<String> { Secret("swordfish") }
}

private func serve(_ worker: Worker) async throws {
  let serving = Task { try await worker.run() }
  signal(SIGTERM, SIG_IGN)
  let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
  termination.setEventHandler { serving.cancel() }
  termination.resume()
  try await serving.value
}

private func tell(_ worker: Worker) async throws {
  try await worker.run(connectingWithin: .seconds(30)) { change in print(change) }
}

private func ask() async throws {
  let client = try await SupervisorClient.connect(within: .seconds(30)) { error in print("waiting: \(error)") }
  try await client.withHold {
    do {
      try await client.wait(for: .ready, timeout: .seconds(30))
    } catch let error as SupervisorError where error.kind == .timedOut {
      print(try await client.status().initializers.filter { $0.activity == .running }.map(\.name))
    }
  }
  for try await event in client.events(.pass) {
    switch event {
    case .snapshot(let status): print(status.state)
    case .passEnded(let pass, let outcome): print("pass", pass.number, outcome)
    default: break
    }
  }
}
