import AppInitializers
import InitClient
import InitCore
import InitDeclarations
import InitModel
import InitSupervisor
import InitWire
import InitWords
import Logging
import TestSupport
import Testing

@Suite("SupervisorClient")
struct SupervisorClientTests {
  private let directory = TemporaryDirectory()
  private let quiet = Logger(label: "initd") { _ in SwiftLogNoOpLogHandler() }
  private var path: String { directory["socket"] }

  private func supervisor(_ others: [DeclaredInitializer] = []) async throws -> EmbeddedSupervisor {
    try await EmbeddedSupervisor.start(at: path, others: others, logger: quiet)
  }

  @Test("It activates, waits, and shows the status of all initializers")
  func activation() async throws {
    let supervisor = try await supervisor([
      .command("migrate", ["true"]), .command("menu", ["true"], priority: .appActive, dependencies: ["migrate"]),
    ])
    let client = try await SupervisorClient.connect(at: path, named: "test")
    try await client.wait(for: .launch)
    #expect(try await client.status().isActive == false)
    let pass = try await client.activate()
    try await client.wait(for: .ready, timeout: .seconds(30))
    try await client.wait(for: .pass(pass))
    try await client.wait(for: .initializer("menu"))
    let status = try await client.status()
    #expect(status.isActive)
    #expect(status.composite.state == .complete)
    #expect(status.initializers.map(\.name) == ["migrate", "menu"])
    let menu = try #require(status["menu"])
    #expect(menu.priority == .appActive)
    #expect(menu.dependencies == ["migrate"])
    #expect(menu.provider == .command)
    #expect(menu.status == .complete)
    #expect(menu.pass == pass)
    #expect(menu.duration != nil)
    #expect(try await client.deactivate() == [])
    #expect(try await client.status().isActive == false)
    await supervisor.shutDown()
  }

  @Test("A wait throws the failure; a retry of launch is a new pass (S9)")
  func failure() async throws {
    let supervisor = try await supervisor([.command("broken", ["sh", "-c", "exit 3"])])
    let client = try await SupervisorClient.connect(at: path)
    let error = await #expect(throws: InitializationError.self) { try await client.wait(for: .launch) }
    #expect(error?.initializer == "broken" && error?.reason == .initializerFailed(cause: .exit(status: 3)))
    #expect(try await client.launch() == 2)
    let status = try await client.status()
    #expect(status["broken"] != nil)
    await supervisor.shutDown()
  }

  @Test("A wait that times out, or whose target is cancelled, reports that")
  func waits() async throws {
    let supervisor = try await supervisor([.command("long", ["sleep", "60"], priority: .appActive)])
    let client = try await SupervisorClient.connect(at: path)
    let pass = try await client.activate()
    let late = await #expect(throws: SupervisorError.self) {
      try await client.wait(for: .ready, timeout: .milliseconds(20))
    }
    #expect(late?.kind == .timedOut)
    #expect(late?.code == -32003)
    #expect(late?.word == "timeout")
    #expect(late?.description == "timed out after 20 ms waiting for ready")
    let past = await #expect(throws: SupervisorError.self) {
      try await client.wait(for: .active, timeout: .seconds(-1))
    }
    #expect(past?.kind == .timedOut)
    let noPass = await #expect(throws: SupervisorError.self) { try await client.wait(for: .pass(99)) }
    #expect(noPass.map { "\($0)" }?.hasPrefix("unknown pass 99: ") == true)
    let waiting = Task { try await client.wait(for: .pass(pass)) }
    // The request arrives before the deactivation, because both are sent in order.
    let second = try await SupervisorClient.connect(at: path)
    #expect(try await second.deactivate() == ["long"])
    let cancelled = await #expect(throws: SupervisorError.self) { try await waiting.value }
    #expect(cancelled?.kind == .cancelled)
    #expect(cancelled?.code == nil)
    let unknown = await #expect(throws: SupervisorError.self) { try await client.wait(for: .initializer("absent")) }
    #expect(unknown?.kind == .unknownInitializer)
    await supervisor.shutDown()
  }

  @Test("It cancels runs, which have failed then (S34)")
  func cancellation() async throws {
    let supervisor = try await supervisor([.command("long", ["sleep", "60"])])
    let client = try await SupervisorClient.connect(at: path)
    for try await event in client.events(.initializer) {
      if case .snapshot(let status) = event.body, status["long"]?.status == .running { break }
      if case .initializer(let initializer) = event.body, initializer.status == .running { break }
    }
    try await client.cancel("long")
    let error = await #expect(throws: InitializationError.self) { try await client.wait(for: .launch) }
    guard error?.initializer == "long", case .initializerFailed(cause: .operator) = error?.reason else {
      Issue.record("\(error as Any)")
      return
    }
    let again = await #expect(throws: SupervisorError.self) { try await client.cancel("long") }
    #expect(again?.kind == .notRunning)
    #expect(again?.word == "notRunning")
    await supervisor.shutDown()
  }

  /// A source whose configuration has another command for `a`, or mistakes.
  private struct Source: ConfigurationSource {
    let name = "init.yaml"
    let base: SupervisorConfiguration
    let isGood: Bool
    let keys = DeclarationKeys(
      initializer: [
        DeclarationKey("command", isWork: true) { $0.command = $1.command },
        DeclarationKey("timeout", isWork: false) { $0.declaration.timeout = $1.declaration.timeout },
      ],
      settings: [DeclarationKey("concurrency", isWork: false) { $0.machine.concurrency = $1.machine.concurrency }])

    func read() throws(ConfigurationFault) -> (SupervisorConfiguration, warnings: [ConfigurationChanges.Finding]) {
      guard isGood else {
        let message = "unknown key \"comand\""
        let suggestion = "did you mean \"command\"?"
        throw .invalid([
          ConfigurationChanges.Finding(
            file: name, line: 4, column: 7, severity: .error, message: message, suggestion: suggestion)
        ])
      }
      var configuration = base
      configuration.initializers = [
        .command("a", ["echo"]), .command("b", ["true"], timeout: .seconds(9)), .command("c", ["true"]),
      ]
      configuration.concurrency = 2
      return (configuration, [])
    }
  }

  @Test("S27: a reload says what has changed, or throws the mistakes")
  func reload() async throws {
    var configuration = try SupervisorConfiguration.ofThisProcess(socketPath: path)
    configuration.initializers = [.command("a", ["true"]), .command("b", ["true"]), .command("gone", ["true"])]
    let base = configuration
    for isGood in [false, true] {
      configuration.source = Source(base: base, isGood: isGood)
      let supervisor = try await EmbeddedSupervisor.start(configuration, logger: quiet)
      let client = try await SupervisorClient.connect(at: path)
      try await client.wait(for: .launch)
      guard isGood else {
        let error = await #expect(throws: SupervisorError.self) { try await client.reload() }
        #expect(error?.kind == .invalidManifest && error?.word == "invalidManifest")
        #expect(
          error?.description == """
            cannot reload: init.yaml has a mistake, so nothing has changed; correct it and reload again
            init.yaml:4:7: unknown key "comand"; did you mean "command"?
            """)
        await supervisor.shutDown()
        continue
      }
      let planned = try await client.reload(dryRun: true)
      #expect(try await client.status().initializers.map(\.name) == ["a", "b", "gone"])
      let done = try await client.reload(withDependents: true)
      #expect(done == planned)
      #expect(done.added == ["c"] && done.removed == ["gone"] && done.unchanged == 1)
      #expect(done.changed.map(\.name) == ["a"] && done.changed.map(\.keys) == [["command"]])
      #expect(done.fromNextRun.map(\.name) == ["b"] && done.fromNextRun.map(\.keys) == [["timeout"]])
      #expect(done.settings == ["concurrency"])
      try await client.wait(for: .launch)
      #expect(try await client.status().initializers.map(\.name) == ["a", "b", "c"])
      await supervisor.shutDown()
    }
  }

  @Test("A hold keeps the app active until it is released or dropped (S23)")
  func hold() async throws {
    let supervisor = try await supervisor()
    let client = try await SupervisorClient.connect(at: path)
    let hold = try await client.hold()
    #expect(try await client.status().holds == 1)
    await hold.release()
    #expect(try await client.status().isActive == false)
    await hold.release()
    do {
      let dropped = try await client.hold()
      #expect(try await client.status().isActive)
      withExtendedLifetime(dropped) {}
    }
    for try await _ in client.events(.lifecycle) where try await !client.status().isActive { break }
    await supervisor.shutDown()
  }

  @Test("A hold is taken again at the next supervisor, unless it was released in the meantime (S23)")
  func heldAgain() async throws {
    let first = try await supervisor()
    let client = try await SupervisorClient.connect(at: path)
    let hold = try await client.hold()
    let released = try await client.hold()
    #expect(try await client.status().holds == 2)
    await first.shutDown()
    await released.release()
    let second = try await supervisor()
    for try await _ in client.events(.lifecycle) where try await client.status().isActive { break }
    #expect(try await client.status().holds == 1)
    await hold.release()
    #expect(try await client.status().isActive == false)
    await second.shutDown()
  }

  @Test("A hold lasts for a scope, even if the scope throws or its task is cancelled (S23)")
  func scope() async throws {
    struct Expected: Error {}
    let supervisor = try await supervisor()
    let client = try await SupervisorClient.connect(at: path)
    let holds = try await client.withHold { try await client.status().holds }
    #expect(holds == 1)
    #expect(try await client.status().isActive == false)
    await #expect(throws: Expected.self) {
      try await client.withHold {
        #expect(try await client.status().isActive)
        throw Expected()
      }
    }
    #expect(try await client.status().isActive == false)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let holding = Task {
      try await client.withHold {
        begin.finish()
        try await Task.sleep(for: .seconds(3600))
      }
    }
    for await _ in begun {}
    holding.cancel()
    await #expect(throws: CancellationError.self) { try await holding.value }
    #expect(try await client.status().isActive == false)
    await supervisor.shutDown()
  }

  @Test("Events begin with a snapshot, continue in order, and after a restart of the supervisor with a new one")
  func events() async throws {
    let first = try await supervisor([.command("menu", ["true"], priority: .appActive)])
    let client = try await SupervisorClient.connect(at: path)
    var events = client.events(.pass, .initializer).makeAsyncIterator()
    guard case .snapshot(let before) = try await events.next()?.body else {
      Issue.record("no snapshot")
      return
    }
    #expect(before.initializers.map(\.name) == ["menu"])
    try await client.activate()
    var told: [String] = []
    reading: while let event = try await events.next() {
      switch event.body {
      case .pass(let pass):
        told.append("pass \(pass.pass) \(pass.status.rawValue)")
        if pass.status != .started { break reading }
      case .initializer(let menu): told.append("\(menu.name) \(menu.status.rawValue)")
      case .snapshot, .lagged, .state, .initializerRemoved, .worker, .process, .processRemoved, .log, .shutdown,
        .unknown:
        told.append("\(event)")
      }
    }
    #expect(told.first == "pass 2 started")
    #expect(told.last == "pass 2 complete")
    #expect(told.contains("menu running"))
    await first.shutDown()
    #expect(try await events.next()?.body == .shutdown)
    let second = try await supervisor()
    guard case .snapshot(let after) = try await events.next()?.body else {
      Issue.record("no snapshot")
      return
    }
    #expect(after.instance != before.instance)
    #expect(after.initializers.isEmpty)
    // The client also reconnects.
    #expect(try await client.status().instance == after.instance)
    await second.shutDown()
  }

  @Test("A follower whose task is cancelled ends without an error")
  func cancelledFollower() async throws {
    let supervisor = try await supervisor()
    let client = try await SupervisorClient.connect(at: path)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let following = Task {
      for try await _ in client.events() { begin.yield() }
    }
    for await _ in begun { break }
    following.cancel()
    try await following.value
    await supervisor.shutDown()
  }

  @Test("Without a supervisor, the error names the path; a supervisor that starts later is waited for")
  func late() async throws {
    let nobody = await #expect(throws: SupervisorError.self) {
      try await SupervisorClient.connect(at: path, within: .zero)
    }
    #expect(nobody?.kind == .unreachable)
    #expect("\(nobody as Any)".contains(path))
    async let connecting = SupervisorClient.connect(at: path)
    let supervisor = try await supervisor()
    #expect(try await connecting.status().initializers.isEmpty)
    await supervisor.shutDown()
  }

  @Test("A client that was closed connects again with its next request")
  func closed() async throws {
    let supervisor = try await supervisor()
    // The last request finds no supervisor, and doesn't wait for one.
    let client = try await SupervisorClient.connect(at: path, within: .zero)
    await client.close()
    try await client.activate()
    #expect(try await client.status().isActive)
    try await client.shutDown()
    await supervisor.ended()
    let gone = await #expect(throws: SupervisorError.self) { try await client.status() }
    // The connection's end may be on its way.
    #expect(gone.map { [.unreachable, .connectionLost].contains($0.kind) } == true)
  }
}
