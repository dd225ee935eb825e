import Testing

@testable import CommandLineOptions

/// A command with every kind of values.
private struct Order: ProgramCommand {
  static let help = CommandHelp("order", "Order things.")
  enum Size: String, CaseIterable { case small, large }

  private var quick = false
  private var size: Size?
  private var extras: [String] = []
  private var prices: [String] = []
  private var list: String?
  private var store: String?
  private var time: String?
  private var things: [String] = []
  private var shared = Shared()

  private static func names(_ names: SupervisorNames) -> ArgumentKind<String> {
    ArgumentKind("name", values: .names(names)) { text throws(InvalidArgument) in text }
  }

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("quick", &quick, help: "At once.")
    try options.option("size", &size, .word("size"), help: "Which size.")
    try options.option("extra", &extras, Order.names(SupervisorNames()), help: "One more.")
    try options.option("price", &prices, Order.names(SupervisorNames(suffix: "=")), help: "Its price.")
    try options.option("list", &list, .file(), help: "Read this list.")
    try options.option("store", &store, .directory(), help: "Put it here.")
    try options.option("time", &time, .text("time"), help: "When.")
    try options.arguments(
      "thing", &things, Order.names(SupervisorNames(orWords: ["all", "none"])), help: "What to order.")
    try shared.visit(&options)
  }

  func run() throws {}
}

private let shop = Program(
  CommandHelp("shop", "Sell things."), version: "1", shared: Shared.self, commands: [Order.self, Exec.self])

struct LineCompletionTests {
  /// Returns the answer to a shell, with these names of the supervisor.
  private func answer(_ words: [String], of program: Program = shop, names: [String] = []) throws -> [String] {
    guard case .completion(var completion) = try program.invocation(["complete", "--"] + words) else { return ["none"] }
    completion.add(names: names.map { LineCompletion.Candidate($0) })
    return completion.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
  }

  /// The options that every command line accepts.
  private let standard = ["--version", "--help"]

  @Test("The first word is a command or a shared option; help completes commands too")
  func commands() throws {
    for words in [[], [""], ["o"], ["--socket", "x", ""], ["--socket=x", "e"], ["help", ""]] {
      #expect(try answer(words) == ["order", "exec", "help"])
    }
    #expect(try answer(["-"]) == ["--socket"] + standard)
    #expect(try answer(["help", "order", ""]) == [])
    #expect(try answer(["steal", ""]) == [])
  }

  @Test("An option is offered until it is given, a repeatable one always")
  func options() throws {
    let all = ["--quick", "--size", "--extra", "--price", "--list", "--store", "--time", "--socket"]
    #expect(try answer(["order", "-"]) == all + standard)
    #expect(try answer(["order", "a", "--"]) == all + standard)
    #expect(
      try answer(["--socket", "x", "order", "--quick", "--size=small", "--extra", "a", "--extra", "b", "--s"])
        == ["--extra", "--price", "--list", "--store", "--time"] + standard)
  }

  @Test("A value follows its option as the next word, or after =")
  func values() throws {
    #expect(try answer(["order", "--size", ""]) == ["small", "large"])
    #expect(try answer(["order", "--size", "-"]) == ["small", "large"])
    #expect(try answer(["order", "--size=l"]) == ["--size=small", "--size=large"])
    #expect(try answer(["order", "--time", ""]) == [])
    #expect(try answer(["order", "--time=1"]) == [])
    #expect(try answer(["order", "--quick=1"]) == [])
    #expect(try answer(["order", "--nothing=1"]) == [])
    #expect(try answer(["--socket", "x", "order", "--size", ""]) == ["small", "large"])
    #expect(try answer(["--socket", ""]) == [])
  }

  @Test("Files and directories are left to the shell")
  func files() throws {
    #expect(try answer(["order", "--list", "x"]) == [":files"])
    #expect(try answer(["order", "--list=x"]) == [":files"])
    #expect(try answer(["order", "--store", ""]) == [":directories"])
  }

  @Test("Names come from the supervisor, after the words that stand for one; given ones aren't offered again")
  func namesWithStatus() throws {
    let names = ["a", "b", "db:x"]
    #expect(try answer(["order", "d"], names: names) == ["all", "none"] + names)
    #expect(try answer(["order", "b", "all", "--quick", ""], names: names) == ["none", "a", "db:x"])
    #expect(try answer(["order", "--", "b", ""], names: names) == ["all", "none", "a", "db:x"])
    #expect(try answer(["order", "--extra", "a", "--extra", ""], names: names) == ["b", "db:x"])
    #expect(try answer(["order", "--price", ""], names: names) == ["a=", "b=", "db:x="])
    #expect(try answer(["order", "--price=d"], names: names) == ["--price=a=", "--price=b=", "--price=db:x="])
    #expect(try answer(["order", "--price", "a=1"], names: names) == [])
    #expect(try answer(["order", "--quick", "-"], names: names).contains("a") == false)
  }

  @Test("The supervisor is asked at the socket of the command line, and only for a name")
  func asking() {
    let place = shop.completion(of: ["--socket", "/s", "order", ""])
    #expect(place.names != nil && place.value(of: "socket") == "/s")
    #expect(shop.completion(of: ["order", "--socket=/t", ""]).value(of: "socket") == "/t")
    #expect(shop.completion(of: ["order", ""]).value(of: "socket") == nil)
    #expect(shop.completion(of: ["order", "-"]).names == nil)
  }

  @Test(
    "A name that a terminal or a shell could take for something else isn't offered",
    arguments: ["a\nb", "\u{1B}[2J", "a\tb", "-x", ":files", "", "a b", "$(x)", "`x`", "a;b", "\"", "ä", "a\u{202E}b"])
  func namesOfOthers(name: String) throws {
    #expect(try answer(["order", ""], names: [name, "b"]) == ["all", "none", "b"])
  }

  @Test("An explanation follows a tab, without control characters")
  func explanations() {
    #expect(shop.completion(of: ["order", "--size", ""]).text == "small\nlarge\n")
    #expect(shop.completion(of: [""]).text.hasPrefix("order\tOrder things.\n"))
    #expect(shop.completion(of: ["order", "-"]).text.hasPrefix("--quick\tAt once.\n"))
    var completion = shop.completion(of: ["order", "--extra", ""])
    completion.add(names: [LineCompletion.Candidate("a", "sleeps\r\n\t:files")])
    #expect(completion.text == "a\tsleeps\\r\\n\\t:files\n")
  }

  @Test("After -- follow a command and its arguments, which are the shell's")
  func command() throws {
    let serve = Program(Serve.self, version: "1")
    #expect(try answer(["exec", "place", ""]) == ["--wait", "--"] + standard)
    #expect(try answer(["exec", "place", "--", ""]) == [":commands"])
    #expect(try answer(["exec", "--", "ls", "-"]) == [":files"])
    #expect(try answer([""], of: serve) == ["--"] + standard)
    #expect(try answer(["--", "l"], of: serve) == [":commands"])
  }

  @Test("After a mistake nothing is offered")
  func mistakes() throws {
    #expect(try answer(["order", "--nothing", ""]) == [])
    #expect(try answer(["--size", "small", "order", ""]) == [])
    #expect(try answer(["order", "--size", "--quick", ""]) == [])
    #expect(try answer(["exec", "place", "second", "x"]) == ["--wait", "--"] + standard)
  }
}
