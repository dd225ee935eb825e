import AppInitializers
import AppInitializersWorker
import Glibc
import InitClient
import InitJSON
import InitModel
import InitWire
import InitWords
import Synchronization
import Testing

@Suite("A worker's runs and changes")
struct WorkerChangesTests {
  /// Any JSON value that the tests need.
  private enum JSON: Codable, Sendable, Hashable {
    case number(Int)
    case list([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if let number = try? value.decode(Int.self) {
        self = .number(number)
      } else if let list = try? value.decode([JSON].self) {
        self = .list(list)
      } else {
        self = .object(try value.decode([String: JSON].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .number(let number): try value.encode(number)
      case .list(let list): try value.encode(list)
      case .object(let object): try value.encode(object)
      }
    }
  }

  /// Hands over its inputs and its fencing token.
  private final class Echo: ContextualInitializer, Sendable {
    let name = "favorites"
    let priority = InitializerPriority.appLaunch

    func run(_ context: RunContext) async throws -> [String: JSON] {
      try context.outputs(as: JSON.self).merging(["fence": .number(context.fence ?? 0)]) { $1 }
    }
  }

  /// Serves until a change is the last change: returns all changes.
  private func serve(
    _ path: String, within: Duration? = nil, until isLast: @escaping @Sendable (Worker.Change) -> Bool
  ) async throws -> [Worker.Change] {
    let (changes, tell) = AsyncStream.makeStream(of: Worker.Change.self)
    let serving = Task {
      defer { tell.finish() }
      try await Worker("shelf", serving: [Echo()], at: path).run(connectingWithin: within) { tell.yield($0) }
    }
    var seen: [Worker.Change] = []
    for await change in changes {
      seen.append(change)
      if isLast(change) { serving.cancel() }
    }
    try await serving.value
    return seen
  }

  @Test("A run has its fencing token and all inputs, of any type; its end is reported when its answer was sent")
  func answered() async throws {
    let changes = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      var params = RunRequest(run: 7, initializer: "favorites", pass: 2, phase: .launch, attempt: 3, fence: 9)
      params.inputs = ["b": try RawJSON(checking: Array("[1,{\"c\":2}]".utf8))]
      try peer.write(try Message.request(id: .string("run-7"), params))
      guard case .result(let result) = try peer.expectAnswer("run-7"), let output = try RunOutput(result: result) else {
        throw Unexpected("no output")
      }
      let value = try output.value.decode([String: JSON].self)
      #expect(value == ["fence": .number(9), "b": .list([.number(1), .object(["c": .number(2)])])])
      try peer.reply(UnregisterRequest.self, EmptyResult())
      try peer.expectEnd()
    } _: { path in
      try await serve(path) { if case .answered = $0 { true } else { false } }
    }
    let pass = InitializationPass(number: 2, phase: .appLaunch)
    #expect(
      changes == [.registered, .answered(InitializerRun(initializer: "favorites", number: 7, attempt: 3, pass: pass))])
  }

  /// An initializer that doesn't stop when it is cancelled.
  private final class Stubborn: AppInitializer, Sendable {
    let name = "favorites"
    let priority = InitializerPriority.appLaunch

    func run() async throws {
      await Task { for await _ in AsyncStream.makeStream(of: Void.self).stream {} }.value
    }
  }

  @Test("The second signal ends the process, even while a run doesn't stop")
  func secondSignal() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      try await FakeSupervisor.play { door in
        let peer = try door.greet()
        try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
        try peer.run(7, "favorites")
        kill(getpid(), SIGTERM)
        try peer.expect(UnregisterRequest.self)
        kill(getpid(), SIGTERM)
        try peer.expectEnd()
      } _: { path in
        try await Worker("shelf", serving: [Stubborn()], at: path).run(
          endingOn: [SIGTERM], cancelGrace: .milliseconds(500))
      }
    }
  }

  @Test("While there is time to wait, a first registration that was lost is repeated; the reason is reported")
  func firstRegistration() async throws {
    let changes = try await FakeSupervisor.play { door in
      let starting = try door.greet()
      try starting.expect(RegisterRequest.self)
      starting.close()
      let ending = try door.greet()
      let (id, _) = try ending.expect(RegisterRequest.self)
      try ending.refuse(id, WireError(.shuttingDown, "cannot register: the supervisor is shutting down"))
      try ending.expectEnd()
      let peer = try door.greet()
      try peer.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try peer.reply(UnregisterRequest.self, EmptyResult())
      try peer.expectEnd()
    } _: { path in
      try await serve(path, within: FakeSupervisor.deadline) { $0 == .registered }
    }
    #expect(changes.count == 3)
    guard case .notRegistered(let lost) = changes.first, case .notRegistered(let refused) = changes.dropFirst().first
    else {
      throw Unexpected("\(changes)")
    }
    #expect(lost.kind == .connectionLost && lost.code == nil && lost.word == nil)
    #expect(refused.kind == .shuttingDown && refused.code == -32006 && refused.word == "shuttingDown")
    #expect(changes.last == .registered)
  }

  @Test("Even with time to wait, a first registration that can't succeed ends the worker with the reason")
  func refused() async throws {
    let error = try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let (id, _) = try peer.expect(RegisterRequest.self)
      try peer.refuse(id, WireError(.nameConflict, "cannot register favorites: it has a live provider"))
      try peer.expectEnd()
    } _: { path in
      await #expect(throws: SupervisorError.self) {
        try await serve(path, within: FakeSupervisor.deadline) { _ in false }
      }
    }
    #expect(error?.kind == .nameConflict && error?.code == -32002)
  }

  @Test("The loss of the connection is reported with its reason, between the two registrations")
  func lost() async throws {
    let changes = try await FakeSupervisor.play { door in
      let first = try door.greet()
      try first.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try first.run(7, "favorites", inputs: ["b": try RawJSON(checking: Array("1".utf8))])
      _ = try first.expectAnswer("run-7")
      first.close()
      let second = try door.greet()
      try second.reply(RegisterRequest.self, RegisterRequest.Result(registered: ["favorites"]))
      try second.reply(UnregisterRequest.self, EmptyResult())
      try second.expectEnd()
    } _: { path in
      let registrations = Mutex(0)
      return try await serve(path) { change in
        guard change == .registered else { return false }
        return registrations.withLock { count in
          count += 1
          return count == 2
        }
      }
    }
    #expect(changes.count == 4 && changes.first == .registered && changes.last == .registered)
    guard case .lost(let reason) = changes[2] else { throw Unexpected("\(changes)") }
    #expect(reason.kind == .connectionLost)
  }
}
