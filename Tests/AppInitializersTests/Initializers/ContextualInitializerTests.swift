import InitCore
import InitWords
import Testing

@testable import AppInitializers

private final class Toggles: ContextualInitializer {
  let priority: InitializerPriority
  init(_ priority: InitializerPriority = .appLaunch) { self.priority = priority }
  func run(_ context: RunContext) async throws -> Set<String> { ["favorites"] }
}

/// An initializer with a name of its own.
private final class Numbered: ContextualInitializer {
  let name: String
  let priority = InitializerPriority.appLaunch
  init(_ name: String) { self.name = name }
  func run(_ context: RunContext) async throws -> String { name }
}

private final class Token: ContextualInitializer {
  let priority = InitializerPriority.appLaunch
  func run(_ context: RunContext) async throws -> Secret<String> { Secret("hunter2") }
}

/// Returns how often it has run, except the third time, when it has no output.
///
/// An initializer that may fail.
private final class Counting: InitializerProvider {
  let journal: Journal<String>
  let failing: Int?

  init(journal: Journal<String>, failing: Int? = nil) {
    self.journal = journal
    self.failing = failing
  }

  func run(_ context: RunContext) async throws {
    journal.note("run")
    let number = journal.entries.count { $0 == "run" }
    if number == failing { throw Broken(number: number) }
    if number != 3 { context.handOver(number) }
  }
}

/// Calls the test's closure with its context.
private final class Asking: ContextualInitializer {
  let name: String
  let priority: InitializerPriority
  let dependencies: [any AppInitializer.Type]
  let dependencyNames: [String]
  let body: @Sendable (RunContext) async throws -> Void

  init(
    _ name: String = "asking", _ priority: InitializerPriority = .appLaunch,
    after dependencies: [any AppInitializer.Type] = [Toggles.self], named dependencyNames: [String] = [],
    body: @escaping @Sendable (RunContext) async throws -> Void
  ) {
    self.name = name
    self.priority = priority
    self.dependencies = dependencies
    self.body = body
    self.dependencyNames = dependencyNames
  }

  func run(_ context: RunContext) async throws { try await body(context) }
}

@Suite("ContextualInitializer")
struct ContextualInitializerTests {
  @Test("A dependent gets the output of its dependency, by type and by name")
  func handedOver() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Asking { context in
        journal.note("\(try context.output(of: Toggles.self))")
        journal.note("\(try context.output(of: "Toggles", as: Set<String>.self).count)")
      }, Toggles(),
    ])
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries == [#"["favorites"]"#, "1"])
  }

  @Test("Reading the output of a non-dependency, or as another type, is an error with names and a remedy")
  func missing() async {
    let journal = Journal<MissingOutput>()
    let manager = InitManager(testing: [
      Toggles(),
      Asking("stranger", after: []) { context in
        do throws(MissingOutput) { _ = try context.output(of: Toggles.self) } catch { journal.note(error) }
      },
      Asking { context in
        do throws(MissingOutput) { _ = try context.output(of: "Toggles", as: Int.self) } catch { journal.note(error) }
      },
    ])
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    #expect(
      journal.entries == [
        MissingOutput(initializer: "stranger", dependency: "Toggles", reason: .nothing),
        MissingOutput(
          initializer: "asking", dependency: "Toggles", reason: .type(found: "Set<String>", wanted: "Int")),
      ])
    #expect(journal.entries.allSatisfy { $0.description.contains(";") })
  }

  @Test(
    "An output is requested by type, even if the dependency has its own name; for several of one type the error demands a name"
  )
  func named() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Numbered("one"), Numbered("two"),
      Asking("asking", after: [Numbered.self]) { context in
        journal.note(try context.output(of: "two", as: String.self))
        do throws(MissingOutput) { _ = try context.output(of: Numbered.self) } catch { journal.note("\(error.reason)") }
      },
    ])
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries == ["two", #"ambiguous(["one", "two"])"#])
    let single = InitManager(testing: [
      Numbered("one"), Asking(after: [Numbered.self]) { journal.note(try $0.output(of: Numbered.self)) },
    ])
    await single.start()
    #expect(await single.launchState.settled() == .complete)
    #expect(journal.entries.last == "one")
  }

  @Test("A launch initializer's output is kept: active dependents get it at every activation (S25)")
  func standing() async throws {
    let journal = Journal<String>()
    let ask: @Sendable (RunContext) async throws -> Void = { context in
      journal.note(
        "\(context.passNumber) \(context.initializer) \((try? context.output(of: Toggles.self))?.count ?? 0)")
    }
    let manager = InitManager(testing: [
      Toggles(), Asking("launch", body: ask), Asking("active", .appActive, body: ask),
    ])
    await manager.start()
    for _ in 0..<2 {
      _ = try await manager.outcome(ofPass: manager.activate())
      await manager.deactivate()
    }
    #expect(journal.entries == ["1 launch 1", "2 active 1", "3 active 1"])
    #expect(await manager.output(of: Toggles.self) == ["favorites"])
  }

  @Test(
    "An active initializer's output is only for dependents in the same pass, and no launch output replaces it (S25)")
  func samePass() async throws {
    let journal = Journal<String>()
    let ask: @Sendable (RunContext) async throws -> Void = { context in
      let number = try? context.output(of: "counting", as: Int.self)
      journal.note("\(context.initializer) \(number.map { "\($0)" } ?? "-")")
    }
    let manager = InitManager(
      testing: [
        Asking("launch", after: [], named: ["counting"], body: ask),
        Asking("active", .appActive, after: [], named: ["counting"], body: ask),
      ], others: [(Declaration("counting", priority: .appActive), .inProcess, Counting(journal: journal))])
    await manager.start()
    for _ in 0..<2 { _ = try await manager.outcome(ofPass: manager.activate()) }
    #expect(journal.entries == ["run", "launch 1", "run", "active 2", "run", "active -"])
  }

  @Test("As soon as an active pass starts, the outputs of the one before are gone (S25)")
  func nextPass() async throws {
    let gate = Gate()
    let first = Asking("first", .appActive, after: []) { context in
      if context.passNumber == 3 { await gate.enter() }
    }
    let manager = InitManager(testing: [first, Toggles(.appActive)])
    await manager.start()
    _ = try await manager.outcome(ofPass: manager.activate())
    #expect(await manager.output(of: Toggles.self) == ["favorites"])
    let pass = await manager.activate()
    await gate.arrived()
    #expect(await manager.output(of: Toggles.self) == nil)
    gate.open()
    _ = try await manager.outcome(ofPass: pass)
    #expect(await manager.output(of: Toggles.self) == ["favorites"])
    // While a run's end is processed its output is kept a second time, and no longer.
    for run in 1...4 { #expect(await manager.output(ofEnding: RunID(run)) == nil) }
  }

  @Test("A failed run has no output, and the output of an earlier run is dropped (S25)")
  func failedAgain() async throws {
    let counting = Counting(journal: Journal(), failing: 2)
    let manager = InitManager(
      testing: [], others: [(Declaration("counting", priority: .appActive), .inProcess, counting)])
    await manager.start()
    _ = try await manager.outcome(ofPass: manager.activate())
    #expect(await manager.output(of: "counting", as: Int.self) == 1)
    _ = try await manager.outcome(ofPass: manager.activate())
    #expect(await manager.output(of: "counting", as: Int.self) == nil)
  }

  @Test(
    "A retried launch has the outputs of its failed pass, because completed initializers don't run again (S9)")
  func retriedLaunch() async {
    let journal = Journal<Int>()
    let manager = InitManager(testing: [
      Toggles(),
      Asking("network", after: []) { _ in
        journal.note(0)
        if journal.entries.count == 1 { throw MissingContext(initializer: "network") }
      },
      Asking("shelves", after: [Toggles.self], named: ["network"]) { context in
        journal.note(try context.output(of: Toggles.self).count)
      },
    ])
    await manager.start()
    guard case .failed = await manager.launchState.settled() else { return #expect(Bool(false), "it didn't fail") }
    await manager.launch()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries == [0, 0, 1])
  }

  @Test("The output of a cancelled run doesn't count (S12); the next run provides a new one")
  func cancelled() async {
    let gate = Gate()
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Toggles(.appActive),
      Asking("active", .appActive) { context in
        journal.note("\(try context.output(of: Toggles.self).count) \(context.passNumber)")
        if context.passNumber == 2 { await gate.enter() }
      },
    ])
    await manager.start()
    await manager.activate()
    await gate.arrived()
    await manager.deactivate()
    await manager.activate()
    gate.open()
    #expect(await manager.state.reached(.complete))
    #expect(journal.entries == ["1 2", "1 3"])
  }

  @Test("A cancelled run can read the reason, even in a cancellation handler", arguments: [true, false])
  func cause(isTimeout: Bool) async {
    let gate = Gate()
    let journal = Journal<CancellationCause?>()
    let alarm = ManualAlarm()
    let inHandler = Journal<CancellationCause?>()
    let provider = Stopping(gate: gate, journal: journal, inHandler: inHandler)
    let declaration = Declaration("a", priority: .appActive, timeout: .seconds(5))
    let manager = InitManager(testing: [], others: [(declaration, .inProcess, provider)], alarm: alarm)
    await manager.start()
    await manager.activate()
    await gate.arrived()
    if isTimeout {
      alarm.advance(by: .seconds(5))
      await manager.ring()
    } else {
      await manager.deactivate()
    }
    await manager.quiet()
    #expect(journal.entries == [nil, isTimeout ? .timeout : .deactivated])
    #expect(inHandler.entries == [isTimeout ? .timeout : .deactivated])
  }

  @Test("A secret is passed on completely, but not printed")
  func secret() async {
    let journal = Journal<String>()
    let manager = InitManager(testing: [
      Token(),
      Asking(after: [Token.self]) { context in
        let token = try context.output(of: Token.self)
        journal.note(token.value)
        var dumped = ""
        dump(token, to: &dumped)
        journal.note("\(token) \(String(reflecting: token)) \(dumped.contains("hunter"))")
        dump(context, to: &dumped)
        journal.note("\(context) \(dumped.contains("Token") || dumped.contains("hunter"))")
      },
    ])
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries == ["hunter2", "(secret) (secret) false", "run 2 of asking false"])
  }

  @Test(
    "The output of another process is decoded as the requested type, even as a secret; a decoding error shows no secret"
  )
  func encoded() async {
    let journal = Journal<String>()
    func encoded(_ text: String, isSecret: Bool = false) -> ScriptedOutput {
      ScriptedOutput(text: text, isSecret: isSecret)
    }
    let providers: [(String, ScriptedOutput)] = [
      ("plain", encoded("5")), ("secret", encoded("hunter", isSecret: true)),
    ]
    let manager = InitManager(
      testing: [
        Asking(after: [], named: ["plain", "secret"]) { context in
          journal.note("\(try context.output(of: "plain", as: Int.self))")
          journal.note("\(try context.output(of: "plain", as: Secret<Int>.self).value)")
          journal.note(try context.output(of: "secret", as: Secret<String>.self).value)
          for name in ["plain", "secret"] {
            do throws(MissingOutput) { _ = try context.output(of: name, as: Bool.self) } catch {
              journal.note("\(error)")
            }
          }
          do throws(MissingOutput) { _ = try context.output(of: "plain", as: Journal<Int>.self) } catch {
            journal.note("\(error)")
          }
        }
      ], others: providers.map { (Declaration($0), .command, $1) })
    await manager.start()
    #expect(await manager.launchState.settled() == .complete)
    #expect(journal.entries.prefix(3) == ["5", "5", "hunter"])
    guard journal.entries.count == 6 else { return #expect(Bool(false), "\(journal.entries)") }
    #expect(journal.entries[3].contains("no Bool in 5"))
    #expect(journal.entries[4].contains("JSON of another shape") && !journal.entries[4].contains("hunter"))
    #expect(journal.entries[5].contains("it is JSON, not Journal<Int>"))
  }

  @Test("An initializer that keeps its context doesn't keep its manager")
  func keptContext() async {
    let kept = Journal<RunContext>()
    var manager: InitManager? = InitManager(testing: [Asking(after: []) { kept.note($0) }])
    await manager?.start()
    #expect(await manager?.launchState.settled() == .complete)
    let state = manager?.launchState
    manager = nil
    if let state { for await _ in state.values {} }
    #expect(kept.entries.count == 1)
    await kept.entries[0].report(fraction: 1)
  }

  @Test("Calling run() without a context is an error that says so")
  func withoutContext() async {
    await #expect(throws: MissingContext(initializer: "Toggles")) { try await Toggles().run() }
  }
}

/// Reads the reason of its cancellation before the cancellation, in its handler, and after it.
private final class Stopping: InitializerProvider {
  let gate: Gate
  let journal: Journal<CancellationCause?>
  let inHandler: Journal<CancellationCause?>

  init(gate: Gate, journal: Journal<CancellationCause?>, inHandler: Journal<CancellationCause?>) {
    self.gate = gate
    self.journal = journal
    self.inHandler = inHandler
  }

  func run(_ context: RunContext) async throws {
    journal.note(context.cancellation)
    await withTaskCancellationHandler {
      try? await gate.enterOrStop()
    } onCancel: {
      inHandler.note(context.cancellation)
    }
    journal.note(context.cancellation)
  }
}

/// A provider whose output is JSON, like that of a command.
private final class ScriptedOutput: InitializerProvider, EncodedOutput {
  struct Fault: Error, CustomStringConvertible { let description: String }

  let text: String
  let isSecret: Bool

  init(text: String, isSecret: Bool) {
    self.text = text
    self.isSecret = isSecret
  }

  func run(_ context: RunContext) async throws { context.handOver(self) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let value = text as? Value ?? Int(text) as? Value { return value }
    if type == Secret<Int>.self, let number = Int(text), let value = Secret(number) as? Value { return value }
    if type == Secret<String>.self, let value = Secret(text) as? Value { return value }
    throw Fault(description: "no \(type) in \(text)")
  }
}
