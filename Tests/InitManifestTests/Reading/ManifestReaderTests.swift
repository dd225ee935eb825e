import Testing

@testable import InitManifest

@Suite struct ManifestReaderTests {
  @Test("A manifest is a mapping", arguments: [("hello", "text"), ("[a]", "a list"), ("\"\"", "text")])
  func shape(text: String, shape: String) {
    #expect(
      mistakes(in: text)
        == "init.yaml:1:1: the manifest is \(shape), not a mapping; write version: 1 and initializers")
  }

  @Test("An empty document isn't a mapping")
  func nothing() {
    #expect(
      mistakes(in: "---\n...\n")
        == "init.yaml:2:1: the manifest has no value; write version: 1 and initializers, or remove it")
  }

  @Test(
    "The version is required, and must be 1",
    arguments: [
      ("concurrency: 1", "init.yaml:1:1: the version is missing; write version: 1"),
      ("version:", "init.yaml:1:9: the version is missing; write version: 1"),
      ("version: 2", "init.yaml:1:10: version \"2\" is not known; write version: 1"),
      ("version: 1.0", "init.yaml:1:10: version \"1.0\" is not known; write version: 1"),
      ("version: \"1\"", "init.yaml:1:10: \"version\" is the text \"1\"; write version: 1, without quotes"),
      ("version: [1]", "init.yaml:1:10: \"version\" is a list, not a number; write version: 1"),
    ])
  func version(text: String, expected: String) {
    #expect(mistakes(in: text) == expected)
  }

  @Test(
    "Initializers and workers are mappings from names",
    arguments: [
      (
        "initializers",
        "init.yaml:2:14: \"initializers\" has no value; write initializers: { migrate: { command: ./migrate } }, or remove it"
      ),
      (
        "workers",
        "init.yaml:2:9: \"workers\" has no value; write workers: { shelf: { command: ./shelf } }, or remove it"
      ),
    ])
  func noNames(key: String, expected: String) {
    #expect(mistakes(in: "version: 1\n\(key):\n") == expected)
    #expect(mistakes(in: "version: 1\n\(key): {}\n") == "")
  }

  @Test("A list of initializers is refused")
  func list() {
    #expect(
      mistakes(in: "version: 1\ninitializers:\n  - a: { worker: true }\n") == """
        init.yaml:3:3: "initializers" is a list, not a mapping; write initializers: { migrate: { command: ./migrate } }
        """)
  }

  @Test("An invalid name is reported for initializers and workers")
  func names() {
    #expect(
      mistakes(in: "version: 1\ninitializers:\n  my task: { worker: true }\nworkers:\n  _x: { command: x }\n") == """
        init.yaml:3:3: "my task" cannot be the name of an initializer; \
        it must be 1 to 128 characters (ASCII letters, digits and . _ : / @ + -) and start with a letter or digit
        init.yaml:5:3: "_x" cannot be the name of a worker; \
        it must be 1 to 128 characters (ASCII letters, digits and . _ : / @ + -) and start with a letter or digit
        """)
  }

  @Test("All mistakes are reported at once, in the order of the text")
  func many() {
    #expect(
      mistakes(
        in: """
          version: 3
          concurency: 2
          concurrency: 0
          cancelGrace: 5 s
          environment: { "A=B": x }
          initializers:
            migrate:
              command: [./migrate]
              timeout: soon
              optional: yes
            migrate: { worker: true }
            fetch it:
              command: []
            both: { command: x, worker: true, dependencies: [migrate, migrat] }
            neither: { priority: active }
            ping: { worker: true, dependencies: [pong] }
            pong: { worker: true, dependencies: [ping, both, both] }
            retrying: { command: x, retry: { attempts: many, delay: 2m } }
            text: ./text
          """) == """
          init.yaml:1:10: version "3" is not known; write version: 1
          init.yaml:2:1: unknown key "concurency" in the manifest; did you mean "concurrency"?
          init.yaml:3:14: "concurrency" is too small: "0"; write a whole number from 1, e.g. concurrency: 4
          init.yaml:4:14: "cancelGrace": "5 s" is not a duration; write 5s, without a space
          init.yaml:5:16: "A=B" cannot be the name of a variable; write a name that isn't empty and contains neither = nor NUL
          init.yaml:9:14: "timeout": "soon" is not a duration; write e.g. 500ms, 30s, 2m or 1h, or a number of seconds
          init.yaml:10:15: "optional" is neither true nor false: "yes"; write optional: true
          init.yaml:11:3: the initializer "migrate" is already on line 7; remove or rename one of them
          init.yaml:12:3: "fetch it" cannot be the name of an initializer; it must be 1 to 128 characters (ASCII letters, digits and . _ : / @ + -) and start with a letter or digit
          init.yaml:13:14: "command" is empty; write command: [PROGRAM, ARGUMENT]
          init.yaml:14:23: initializer "both" has both a command and a worker; keep one of them
          init.yaml:14:61: unknown dependency "migrat"; did you mean "migrate"?
          init.yaml:15:3: initializer "neither" has neither a command nor a worker; write command: [PROGRAM, ARGUMENT], worker: true, or waitFor: { tcp: "localhost:6379" }
          init.yaml:15:24: "priority" cannot be "active"; did you mean "appActive"?
          init.yaml:16:40: circular dependency ping -> pong -> ping; remove one of these dependencies
          init.yaml:17:52: the dependency "both" is already on line 17; remove it
          init.yaml:18:46: "attempts" is not a whole number: "many"; write a whole number from 1, e.g. attempts: 3
          init.yaml:18:59: the delay of 2m is longer than maxDelay, 30s by default; write maxDelay: 2m or more
          init.yaml:19:9: initializer "text" is text, not a mapping; write { command: [PROGRAM, ARGUMENT] }
          """)
  }
}
