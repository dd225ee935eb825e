import InitCore
import InitDeclarations
import InitManifest
import InitModel
import InitWire
import Testing

@testable import InitSupervisor

private func configuration(
  _ initializers: [DeclaredInitializer] = [], _ workers: [DeclaredWorker] = [], environment: [String: String] = [:],
  release: String? = nil, concurrency: Int = 1
) -> SupervisorConfiguration {
  var configuration = SupervisorConfiguration(socketPath: "/s")
  configuration.initializers = initializers
  configuration.workers = workers
  configuration.environment = environment
  configuration.release = release
  configuration.concurrency = concurrency
  return configuration
}

private func command(_ name: String, _ program: String = "one", own: [String: String] = [:], timeout: Duration? = nil)
  -> DeclaredInitializer
{
  .command(name, [program], timeout: timeout, environment: own)
}

private func result(_ old: SupervisorConfiguration, _ new: SupervisorConfiguration) -> ConfigurationChanges {
  ConfigurationDifference(from: old, to: new, Manifest.keys).result
}

@Suite("ConfigurationDifference")
struct ConfigurationDifferenceTests {
  @Test("S27: what is added, changed and removed is named, in order; the rest is counted")
  func parts() {
    let old = configuration(
      [command("a"), command("b"), command("gone"), command("c")], [DeclaredWorker("w", command: Command(["one"]))])
    let new = configuration(
      [command("new"), command("c", "two"), command("b", timeout: .seconds(1)), command("a")],
      [DeclaredWorker("w", command: Command(["two"])), DeclaredWorker("v", command: Command(["one"]))])
    let result = result(old, new)
    #expect(result.added == ["new", "v"])
    #expect(result.changed.map(\.words) == ["c (command)", "w (command)"])
    #expect(result.removed == ["gone"])
    #expect(result.unchanged == 2)
    #expect(result.fromNextRun.map(\.words) == ["b (timeout)"])
    #expect(result.settings == [])
    #expect(ConfigurationDifference(from: new, to: new, Manifest.keys).isEmpty)
    #expect(!ConfigurationDifference(from: old, to: new, Manifest.keys).isEmpty)
  }

  @Test(
    "S27: a changed environment is named with its variables, an initializer's and a process's, in the order of their names"
  )
  func variables() {
    let old = configuration(
      [command("a", own: ["PORT": "1", "SAME": "x"])], [DeclaredWorker("w", command: Command(["one"]))])
    let new = configuration(
      [command("a", own: ["DEBUG": "1", "PORT": "2", "SAME": "x"])],
      [DeclaredWorker("w", command: Command(["two"], environment: ["B": "1"]))])
    #expect(
      result(old, new).changed.map(\.words) == ["a (environment: DEBUG, PORT)", "w (command, environment: B)"])
  }

  @Test("S27: another target of readiness is a change, although nothing is restarted")
  func checks() {
    func process(_ path: String) -> DeclaredWorker {
      var process = DeclaredWorker("w", command: Command(["one"]))
      process.policy.ready = .probe(Probe(.path(path)), ofOwner: false)
      return process
    }
    let result = result(configuration([], [process("a")]), configuration([], [process("b")]))
    #expect(result.changed.map(\.words) == ["w (ready)"] && result.unchanged == 0 && result.fromNextRun.isEmpty)
  }

  @Test("S31: a wait whose target alone has changed is corrected; one that isn't waiting, or has other work, isn't")
  func corrected() {
    func waits(_ port: UInt16, after dependencies: [String] = [], timeout: Duration? = nil) -> DeclaredInitializer {
      let endpoint = Endpoint(host: "localhost", port: port)
      return DeclaredInitializer(
        Declaration("db", dependencies: dependencies, timeout: timeout), probe: Probe(.tcp(endpoint)))
    }
    let old = configuration([command("a"), waits(1)])
    for (new, corrected) in [
      (waits(2), ["db"]), (waits(2, timeout: .seconds(1)), ["db"]), (waits(1, timeout: .seconds(1)), []),
      (waits(2, after: ["a"]), []), (command("db"), []),
    ] {
      let difference = ConfigurationDifference(from: old, to: configuration([command("a", "two"), new]), Manifest.keys)
      #expect(difference.corrected(among: ["db", "a"]) == Set(corrected))
      #expect(difference.corrected(among: ["a"]) == [])
    }
  }

  @Test("S28: what the chosen names need is no setting; a process that is needed or isn't any more has changed")
  func chosen() {
    var one = configuration([], [DeclaredWorker("p", command: Command(["one"]))])
    one.machine.only = ["a"]
    var two = one
    two.machine.only = ["a", "b"]
    #expect(result(one, two).settings == [])
    two.workers[0].exclusion = .unselected
    #expect(result(one, two).changed.map(\.words) == ["p (only)"])
  }

  @Test("S27: a variable of all commands changes each command that doesn't have its own, and no worker's initializer")
  func commonEnvironment() {
    let initializers = [command("a"), command("own", own: ["A": "3"]), .worker("w")]
    let processes = [DeclaredWorker("p", command: Command(["one"]))]
    let one = configuration(initializers, processes, environment: ["A": "1"])
    let two = configuration(initializers, processes, environment: ["A": "2"])
    for (old, new) in [(one, two), (one, configuration(initializers, processes))] {
      #expect(result(old, new).changed.map(\.words) == ["a (environment: A)", "p (environment: A)"])
      #expect(result(old, new).settings == ["environment"])
      #expect(result(old, new).unchanged == 2)
    }
    // Moved from all commands to one: the same work.
    #expect(result(one, configuration([command("a", own: ["A": "1"])] + initializers.dropFirst())).changed.isEmpty)
  }

  @Test("S27, S32: a process with `ready` is listed once, with or without it before")
  func processes() {
    let plain = DeclaredWorker("p", command: Command(["one"]))
    var ready = plain
    ready.policy.ready = .notification
    let initializer = DeclaredInitializer(Declaration("p"), isProcess: true)
    let without = configuration([command("a")], [plain])
    let with = configuration([command("a"), initializer], [ready])
    ready.command = Command(["two"])
    let other = configuration([command("a"), initializer], [ready])
    let none = configuration([command("a")])
    let initializerOnly = configuration([command("a"), command("p")])
    for (old, new, words) in [
      (with, with, "= 2"), (with, other, "~ p (command) = 1"), (without, with, "~ p (ready) = 1"),
      (with, without, "~ p (ready) = 1"), (none, with, "+ p = 1"), (with, none, "- p = 1"),
      (initializerOnly, with, "~ p (command) = 1"), (with, initializerOnly, "~ p (command) = 1"),
    ] {
      let result = result(old, new)
      let found =
        result.added.map { "+ \($0) " } + result.changed.map { "~ \($0.words) " } + result.removed.map { "- \($0) " }
      #expect("\(found.joined())= \(result.unchanged)" == words)
    }
    var slow = initializer
    slow.declaration.timeout = .seconds(1)
    ready.restart = .always
    let late = result(other, configuration([command("a"), slow], [ready]))
    #expect(late.fromNextRun.map(\.words) == ["p (restart, timeout)"])
    #expect(late.unchanged == 2)
  }

  @Test("S27, S29: another condition is other work only for one that is skipped because of the one before")
  func conditions() {
    var old = command("a")
    var new = command("a")
    var condition = Condition()
    condition.path = "/one"
    old.condition = condition
    condition.path = "/two"
    new.condition = condition
    var difference = ConfigurationDifference(from: configuration([old]), to: configuration([new]), Manifest.keys)
    difference.checkAgain(["b"])
    #expect(difference.result.changed.isEmpty)
    #expect(difference.result.fromNextRun.map(\.words) == ["a (when)"])
    difference.checkAgain(["a"])
    #expect(difference.result.changed.map(\.words) == ["a (when)"])
    #expect(difference.initializers.changed.map(\.isWork) == [true])
  }

  @Test("S27: another release changes what runs once for a release")
  func releases() {
    var once = command("a")
    once.isOnce = true
    let old = configuration([once, command("b")], release: "v1")
    let new = configuration([once, command("b")], release: "v2")
    #expect(result(old, new).changed.map(\.words) == ["a (release)"])
    #expect(result(old, new).settings == ["release"])
  }

  @Test("S27: the settings that differ are named in the manifest's words")
  func settings() {
    var new = configuration(concurrency: 4)
    new.registrationTimeout = .seconds(1)
    new.cancelGrace = .seconds(2)
    new.stopTimeout = .seconds(3)
    new.machine.keepsGoing = true
    let names = ["concurrency", "keepGoing", "registrationTimeout", "cancelGrace", "stopTimeout"]
    #expect(result(configuration(), new).settings == names)
    new.launchesAtStart = false
    #expect(result(configuration(), new).settings == names + ["settings"], "one without a word isn't forgotten")
  }

  @Test("S27: comparing 20,000 initializers takes linear time", .timeLimit(.minutes(1)))
  func large() {
    let old = configuration((0..<20_000).map { command("a\($0)") }, environment: ["A": "1"])
    let new = configuration((1...20_000).map { command("a\($0)") }.reversed(), environment: ["A": "2"])
    let result = result(old, new)
    #expect(result.added == ["a20000"] && result.removed == ["a0"] && result.changed.count == 19_999)
  }
}
