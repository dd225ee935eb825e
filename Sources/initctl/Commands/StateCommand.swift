internal import CommandLineOptions
internal import InitText
internal import InitTimeline
internal import Platform

/// `state`: takes a state directory along.
struct StateCommand: ProgramCommand {
  static let help = CommandHelp(
    "state", "Make a copied state directory count on this machine: state adopt DIRECTORY.",
    discussion: """
      What is done once (once: ever) counts only on the machine and in the directory where it was done. After the data of an application was \
      moved together with its state directory, adopt makes the records count here. Run it before initd, as the same \
      user; no supervisor may use the directory.

      Examples:
        initctl state adopt ./state
        initctl state adopt /var/lib/shop/state
      """)

  /// What to do.
  enum Action: String, CaseIterable { case adopt }

  private var action = Action.adopt
  private var directory = ""

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("action", &action, .word("action"), help: "What to do: adopt.")
    try options.argument("directory", &directory, .directory("directory"), help: "The state directory.")
  }

  func run() throws {
    let journal: JournalFile
    let place: DirectoryPlace
    do {
      place = try DirectoryPlace(of: directory)
      journal = try JournalFile(EverHeader.fileName, in: directory, limit: EverHeader.limit)
    } catch {
      Console.complain("\(error)")
      throw ProgramStatus.failure
    }
    let contents = journal.contents ?? []
    let first = contents.firstIndex(of: UInt8(ascii: "\n")) ?? contents.endIndex
    guard let header = EverHeader(checked: contents[..<first]) else {
      Console.complain(
        "\(TerminalText.quote(directory)) has no records of what is done once; name the directory that initd --state-directory named"
      )
      throw ProgramStatus.failure
    }
    do {
      let adopted = EverHeader(machine: place.machine, directory: place.directory, seen: header.seen).checked
      try journal.replace(with: adopted + contents[first...], isDurable: true)
    } catch {
      Console.complain("\(error)")
      throw ProgramStatus.failure
    }
  }
}
