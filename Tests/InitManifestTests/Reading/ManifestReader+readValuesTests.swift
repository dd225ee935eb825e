import Testing

@testable import InitManifest

@Suite struct ReadValuesTests {
  @Test(
    "A truth value is true or false and nothing else",
    arguments: [
      ("yes", "\"yes\"; write optional: true"), ("Off", "\"Off\"; write optional: false"),
      ("TRUE", "\"TRUE\"; write optional: true"), ("\"false\"", "the text \"false\"; write optional: false"),
      ("1", "\"1\"; write optional: true or optional: false"),
    ])
  func boolean(text: String, expected: String) {
    #expect(
      mistakes(inInitializer: "worker: true", "optional: \(text)")
        == "init.yaml:6:15: \"optional\" is neither true nor false: \(expected)")
  }

  @Test(
    "A missing value and a value of the wrong type are reported with an example",
    arguments: [
      ("optional:", "6:14: \"optional\" has no value; write optional: true, or remove it"),
      ("optional: []", "6:15: \"optional\" is a list, not true or false; write optional: true"),
      ("timeout: ~", "6:14: \"timeout\" has no value; write timeout: 30s, or remove it"),
      ("timeout: { s: 1 }", "6:14: \"timeout\" is a mapping, not a duration; write timeout: 30s"),
      ("priority: null", "6:15: \"priority\" has no value; write priority: appLaunch, or remove it"),
      ("description: [x]", "6:18: \"description\" is a list, not text; write description: what it is for"),
      ("retry: { factor: }", "6:22: \"factor\" has no value; write factor: 2, or remove it"),
      ("retry: { attempts: [] }", "6:24: \"attempts\" is a list, not a whole number; write attempts: 3"),
    ])
  func shape(line: String, expected: String) {
    #expect(mistakes(inInitializer: "worker: true", line) == "init.yaml:" + expected)
  }

  @Test(
    "A whole number is written in digits, from 1",
    arguments: [
      ("two", "\"concurrency\" is not a whole number: \"two\"; \(whole)"),
      ("1.5", "\"concurrency\" is not a whole number: \"1.5\"; \(whole)"),
      ("0x10", "\"concurrency\" is not a whole number: \"0x10\"; \(whole)"),
      ("010", "\"concurrency\" is not a whole number: \"010\"; \(whole)"),
      ("+4", "\"concurrency\" is not a whole number: \"+4\"; \(whole)"),
      ("\"4\"", "\"concurrency\" is not a whole number: the text \"4\"; \(whole)"),
      ("0", "\"concurrency\" is too small: \"0\"; \(whole)"), ("-3", "\"concurrency\" is too small: \"-3\"; \(whole)"),
      ("-99999999999999999999", "\"concurrency\" is too small: \"-99999999999999999999\"; \(whole)"),
      ("1000001", "\"concurrency\" is too large: \"1000001\"; write at most 1000000"),
      ("99999999999999999999", "\"concurrency\" is too large: \"99999999999999999999\"; write at most 1000000"),
    ])
  func integer(text: String, expected: String) {
    #expect(mistakes(in: "version: 1\nconcurrency: \(text)\n") == "init.yaml:2:14: \(expected)")
  }

  @Test(
    "A factor is a number from 1",
    arguments: [
      ("0.5", "\"factor\" is too small: \"0.5\"; write a number from 1 to 1000"),
      ("1001", "\"factor\" is too large: \"1001\"; write a number from 1 to 1000"),
      ("-1", "\"factor\" is not a number from 1: \"-1\"; write e.g. factor: 1.5"),
      ("inf", "\"factor\" is not a number from 1: \"inf\"; write e.g. factor: 1.5"),
      ("0x2", "\"factor\" is not a number from 1: \"0x2\"; write e.g. factor: 1.5"),
      ("1.2.3", "\"factor\" is not a number from 1: \"1.2.3\"; write e.g. factor: 1.5"),
      ("'2'", "\"factor\" is not a number from 1: the text \"2\"; write e.g. factor: 1.5"),
    ])
  func factor(text: String, expected: String) {
    #expect(mistakes(inInitializer: "worker: true", "retry: { factor: \(text) }") == "init.yaml:6:22: \(expected)")
  }

  @Test("An invalid duration is reported with its key")
  func duration() {
    #expect(
      mistakes(in: "version: 1\nregistrationTimeout: 10 s\ncancelGrace: -1\n") == """
        init.yaml:2:22: "registrationTimeout": "10 s" is not a duration; write 10s, without a space
        init.yaml:3:14: "cancelGrace": a duration cannot be negative: "-1"; \
        write e.g. 500ms, 30s, 2m or 1h, or a number of seconds
        """)
  }

  @Test("An invalid word is reported with the nearest allowed word, or with all of them")
  func choice() {
    #expect(
      mistakes(inInitializer: "worker: true", "priority: launch")
        == "init.yaml:6:15: \"priority\" cannot be \"launch\"; did you mean \"appLaunch\"?")
    #expect(
      mistakes(inInitializer: "worker: true", "priority: 10")
        == "init.yaml:6:15: \"priority\" cannot be \"10\"; write appLaunch or appActive")
    #expect(
      mistakes(in: "version: 1\nworkers: { w: { command: x, restart: on-failure } }\n")
        == "init.yaml:2:38: \"restart\" cannot be \"on-failure\"; did you mean \"onFailure\"?")
    #expect(
      mistakes(in: "version: 1\nworkers: { w: { command: x, restart: sometimes } }\n")
        == "init.yaml:2:38: \"restart\" cannot be \"sometimes\"; write onFailure, always or never")
  }

  @Test("The name of a variable isn't empty and has neither a = nor a NUL in it")
  func variables() {
    #expect(
      mistakes(in: "version: 1\nenvironment:\n  A=: 1\n  '': 1\n  \"a\\0b\": 1\n  B: [x]\n  C: \"x\\0\"\n") == """
        init.yaml:3:3: "A=" cannot be the name of a variable; write a name that isn't empty and contains neither = nor NUL
        init.yaml:4:3: "" cannot be the name of a variable; write a name that isn't empty and contains neither = nor NUL
        init.yaml:5:3: "a\\u{0}b" cannot be the name of a variable; \
        write a name that isn't empty and contains neither = nor NUL
        init.yaml:6:6: the variable "B" is a list, not text; write a word or a quoted text
        init.yaml:7:6: a text for a program can't contain NUL; remove the \\0
        """)
  }

  @Test("A path isn't empty and has no NUL in it")
  func path() {
    #expect(
      mistakes(inInitializer: "command: x", "workingDirectory: ''")
        == "init.yaml:6:23: \"workingDirectory\" is empty; write workingDirectory: ./state")
    #expect(
      mistakes(inInitializer: "command: x", "workingDirectory: \"\\0\"")
        == "init.yaml:6:23: a text for a program can't contain NUL; remove the \\0")
  }
}

private let whole = "write a whole number from 1, e.g. concurrency: 4"
