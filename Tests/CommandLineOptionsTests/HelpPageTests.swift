import Testing

@testable import CommandLineOptions

struct HelpPageTests {
  @Test("The help of a command contains its usage, arguments, options and discussion")
  func command() throws {
    #expect(
      try text("fetch", "--help") == """
        Fetch things.

        Usage: tool fetch [options] <name> [<other> ...]

        Arguments:
          <name>                  What to fetch.
          <other>                 What else to fetch.

        Options:
          --wait                  Wait until it has ended.
          --times <n>             How often.
          --color <color>         Which color.
          --tag <tag>             One more tag.
          --config <file>         The configuration.
          --version               Show the version.
          -h, --help              Show help information.

        Connection:
          --socket <path>         The supervisor's socket.

        Examples:
          tool fetch a

        """)
  }

  @Test("The help of a program lists its commands")
  func program() throws {
    #expect(
      try text("--help") == """
        Do things.

        Usage: tool [options] <command>

        Commands:
          fetch                   Fetch things.
          exec                    Run a command.

        Options:
          --socket <path>         The supervisor's socket.
          --version               Show the version.
          -h, --help              Show help information.

        See 'tool help <command>' for the options of a command.

        """)
  }

  @Test("The usage line shows the words after --, and optional arguments")
  func usage() throws {
    #expect(
      try text("exec", "-h")?.contains("\nUsage: tool exec [options] [<place>] -- <command> [<argument> ...]\n") == true
    )
    let serve = Program(Serve.self, version: "1.2")
    #expect(try text("-h", of: serve)?.contains("\nUsage: serve [options] [-- <app> [<argument> ...]]\n") == true)
  }

  @Test("No line is longer than 80 columns, unless a word is")
  func wrapping() {
    #expect(HelpPage.wrapped("one two three", 7) == "one two\nthree")
    #expect(HelpPage.wrapped("one incomprehensible three", 7) == "one\nincomprehensible\nthree")
    let long = OptionDescription(
      .option, "a-long-name-of-an-option", section: "Options", help: String(repeating: "word ", count: 30),
      noun: "path",
      placeholder: "path")
    let page = HelpPage("tool", CommandHelp("tool", String(repeating: "word ", count: 30)), [long]).text
    #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(page.contains("  --a-long-name-of-an-option <path>\n                          word word"))
  }
}
