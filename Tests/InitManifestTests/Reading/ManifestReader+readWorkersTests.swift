import InitCore
import InitDeclarations
import InitWords
import Testing

@testable import InitManifest

@Suite struct ReadWorkersTests {
  private func parse(_ worker: String, _ more: String = "") throws -> Manifest {
    try Manifest.parse("version: 1\nworkers: { w: { command: x, \(worker) } }\n\(more)", file: "init.yaml")
  }

  private func mistakes(_ worker: String, _ more: String = "") -> String {
    InitManifestTests.mistakes(in: "version: 1\nworkers:\n  w: { command: x, \(worker) }\n\(more)")
  }

  @Test("S32: with ready, a process is an initializer after the others")
  func initializer() throws {
    let manifest = try parse(
      "ready: { tcp: 'a:1' }, dependencies: [b], timeout: 3s", "initializers: { b: { command: x } }\n")
    #expect(manifest.initializers.map(\.declaration.name) == ["b", "w"])
    let process = manifest.initializers[1]
    #expect(process.kind == .process && process.declaration.dependencies == ["b"])
    #expect(process.declaration.priority == Declaration("w").priority && process.declaration.timeout == .seconds(3))
    let other = try parse("dependencies: [b]", "initializers: { b: { command: x } }\n")
    #expect(other.initializers.map(\.declaration.name) == ["b"] && other.workers[0].dependencies == ["b"])
  }

  @Test("S32: the ways in which it is known to be ready")
  func ready() throws {
    let probe = Probe(.tcp(Endpoint(host: "a", port: 1)))
    #expect(try parse("ready: { tcp: 'a:1' }").workers[0].policy.ready == .probe(probe, ofOwner: true))
    #expect(try parse("ready: { tcp: 'a:1', owner: any }").workers[0].policy.ready == .probe(probe, ofOwner: false))
    #expect(try parse("ready: { path: y }").workers[0].policy.ready == .probe(Probe(.path("y")), ofOwner: false))
    #expect(try parse("ready: { notify: true }").workers[0].policy.ready == .notification)
    let check = Probe(.command(["pg_isready", "-q"]), every: .seconds(1))
    #expect(
      try parse("ready: { command: [pg_isready, -q], every: 1s }").workers[0].policy.ready
        == .probe(check, ofOwner: false))
  }

  @Test("S32: what is done with its dependents after its end needs ready")
  func onRestart() throws {
    #expect(try parse("ready: { path: y }, onRestart: rerun").initializers[0].declaration.rerunsDependents)
    for more in ["", ", onRestart: ignore"] {
      #expect(try !parse("ready: { path: y }\(more)").initializers[0].declaration.rerunsDependents)
    }
    #expect(
      mistakes("onRestart: rerun") == """
        init.yaml:3:20: "onRestart" needs "ready", but worker "w" has none; \
        write how it is known to be ready, e.g. ready: { tcp: "localhost:6379" }, or remove it
        """)
    #expect(mistakes("ready: { path: y }, onRestart: always").contains("write ignore or rerun"))
  }

  @Test("S32: output: all stands on a process or a command, and not on what runs no command")
  func output() throws {
    let manifest = try parse("output: all", "initializers: { a: { command: x, output: all }, b: { command: x } }\n")
    #expect(manifest.workers[0].command.settings.showsOutput)
    let shown = manifest.initializers.map {
      $0.command?.settings.showsOutput == true
    }
    #expect(shown == [true, false])
    #expect(mistakes("output: none").contains("init.yaml:3:28"))
    #expect(
      mistakes("restart: never", "initializers: { b: { worker: true, output: all } }\n")
        == "init.yaml:4:36: \"output\" is only for commands, but initializer \"b\" is run by a worker; remove it")
  }

  @Test("S32: a worker's initializer may name its process, which is declared")
  func processOfInitializer() throws {
    func process(_ value: String) throws -> String? {
      try parse("restart: never", "initializers: { a: { worker: \(value) } }\n").initializers[0].declaration.process
    }
    #expect(try process("w") == "w")
    #expect(try process("'w'") == "w")
    #expect(try process("true") == nil)
    let manifest = try parse("restart: never", "initializers: { a: { worker: w } }\n")
    #expect(manifest.initializers[0].kind == .worker)
    func mistakes(_ value: String) -> String {
      self.mistakes("restart: never", "initializers: { a: { worker: \(value) } }\n")
    }
    #expect(mistakes("W") == "init.yaml:4:30: unknown process \"W\"; did you mean \"w\"?")
    #expect(
      mistakes("postgres") == """
        init.yaml:4:30: unknown process "postgres"; \
        declare it under processes, or write worker: true if another one registers it
        """)
    #expect(
      mistakes("-x") == """
        init.yaml:4:30: "-x" cannot be the name of a process; write worker: true, or the name of a process of workers
        """)
    #expect(mistakes("w, command: x").contains("has both a command and a worker"))
    #expect(
      self.mistakes("profiles: [dev]", "initializers: { a: { worker: w } }\n")
        == "init.yaml:4:30: the process \"w\" is only in the profile dev; select it with --profile dev, or write worker: true"
    )
  }

  @Test("S32: signals are written with and without SIG, and are those that end a program")
  func signals() throws {
    #expect(try parse("stopSignal: INT, stopTimeout: 30s").workers[0].policy.stopSignal == "SIGINT")
    #expect(try parse("stopSignal: SIGQUIT").workers[0].policy.stopSignal == "SIGQUIT")
    #expect(
      mistakes("stopSignal: STOP") == """
        init.yaml:3:32: "STOP" is not a signal that ends a program; \
        write e.g. stopSignal: INT, or TERM, QUIT, HUP, USR1, USR2, WINCH or KILL
        """)
  }

  @Test("S32: each mistake has its position and a remedy")
  func positions() {
    #expect(
      mistakes("timeout: 3s") == """
        init.yaml:3:20: "timeout" needs "ready", but worker "w" has none; \
        write how it is known to be ready, e.g. ready: { tcp: "localhost:6379" }, or remove it
        """)
    #expect(
      mistakes("ready: { notify: true, every: 1s }")
        == "init.yaml:3:43: \"every\" is only for what is tried, not for notify; remove it")
    #expect(
      mistakes("ready: { path: y, owner: any }")
        == "init.yaml:3:38: \"owner\" is only for tcp, http and unix, not for path; remove it")
    #expect(
      mistakes("ready: begun")
        == "init.yaml:3:27: \"ready\" cannot be \"begun\"; write ready: started, or e.g. ready: { tcp: \"localhost:6379\" }"
    )
    #expect(
      mistakes("ready: { path: y }", "initializers: { w: { command: x } }\n")
        == "init.yaml:3:3: the initializer on line 4 is named \"w\", too; rename one of them")
    #expect(
      mistakes("ready: { path: y }, dependencies: [b]", "initializers: { b: { command: x, dependencies: [w] } }\n")
        .contains("circular dependency"))
  }

  @Test(
    "A process that waits for an initializer that it registers itself is a cycle",
    arguments: ["", "ready: { path: y }, "])
  func registering(ready: String) {
    func mistakes(_ initializers: String) -> String {
      self.mistakes("\(ready)dependencies: [c]", "initializers: { \(initializers) }\n")
    }
    #expect(
      mistakes("b: { worker: w }, c: { command: x, dependencies: [b] }")
        == "init.yaml:4:17: circular dependency b -> w -> c -> b; remove one of these dependencies")
    #expect(mistakes("b: { worker: w }, c: { command: x }") == "")
  }

  @Test("A process without ready isn't the initializer of its name, which it may register")
  func sameName() {
    #expect(
      mistakes("restart: never", "initializers: { w: { worker: w }, c: { command: x, dependencies: [w] } }\n") == "")
  }
}
