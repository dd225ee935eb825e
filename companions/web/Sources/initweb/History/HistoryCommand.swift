internal import ArgumentParser
internal import Foundation
internal import PassStore
internal import Passes

/// `initweb history`: lists the passes of the history.
struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the passes of the history, the newest last.",
    discussion: """
      This command needs no server, and can read the file while a server writes to it.

      Examples:
        initweb history --history /var/lib/initweb/history.db --since 7d
        initweb history --history history.db --phase launch --json | jq .duration
      """)

  @OptionGroup var options: HistoryOptions

  @Option(help: ArgumentHelp("List the last n passes.", valueName: "n"))
  var limit = 20
  @Option(
    help: ArgumentHelp("Only passes that started within this time, e.g. 12h or 7d.", valueName: "duration"),
    transform: Period.init)
  var since: Period?
  @Flag(help: "Print one JSON object per pass, with its initializers, its critical path and its runs.")
  var json = false

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
  }

  func run() async throws {
    let store = try await options.read()
    do {
      let passes = try await passes(store)
      guard json else {
        print(passes.isEmpty ? "no passes\n" : Words.columns([Self.titles] + passes.map(Self.row)), terminator: "")
        return
      }
      for start in stride(from: 0, to: passes.count, by: Self.pageSize) {
        let ids = passes[start...].prefix(Self.pageSize).map(\.id)
        for whole in try await store.passes(ids) { print(try JSONLine.text(whole)) }
      }
    } catch let error as StoreError {
      throw options.unreadable(error)
    }
  }

  /// Returns the passes, the oldest first, which are read in pages.
  private func passes(_ store: PassStore) async throws(StoreError) -> [PassEntry] {
    let earliest = since.map { Date().timeIntervalSince1970 - $0.seconds }
    var found: [PassEntry] = []
    while found.count < limit {
      let page = try await store.passes(
        limit: limit - found.count, before: found.last?.id, phase: options.phase, since: earliest)
      guard !page.isEmpty else { break }
      found += page
    }
    return found.reversed()
  }

  /// How many whole passes are read at once.
  private static let pageSize = 50

  private static let titles = [
    "STARTED", "SUPERVISOR", "PASS", "PHASE", "OUTCOME", "DURATION", "LONGEST", "CRITICAL PATH",
  ]

  private static func row(_ pass: PassEntry) -> [String] {
    let outcome = pass.outcome.rawValue + (pass.failedBy.map { " (\($0))" } ?? "")
    return [
      Words.time(pass.started), String(pass.instance.prefix(8)), "\(pass.number)", pass.phase.rawValue, outcome,
      Words.duration(pass.duration), pass.longest.map { "\($0.name) \(Words.duration($0.running))" } ?? "",
      path(pass.criticalPath),
    ]
  }

  /// Returns the first and the last steps of a path.
  private static func path(_ names: [String]) -> String {
    let shown = names.count <= 6 ? names : names.prefix(3) + ["… (\(names.count - 5) more)"] + names.suffix(2)
    return shown.joined(separator: " → ")
  }
}
