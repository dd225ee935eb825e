import Testing

@testable import CommandLineOptions

struct ProgramTests {
  @Test("Options may precede or follow arguments, with = or without")
  func options() throws {
    for words in [
      ["fetch", "--wait", "--times", "3", "a"], ["fetch", "a", "--times=3", "--wait"],
      ["fetch", "--times", "3", "a", "--wait"],
    ] {
      guard case .command(let command as Fetch) = try tool.invocation(words) else { throw UsageError("no command") }
      #expect(command.wait && command.times == 3 && command.name == "a")
    }
    let plain = try #require(try read(Fetch.self, "fetch", "a"))
    #expect(!plain.wait && plain.times == 1 && plain.color == nil && plain.tags == [] && plain.others == [])
  }

  @Test("Values of repeatable options are kept in order; a flag may be repeated")
  func several() throws {
    let command = try #require(
      try read(Fetch.self, "fetch", "--wait", "--tag", "x", "a", "--wait", "--tag=y", "--color", "green"))
    #expect(command.wait)
    #expect(command.tags == ["x", "y"])
    #expect(command.color == .green)
  }

  @Test("Shared options may precede or follow the command's name")
  func shared() throws {
    #expect(try read(Fetch.self, "--socket", "/a", "fetch", "a")?.shared.socket == "/a")
    #expect(try read(Fetch.self, "fetch", "a", "--socket=/b")?.shared.socket == "/b")
    #expect(try read(Exec.self, "--socket", "/a", "exec", "--", "x")?.command == ["x"])
  }

  @Test("A value that begins with a dash must follow =; a dash alone is a word")
  func dashes() throws {
    #expect(try read(Fetch.self, "fetch", "--tag=-x", "-")?.tags == ["-x"])
    #expect(try read(Fetch.self, "fetch", "--tag", "-", "a")?.tags == ["-"])
    #expect(try read(Fetch.self, "fetch", "--tag", "", "a")?.tags == [""])
    #expect(try read(Fetch.self, "fetch", "--tag=a=b", "a")?.tags == ["a=b"])
    let command = try read(Fetch.self, "fetch", "--", "--name", "--", "-o")
    #expect(command?.name == "--name")
    #expect(command?.others == ["--", "-o"])
  }

  @Test("All words after -- belong to the command to run, even if they look like options")
  func command() throws {
    let command = try read(Exec.self, "exec", "here", "--wait", "--", "ls", "--wait", "--", "-h", "")
    #expect(command?.command == ["ls", "--wait", "--", "-h", ""])
    #expect(command?.place == "here")
    #expect(try read(Serve.self)?.app == [])
    #expect(try read(Serve.self, "--", "a", "--help")?.app == ["a", "--help"])
  }

  @Test(
    "Each mistake is reported with a remedy and a hint to the help",
    arguments: [
      ([], "missing command", "tool"), (["ftech"], "unknown command \"ftech\"; did you mean \"fetch\"?", "tool"),
      (["pull"], "unknown command \"pull\"; did you mean \"fetch\"?", "tool"),
      (["do"], "unknown command \"do\"; did you mean \"fetch\" or \"exec\"?", "tool"),
      (["weather"], "unknown command \"weather\"", "tool"),
      (["help", "weather"], "unknown command \"weather\"", "tool"),
      (["--sockte", "x", "fetch"], "unknown option --sockte; did you mean --socket?", "tool"),
      (["fetch", "--waitt=1"], "unknown option --waitt; did you mean --wait?", "tool fetch"),
      (["fetch", "--sock", "x"], "unknown option --sock; did you mean --socket?", "tool fetch"),
      (["fetch", "-w"], "unknown option -w", "tool fetch"), (["fetch", "-hx"], "unknown option -hx", "tool fetch"),
      (["fetch", "--wait=1", "a"], "--wait takes no value; remove \"=1\"", "tool fetch"),
      (["fetch", "a", "--times"], "--times needs a value: a number", "tool fetch"),
      (["fetch", "a", "--times", "--wait"], "--times needs a value: a number", "tool fetch"),
      (["fetch", "a", "--times", "-1"], "--times needs a value: a number", "tool fetch"),
      (["fetch", "a", "--times="], "--times needs a value: a number", "tool fetch"),
      (["fetch", "a", "--times=0"], "invalid number \"0\" for --times; write an integer of at least 1", "tool fetch"),
      (
        ["fetch", "a", "--times=x", "--times=1"], "invalid number \"x\" for --times; write an integer of at least 1",
        "tool fetch"
      ),
      (["fetch", "a", "--color", "gren"], "invalid color \"gren\" for --color; did you mean \"green\"?", "tool fetch"),
      (["fetch", "a", "--color", "blue"], "invalid color \"blue\" for --color; use one of red, green", "tool fetch"),
      (["fetch", "--config=a", "--config", "b", "a"], "--config is given twice; give one file", "tool fetch"),
      (["fetch", "--config=a", "--config", "a", "a"], "--config is given twice; give one file", "tool fetch"),
      (["fetch", "--times=2", "a", "--times", "3"], "--times is given twice; give one number", "tool fetch"),
      (["--socket", "a", "--socket", "b", "fetch", "a"], "--socket is given twice; give one path", "tool"),
      (["--socket", "a", "fetch", "a", "--socket=b"], "--socket is given twice; give one path", "tool fetch"),
      (["fetch"], "missing name", "tool fetch"), (["fetch", "a", "a"], "name a once", "tool fetch"),
      (["exec", "a", "b", "--", "x"], "unexpected argument \"b\"; write the command after --", "tool exec"),
      (["exec"], "missing command; give the command after --", "tool exec"),
      (["exec", "--"], "missing command; give the command after --", "tool exec"),
    ])
  func mistakes(words: [String], message: String, path: String) {
    let error = #expect(throws: UsageError.self) { try tool.invocation(words) }
    #expect(error?.message == message)
    #expect(error?.remedy == "See '\(path) --help'.")
  }

  @Test("A program of one command has no commands")
  func single() {
    let program = Program(Serve.self, version: "1.2")
    for (words, message) in [
      (["a"], "unexpected argument \"a\"; write the app after --"),
      (["--"], "missing app; give the app after --, or remove --"),
    ] {
      #expect(throws: UsageError(message, of: "serve")) { try program.invocation(words) }
    }
  }

  @Test("Help and the version can be requested anywhere before --")
  func standardOptions() throws {
    #expect(try text("--version") == "1.2\n")
    #expect(try text("fetch", "--version") == "1.2\n")
    let page = try #require(try text("fetch", "--help"))
    for words in [
      ["fetch", "-h"], ["help", "fetch"], ["fetch", "a", "--times", "x", "--help"], ["fetch", "--version", "-h"],
    ] {
      guard case .text(page) = try tool.invocation(words) else { throw UsageError("no help") }
    }
    #expect(try text("help") == text("--help"))
    #expect(try text("exec", "--", "--help") == nil)
  }
}
