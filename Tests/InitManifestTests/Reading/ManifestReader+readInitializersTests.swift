import InitCore
import InitDeclarations
import InitWords
import Testing

@testable import InitManifest

@Suite struct ReadInitializersTests {
  @Test("An initializer has a command or a worker, and not both")
  func provider() {
    #expect(
      mistakes(inInitializer: "optional: true") == """
        init.yaml:4:3: initializer "a" has neither a command nor a worker; \
        write command: [PROGRAM, ARGUMENT], worker: true, or waitFor: { tcp: "localhost:6379" }
        """)
    #expect(mistakes(inInitializer: "worker: false").hasPrefix("init.yaml:4:3: initializer \"a\" has neither"))
    #expect(
      mistakes(inInitializer: "worker: true", "command: x")
        == "init.yaml:6:5: initializer \"a\" has both a command and a worker; keep one of them")
    #expect(mistakes(inInitializer: "worker: false", "command: x") == "")
  }

  @Test("An invalid provider isn't also reported as missing")
  func wrongProvider() {
    #expect(
      mistakes(inInitializer: "worker: yes")
        == "init.yaml:5:13: \"worker\" is neither true nor false: \"yes\"; write worker: true")
    #expect(
      mistakes(inInitializer: "command:")
        == "init.yaml:5:13: \"command\" has no value; write command: [PROGRAM, ARGUMENT], or remove it")
  }

  @Test(
    "A command is a text or a list of words, and names a program",
    arguments: [
      ("[]", "5:14: \"command\" is empty; write command: [PROGRAM, ARGUMENT]"),
      ("''", "5:14: \"command\" is empty; write command: [PROGRAM, ARGUMENT]"),
      ("'  '", "5:14: \"command\" is empty; write command: [PROGRAM, ARGUMENT]"),
      ("['', x]", "5:15: the command's program is empty; write command: [PROGRAM, ARGUMENT]"),
      ("{ run: x }", "5:14: \"command\" is a mapping, not a list or a text; write command: [PROGRAM, ARGUMENT]"),
      ("[x, [y]]", "5:18: an argument is a list, not text; write a word, or a text in quotes"),
      ("[x, {y: z}]", "5:18: an argument is a mapping, not text; write a word, or a text in quotes"),
      ("[x, \"a\\0\"]", "5:18: a text for a program can't contain NUL; remove the \\0"),
      ("\"a\\0\"", "5:14: a text for a program can't contain NUL; remove the \\0"),
    ])
  func command(text: String, expected: String) {
    #expect(mistakes(inInitializer: "command: \(text)") == "init.yaml:" + expected)
  }

  @Test("Keys that only commands have are refused for a worker's initializer")
  func worker() {
    #expect(
      mistakes(inInitializer: "worker: true", "workingDirectory: x", "environment: { A: 1 }", "stop: [x]") == """
        init.yaml:6:5: "workingDirectory" is only for commands, but initializer "a" is run by a worker; remove it
        init.yaml:7:5: "environment" is only for commands, but initializer "a" is run by a worker; remove it
        init.yaml:8:5: "stop" is only for commands, but initializer "a" is run by a worker; remove it
        """)
  }

  @Test("Dependencies are a list of names, each once")
  func dependencies() {
    #expect(
      mistakes(inInitializer: "worker: true", "dependencies: b")
        == "init.yaml:6:19: \"dependencies\" is text, not a list; write dependencies: [b]")
    #expect(
      mistakes(inInitializer: "worker: true", "dependencies:")
        == "init.yaml:6:18: \"dependencies\" has no value; write dependencies: [NAME], or remove it")
    #expect(
      mistakes(inInitializer: "worker: true", "dependencies: [b, [b], b]") == """
        init.yaml:6:23: a dependency is a list, not a name; write an initializer's name
        init.yaml:6:28: the dependency "b" is already on line 6; remove it
        """)
    #expect(mistakes(inInitializer: "worker: true", "dependencies: []") == "")
  }

  @Test("A timeout of 0 is refused")
  func timeout() {
    #expect(
      mistakes(inInitializer: "worker: true", "timeout: 0")
        == "init.yaml:6:14: \"timeout\" must be more than 0; write a longer one, or remove it for no limit")
  }

  @Test("S16: a delay that maxDelay would shorten is refused")
  func retry() {
    #expect(
      mistakes(inInitializer: "worker: true", "retry: { delay: 1m }") == """
        init.yaml:6:21: the delay of 1m is longer than maxDelay, 30s by default; write maxDelay: 1m or more
        """)
    #expect(
      mistakes(inInitializer: "worker: true", "retry: { delay: 2s, maxDelay: 500ms }") == """
        init.yaml:6:35: the delay of 2s is longer than maxDelay, 500ms; write maxDelay: 2s or more
        """)
    #expect(mistakes(inInitializer: "worker: true", "retry: { delay: 1m, maxDelay: 60s }") == "")
  }

  @Test("A worker has a command")
  func workerCommand() {
    #expect(
      mistakes(in: "version: 1\nworkers:\n  w: { restart: never }\n")
        == "init.yaml:3:3: worker \"w\" has no command; write command: [PROGRAM, ARGUMENT]")
    #expect(
      mistakes(in: "version: 1\nworkers:\n  w: ./w\n")
        == "init.yaml:3:6: worker \"w\" is text, not a mapping; write { command: [PROGRAM, ARGUMENT] }")
  }

  @Test("S33: an unknown group is reported, even if a number of groups is a mistake")
  func groups() {
    #expect(
      mistakes(
        in:
          "version: 1\ngroups: { db: none }\ninitializers:\n  a: { command: x, group: db }\n  b: { command: x, group: bus }\n"
      ) == """
        init.yaml:2:15: "db" is not a whole number: "none"; write a whole number from 1, e.g. db: 2
        init.yaml:5:27: unknown group "bus"; declare it at the top: groups: { bus: 2 }
        """)
    #expect(
      mistakes(in: "version: 1\ngroups: [db]\ninitializers:\n  a: { command: x, group: db }\n")
        == "init.yaml:2:9: \"groups\" is a list, not a mapping; write groups: { db: 2 }")
  }

  @Test("A phase gives the priority; both may be given if they agree")
  func phase() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      initializers:
        a: { worker: true, phase: active }
        b: { worker: true, phase: launch, priority: appLaunch }
        c: { worker: true }
      """, file: "init.yaml")
    #expect(manifest.initializers.map(\.declaration.priority) == [.appActive, .appLaunch, .appLaunch])
    #expect(manifest.initializers.map { ($0.given["phase"] ?? $0.given["priority"]) != nil } == [true, true, false])
    #expect(
      mistakes(inInitializer: "worker: true", "phase: active", "priority: appLaunch") == """
        init.yaml:7:5: initializer "a" has the phase active, but the priority appLaunch; remove one of them
        """)
    #expect(
      mistakes(inInitializer: "worker: true", "phase: actve") == """
        init.yaml:6:12: "phase" cannot be "actve"; did you mean "active"?
        """)
  }
}
