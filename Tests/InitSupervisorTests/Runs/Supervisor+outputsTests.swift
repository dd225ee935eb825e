import AppInitializers
import EventLoop
import InitCore
import InitDeclarations
import InitJSON
import InitModel
import InitSupervisor
import InitWire
import InitWords
import Logging
import Platform
import TestSupport
import Testing

/// Calls the test's closure with its context.
private final class Asking<Output: Sendable>: ContextualInitializer {
  let name: String
  let priority = InitializerPriority.appLaunch
  let dependencyNames: [String]
  private let body: @Sendable (RunContext) throws -> Output

  init(_ name: String, after dependencies: [String] = [], body: @escaping @Sendable (RunContext) throws -> Output) {
    self.name = name
    self.dependencyNames = dependencies
    self.body = body
  }

  func run(_ context: RunContext) async throws -> Output { try body(context) }
}

private struct Place: Codable, Equatable, Sendable {
  var host: String
  var port: Int
}

/// Has no JSON form.
private struct Handle: Sendable {}

@Suite("Supervisor: outputs for dependents")
struct SupervisorOutputsTests {
  @Test("A Swift object's Encodable output is JSON for commands and workers; a secret passes its value")
  func fromObjects() async throws {
    let setting = Setting(
      objects: {
        [
          Asking("place") { _ in Place(host: "é", port: 1) },
          Asking("token") { _ in Secret("hunter2") },
          Asking("handle") { _ in Handle() },
          Asking("broken") { _ in Double.nan },
          Asking("hidden") { _ in Secret(Handle()) },
        ]
      },
      configure: { configuration, _ in
        let all = ["place", "token", "handle", "broken", "hidden"]
        configuration.add(Declaration("command", dependencies: all), shell: "env | grep ^INITD_INPUT_ | sort")
        configuration.add(worker: Declaration("worker", dependencies: all + ["command"]))
      })
    try await setting.play { stage in
      let worker = try Client(stage)
      let registration = RegisterRequest.Registration(name: "worker")
      try worker.call(RegisterRequest(initializers: [registration]))
      let run = try worker.nextRun()
      #expect(
        run.inputs.mapValues { String(decoding: $0.bytes, as: UTF8.self) } == [
          "place": #"{"host":"é","port":1}"#, "token": #""hunter2""#,
        ])
      let lines = try worker.call(LogsRequest()).lines.map(\.line)
      let place = #"{"host":"é","port":1}"#
      #expect(
        lines == [
          "INITD_INPUT_PLACE=\(place)", "INITD_INPUT_PLACE_JSON=\(place)", "INITD_INPUT_TOKEN=hunter2",
          #"INITD_INPUT_TOKEN_JSON="hunter2""#,
        ])
      try worker.finish(run)
      #expect(try worker.call(WaitRequest(for: .launch)).state == .complete)
    }
  }

  @Test("S25: two dependencies with the same environment variable prevent the start, and nothing is run")
  func sharedVariables() throws {
    for command in [Command(["true"]), nil] {
      var configuration = SupervisorConfiguration(socketPath: "/nowhere/s")
      configuration.initializers = [
        DeclaredInitializer(Declaration("d", dependencies: ["a.b", "c", "a-b"]), command: command)
      ]
      let loop = try Loop()
      let logger = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
      let supervisor = Supervisor(configuration, loop: loop, logger: logger)
      #expect {
        try supervisor.assumeIsolated { try $0.start {} }
      } throws: { error in
        "\(error)"
          == "cannot start: the dependencies a.b and a-b of d share the variable INITD_INPUT_A_B; rename one of them"
      }
    }
  }

  @Test("The output of a worker's initializer is forgotten when its name is removed (S25)")
  func removed() async throws {
    try await Setting().play { stage in
      let worker = try Client(stage)
      try worker.call(
        RegisterRequest(initializers: [RegisterRequest.Registration(name: "a")]))
      let run = try worker.nextRun()
      try worker.send(try Message.answer(id: .string("run-\(run.run)"), result: RunOutput(encoding: 5).result))
      try worker.call(WaitRequest(for: .launch))
      func output() -> Int? {
        let answer = Monitor<Int??>(nil)
        stage.perform { supervisor in
          let output = supervisor.manager.assumeIsolated { $0.output(of: "a", as: Int.self) }
          answer.withLock { $0 = .some(output) }
          answer.signal()
        }
        return answer.wait { $0 }
      }
      #expect(output() == 5)
      try worker.call(UnregisterRequest(names: ["a"]))
      #expect(output() == nil)
    }
  }

  @Test(
    "An object can decode a command's output as a Swift value; if that fails, the error says why"
  )
  func toObjects() async throws {
    let setting = Setting(
      objects: {
        [
          Asking("typed", after: ["command"]) { context in
            let place = try context.output(of: "command", as: Place.self)
            guard place == Place(host: "h", port: 2) else { throw StageFault(description: "\(place)") }
          },
          Asking("wrong", after: ["command", "typed"]) { context in
            _ = try context.output(of: "command", as: [Int].self)
          },
        ]
      },
      configure: { configuration, _ in
        configuration.add(Declaration("command"), shell: #"echo '{"host":"h","port":2}' > "$INITD_OUTPUT""#)
      })
    try await setting.play { stage in
      let client = try Client(stage)
      let state = try client.call(WaitRequest(for: .launch))
      guard case .known(.failed) = state.state, let error = state.error else { return #expect(Bool(false), "\(state)") }
      #expect(error.initializer == "wrong")
      #expect(error.message.contains("the output of command: it is JSON of another shape"))
    }
  }
}
