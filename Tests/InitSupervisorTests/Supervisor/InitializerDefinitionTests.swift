import AppInitializers
import InitCore
import InitDeclarations
import InitManifest
import InitWords
import Platform
import Testing

@testable import InitSupervisor

/// A command of which every member but `stop` has another value than that of `plain`.
private func changedCommand() -> Command {
  var command = Command(["two"], environment: ["A": "2"], directory: "/two")
  command.variables = ["A"]
  command.settings.user = ProcessSettings.UserName("shop")
  command.settings.limits.openFiles = 1
  command.settings.limits.memory = 2
  command.settings.limits.core = 3
  command.settings.nice = 5
  command.settings.showsOutput = true
  return command
}

/// An initializer of which every member has another value than in `plain`.
private func changed() -> InitializerDefinition {
  let declaration = Declaration(
    "a", priority: .appActive, dependencies: ["b"], timeout: .seconds(7),
    retry: InitCore.RetryPolicy(attempts: 3, delay: .seconds(1), factor: 2, maxDelay: .seconds(30)), isOptional: true,
    isPerProcess: true, hasStop: true, group: "db")
  var command = changedCommand()
  command.stop = ["stop"]
  var initializer = DeclaredInitializer(
    declaration, command: command, probe: Probe(.path("/there")), isSecret: true, isOnce: true)
  var condition = Condition()
  condition.path = "/seed"
  initializer.condition = condition
  initializer.declaration.hasCondition = true
  initializer.unless = Unless(["test"])
  initializer.declaration.hasUnless = true
  initializer.declaration.rerunsDependents = true
  initializer.declaration.process = "django"
  initializer.declaration.after = ["cache"]
  initializer.declaration.freshness = Freshness(
    inputs: [InputPattern("./migrate")], limit: .seconds(60), directory: "/two", isEver: true)
  return InitializerDefinition(initializer: initializer, release: "v2", conditionVariable: "1")
}

/// A process of which every member has another value than in `plainProcess`.
private func changedProcess() -> DeclaredWorker {
  var process = DeclaredWorker(
    "w", command: changedCommand(), restart: .always,
    backoff: AppInitializers.RetryPolicy(attempts: 1, delay: .seconds(9)))
  process.dependencies = ["b"]
  process.policy.ready = .notification
  process.exclusion = .unselected
  process.policy.stopSignal = "SIGINT"
  process.policy.stopTimeout = .seconds(3)
  process.policy.healthy = HealthPolicy(.watchdog(.seconds(1)), tries: 3, onFailure: .restart)
  return process
}

private func plainProcess() -> DeclaredWorker { DeclaredWorker("w", command: Command(["one"])) }

/// The initializer of a process.
private func starting(_ process: DeclaredWorker) -> InitializerDefinition {
  InitializerDefinition(
    initializer: DeclaredInitializer(Declaration("w", dependencies: process.dependencies), isProcess: true),
    process: process)
}

private func plain() -> InitializerDefinition {
  InitializerDefinition(initializer: DeclaredInitializer(Declaration("a"), command: Command(["one"])), release: nil)
}

@Suite("InitializerDefinition")
struct InitializerDefinitionTests {
  @Test("S27: each key of an initializer is named alone, and the rest of the definition has none")
  func initializerKeys() {
    let old = plain()
    let new = changed()
    let (words, isWork) = old.difference(to: new)
    let own = InitializerDefinition.keys(DeclarationKeys(initializer: Manifest.keys.initializer))
    #expect(words == own.map(\.word).filter { !["release", "only"].contains($0) })
    #expect(isWork)
    for key in own where !["release", "only"].contains(key.word) {
      var one = old
      key.copy(&one, new)
      let (words, isWork) = old.difference(to: one)
      #expect(words == [key.word])
      #expect(isWork == key.isWork)
    }
    #expect(old.difference(to: old).words.isEmpty)
  }

  @Test("S27: what affects the work is what runs, with which rights, after what, in which phase, and for which release")
  func work() {
    let own = InitializerDefinition.keys(DeclarationKeys(initializer: Manifest.keys.initializer))
    #expect(
      own.filter(\.isWork).map(\.word) == [
        "only", "release", "command", "waitFor", "phase", "dependencies", "inputs", "workingDirectory", "environment",
        "user", "limits",
      ])
    #expect(
      Manifest.keys.ofProcess.filter(\.isWork).map(\.word) == [
        "command", "dependencies", "ready", "healthy", "workingDirectory", "environment", "user", "limits", "only",
      ])
  }

  @Test("S27: a definition without a key of its own for a difference counts as other work")
  func unknown() {
    struct Definition: Hashable {
      var known = 1
      var unknown = 1
    }
    let keys = [DeclarationKey<Definition>("known", isWork: false) { $0.known = $1.known }]
    for (new, expected) in [
      (Definition(known: 2, unknown: 1), (["known"], false)),
      (Definition(known: 2, unknown: 2), (["known", "definition"], true)),
    ] {
      #expect(DeclarationKey.difference(from: Definition(), to: new, keys) == expected)
    }
  }

  @Test("S27: a worker that becomes a command, and the reverse, has another command; the release counts for once only")
  func kinds() {
    let command = plain()
    let other = changed()
    var worker = command
    worker.initializer.command = nil
    #expect(command.difference(to: worker) == (["command"], true))
    #expect(worker.difference(to: command) == (["command"], true))
    var released = other
    released.release = "v3"
    #expect(other.difference(to: released) == (["release"], true))
    released.release = nil
    released.initializer.isOnce = false
    #expect(other.difference(to: released) == (["once"], false))
  }

  @Test("S27: a process is restarted for another command; its restart policy holds from the next exit on")
  func processes() {
    let (old, new) = (plainProcess(), changedProcess())
    let keys = Manifest.keys.ofProcess
    let starts = keys.filter { !$0.holdsFromNextCheck }
    #expect(DeclarationKey.difference(from: old, to: new, keys) == (starts.map(\.word), true))
    for key in starts {
      var one = old
      key.copy(&one, new)
      #expect(DeclarationKey.difference(from: old, to: one, keys) == ([key.word], key.isWork))
    }
  }

  @Test(
    "S27: another target of a process's readiness restarts nothing; the process's own report instead of a target does")
  func readiness() {
    func process(_ ready: Readiness?) -> DeclaredWorker {
      var process = plainProcess()
      process.policy.ready = ready
      return process
    }
    let (here, there) = (
      Readiness.probe(Probe(.path("a")), ofOwner: false), Readiness.probe(Probe(.path("b")), ofOwner: false)
    )
    func difference(_ old: Readiness?, _ new: Readiness?) -> (words: [String], isWork: Bool) {
      DeclarationKey.difference(from: process(old), to: process(new), Manifest.keys.ofProcess)
    }
    #expect(difference(here, there) == (["ready"], false))
    #expect(difference(here, .notification) == (["ready"], true))
    #expect(difference(nil, here) == (["ready"], true))
  }

  @Test("S27, S32: the initializer of a process has the process's keys, and one of another kind has another command")
  func startedProcess() {
    let old = starting(plainProcess())
    let new = starting(changedProcess())
    let (words, isWork) = old.difference(to: new)
    #expect(words.sorted() == Manifest.keys.ofProcess.filter { !$0.holdsFromNextCheck }.map(\.word).sorted())
    #expect(isWork)
    var later = plainProcess()
    later.policy.stopTimeout = .seconds(1)
    #expect(old.difference(to: starting(later)) == (["stopTimeout"], false))
    var command = InitializerDefinition(
      initializer: DeclaredInitializer(Declaration("w"), command: Command(["one"])), release: nil)
    #expect(old.difference(to: command) == (["command"], true))
    #expect(command.difference(to: old) == (["command"], true))
    command.initializer.command = nil
    #expect(command.difference(to: old) == (["command"], true))
  }
}

extension InitializerDefinition {
  fileprivate func difference(to other: InitializerDefinition) -> (words: [String], isWork: Bool) {
    DeclarationKey.difference(from: self, to: other, Self.keys(Manifest.keys))
  }
}

private func == (left: (words: [String], isWork: Bool), right: ([String], Bool)) -> Bool {
  left.words == right.0 && left.isWork == right.1
}
