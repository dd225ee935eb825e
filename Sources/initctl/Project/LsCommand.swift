internal import CommandLineOptions
internal import InitModel
internal import InitText
internal import Platform

/// `ls`: lists the supervisors that run here.
struct LsCommand: ProgramCommand, Sendable {
  static let help = CommandHelp(
    "ls", "List the supervisors that run here: folder, state, process and socket.",
    discussion: """
      It looks at the sockets of the user's projects, at the user's usual socket, and at those of services in /run/initd. A supervisor with a \
      socket elsewhere isn't listed.

      Examples:
        initctl ls
        initctl ls | wc -l
      """)

  mutating func visit(_ options: inout Options) throws(UsageError) {}

  func run() throws {
    try CommandLoop.run { loop in
      do throws(SystemError) {
        _ = try UserRuntimeDirectory.path(ProcessEnvironment.variables(), creates: false)
      } catch {
        Console.complain("\(error)")
        return .noSupervisor
      }
      let found = await FoundSupervisor.all(on: loop).sorted { ($0.folder ?? "", $0.path) < ($1.folder ?? "", $1.path) }
      let rows = found.map { each in
        [each.folder ?? "-", each.state, each.status.map { "pid \($0.pid)" } ?? "-", each.path]
          .map { TerminalText.escape($0) }
      }
      let widths = (0..<3).map { column in rows.map { TextWidth.columns($0[column]) }.max() ?? 0 }
      for row in rows {
        let cells = zip(row, widths).map { TextWidth.pad($0, to: $1) } + [row[3]]
        try Console.write(cells.joined(separator: "  ") + "\n")
      }
      if rows.isEmpty {
        Console.complain("no supervisor runs here; start one with initctl up, in a folder with an init.yaml")
      }
      return .success
    }
  }
}
