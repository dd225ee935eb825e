import Testing

@testable import InitManifest

@Suite struct ReadFieldsTests {
  @Test(
    "An unknown key is reported with the key that was probably meant, else with all of them, or the three nearest if there are many"
  )
  func unknown() {
    #expect(
      mistakes(in: "version: 1\nenviroment: {}\nfoo: 1\n") == """
        init.yaml:2:1: unknown key "enviroment" in the manifest; did you mean "environment"?
        init.yaml:3:1: unknown key "foo" in the manifest; write e.g. ports, groups or socket; man init.yaml has all 20 keys
        """)
    #expect(
      mistakes(inInitializer: "worker: true", "priorty: appActive", "colour: red") == """
        init.yaml:6:5: unknown key "priorty" in initializer "a"; did you mean "priority"?
        init.yaml:7:5: unknown key "colour" in initializer "a"; write e.g. worker, group or command; man init.yaml has all 29 keys
        """)
    #expect(
      mistakes(inInitializer: "worker: true", "retry: { facter: 2, jitter: 1 }") == """
        init.yaml:6:14: unknown key "facter" in "retry"; did you mean "factor"?
        init.yaml:6:25: unknown key "jitter" in "retry"; write one of attempts, delay, factor or maxDelay
        """)
    #expect(
      mistakes(in: "version: 1\nworkers: { w: { command: x, restarts: never, backoff: { attempts: 2 } } }\n") == """
        init.yaml:2:29: unknown key "restarts" in worker "w"; did you mean "restart"?
        init.yaml:2:57: unknown key "attempts" in "backoff"; write one of delay, factor or maxDelay
        """)
  }

  @Test("A duplicate key is reported with the line of the first one, at every level")
  func duplicate() {
    #expect(
      mistakes(in: "version: 1\nconcurrency: 1\nenvironment: { A: 1, A: 2 }\nconcurrency: 1\n") == """
        init.yaml:3:22: the variable "A" is already on line 3; remove or rename one of them
        init.yaml:4:1: the key "concurrency" is already on line 2; remove or rename one of them
        """)
    #expect(
      mistakes(inInitializer: "worker: true", "timeout: 1s", "timeout: 2s")
        == "init.yaml:7:5: the key \"timeout\" is already on line 6; remove or rename one of them")
    #expect(
      mistakes(in: "version: 1\nworkers:\n  w: { command: x }\n  \"w\": { command: x }\n")
        == "init.yaml:4:3: the worker \"w\" is already on line 3; remove or rename one of them")
  }

  @Test("Duplicate initializer names are reported, and the second initializer is checked too")
  func duplicateInitializer() {
    #expect(
      mistakes(in: "version: 1\ninitializers:\n  a: { worker: true }\n  a: { worker: -1 }\n") == """
        init.yaml:4:3: the initializer "a" is already on line 3; remove or rename one of them
        init.yaml:4:16: "-1" cannot be the name of a process; write worker: true, or the name of a process of workers
        """)
  }

  @Test("A value that isn't a mapping is reported with an example")
  func shape() {
    #expect(
      mistakes(in: "version: 1\nenvironment: [A=1]\n")
        == "init.yaml:2:14: \"environment\" is a list, not a mapping; write environment: { LANG: C.UTF-8 }")
    #expect(
      mistakes(inInitializer: "worker: true", "retry: 3")
        == "init.yaml:6:12: \"retry\" is text, not a mapping; write retry: { attempts: 3, delay: 1s }")
    #expect(
      mistakes(in: "version: 1\ninitializers:\n  a:\n")
        == "init.yaml:3:5: initializer \"a\" has no value; write { command: [PROGRAM, ARGUMENT] }, or remove it")
  }

  @Test("A key with invisible characters is shown escaped")
  func invisible() {
    #expect(
      mistakes(in: "version: 1\n\u{A0}x: 1\n").hasPrefix("init.yaml:2:1: unknown key \"\\u{A0}x\" in the manifest; "))
  }
}
