import InitModel
import InitText
import InitWire
import InitWords
import Testing

@testable import initctl

struct StatusTableTests {
  @Test("Without a terminal, lines are neither clipped nor coloured")
  func pipe() {
    let table = StatusTable(terminal: OutputTerminal(size: nil, hasColor: false)).lines(.fake, now: 1000)
    #expect(
      table.joined(separator: "\n") == """
        NOT READY: prices failed: cannot initialize prices: exit status 3; fix it, then retry with initctl activate
        lifecycle  active, held by 1
        launch     complete (pass 1)
        active     failed (pass 3): cannot initialize prices: exit status 3
        composite  failed
        up         2 min 13 s, pid 4711, concurrency 2
        workers    api\\nworker (pid 4720): favorites
                   spare: nothing registered
        lost       favorites: restart the worker that provided it

        NAME             STATUS    PROVIDER  PHASE   TIME        DETAIL
        migrate          complete  command   launch  210 ms
        feature-toggles  running   command   launch  1.2 s       attempt 2, 50% half\\u{1B}[2J
        favorites        waiting   worker    active              its worker has disconnected
        prices           failed    command   active  1 min 15 s  cannot initialize prices: exit status 3
        """)
  }

  @Test("The supervisor's problems are shown, escaped, one per line")
  func warnings() {
    var status = Status.fake
    status.warnings = ["no space\u{1B}[2J", "other"]
    let lines = StatusTable(terminal: OutputTerminal(size: nil, hasColor: false)).lines(status, now: 1000)
    #expect(Array(lines[9...10]) == ["warning    no space\\u{1B}[2J", "warning    other"])
  }

  /// One of everything, with a retried initializer, and with East Asian names and messages.
  private static let wide: Status = {
    var status = Status.fake
    let message = String(repeating: "価格表を取得できません", count: 4)
    var retried = Initializer.fake(
      "価格表価格表価格表", .failed, phase: .launch, started: 900, duration: 75.3,
      error: InitializationError(
        initializer: "価格表価格表価格表", reason: .initializerFailed(cause: .exit(status: 3)), message: message)
    )
    retried.attempt = 4
    retried.attempts = 4
    retried.firstStarted = 800
    status.initializers.append(retried)
    status.active.error = retried.error
    status.warnings = [message]
    return status
  }()

  private func table(_ status: Status, _ columns: Int) -> [String] {
    let terminal = OutputTerminal(size: OutputTerminal.Size(columns: columns, rows: 24), hasColor: false)
    return StatusTable(terminal: terminal).lines(status, now: 1000)
  }

  @Test("On a terminal no line is wider than the window", arguments: [20, 40, 60, 72, 80, 100, 300])
  func narrow(columns: Int) {
    for status in [Status.fake, Self.wide] {
      for line in table(status, columns) { #expect(TextWidth.columns(line) <= columns) }
    }
  }

  @Test("If the window is too narrow, the least important columns are left out")
  func columns() {
    func titles(_ columns: Int) -> [Substring] {
      table(Self.wide, columns).first { $0.hasPrefix("NAME") }?.split(separator: " ") ?? []
    }
    #expect(titles(300) == ["NAME", "STATUS", "PROVIDER", "PHASE", "TIME", "TOTAL", "DETAIL"])
    #expect(titles(72) == ["NAME", "STATUS", "PHASE", "TIME", "TOTAL", "DETAIL"])
    #expect(titles(64) == ["NAME", "STATUS", "TIME", "TOTAL", "DETAIL"])
    #expect(titles(50) == ["NAME", "STATUS", "TIME", "DETAIL"])
    #expect(titles(40) == ["NAME", "STATUS", "TIME"])
    #expect(
      table(Self.wide, 40).suffix(6) == [
        "NAME                STATUS    TIME",
        "migrate             complete  210 ms",
        "feature-toggles     running   1.2 s",
        "favorites           waiting",
        "prices              failed    1 min 15 s",
        "価格表価格表価格表  failed    1 min 15 s",
      ])
    #expect(table(Self.wide, 64).last?.hasPrefix("価格表価格表価格表  failed    1 min 15 s  2 min 55 s  atte") == true)
  }

  @Test("On a terminal the first lines say all of what to do")
  func readiness() {
    let lines = table(.fake, 40)
    #expect(
      lines[0...2] == [
        "NOT READY: prices failed: cannot", "  initialize prices: exit status 3; fix",
        "  it, then retry with initctl activate",
      ])
  }

  @Test("A kept process that doesn't run is named beside READY")
  func trouble() {
    var status = Status.fake
    status.active = Status.State(.complete, pass: 3)
    status.composite = Status.State(.complete)
    #expect(table(status, 300)[0] == "READY")
    status.processes = [Status.Process(name: "web", restarts: 12, lastExit: .exit(status: 3), nextStart: 1001)]
    #expect(
      table(status, 300)[0]
        == "READY, but the process web doesn't run: starts again in 1 s, 12 restarts, last: exit status 3; see initctl logs web"
    )
    let narrow = table(status, 40)
    #expect(narrow[0] == "READY, but the process web doesn't run:" && narrow[1].hasPrefix("  starts again"))
  }

  @Test("Only the words of status and state are coloured")
  func colors() {
    let size = OutputTerminal.Size(columns: 120, rows: 24)
    let colored = StatusTable(terminal: OutputTerminal(size: size, hasColor: true)).lines(.fake, now: 1000)
    let plain = StatusTable(terminal: OutputTerminal(size: size, hasColor: false)).lines(.fake, now: 1000)
    #expect(colored[2] == "launch     \u{1B}[32mcomplete\u{1B}[0m (pass 1)")
    #expect(colored[11].contains("\u{1B}[32mcomplete\u{1B}[0m  command"))
    let stripped = colored.map { line in
      ["31", "32", "33", "36", "90", "0"].reduce(line) { line, code in
        var rest = line[...]
        var result = ""
        while let range = rest.firstRange(of: "\u{1B}[\(code)m") {
          result += rest[..<range.lowerBound]
          rest = rest[range.upperBound...]
        }
        return result + rest
      }
    }
    #expect(stripped == plain)
  }

  @Test("A line that just fits into the window keeps its colours")
  func fitting() {
    func line(_ columns: Int) -> String {
      let size = OutputTerminal.Size(columns: columns, rows: 24)
      let lines = StatusTable(terminal: OutputTerminal(size: size, hasColor: true)).lines(.fake, now: 1000)
      return lines.first { $0.hasPrefix("launch ") } ?? ""
    }
    let length = TextWidth.columns("launch     complete (pass 1)")
    #expect(line(length) == "launch     \u{1B}[32mcomplete\u{1B}[0m (pass 1)")
    #expect(TextWidth.columns(line(length - 1)) == length - 1)
  }

  @Test("The duration of a current run is measured at the given time")
  func elapsed() {
    let table = StatusTable(terminal: OutputTerminal(size: nil, hasColor: false)).lines(.fake, now: 1010)
    #expect(table.contains { $0.hasPrefix("feature-toggles  running   command   launch  11.2 s") })
    #expect(table.contains("up         2 min 23 s, pid 4711, concurrency 2"))
  }

  @Test("Kept processes are listed below the workers, in each of their states")
  func processes() {
    var status = Status.fake
    status.processes = [
      Status.Process(name: "pg", pid: 47, uptime: 133, restarts: 1, lastExit: .signal("SIGKILL")),
      Status.Process(name: "shelf", restarts: 2, lastExit: .exit(status: 3), nextStart: 1011.25),
      Status.Process(name: "once", lastExit: .exit(status: 0)),
      Status.Process(name: "new"),
      Status.Process(
        name: "bad", restarts: 9, lastExit: .notFound(message: "no \u{1B} such file"), givenUp: true),
    ]
    let lines = StatusTable(terminal: OutputTerminal(size: nil, hasColor: false)).lines(status, now: 1010)
    #expect(
      lines[8...12] == [
        "processes  pg (pid 47): up 2 min 23 s, 1 restart, last: killed by SIGKILL, not by initd: perhaps the kernel's OOM killer",
        "           shelf: starts again in 1.3 s, 2 restarts, last: exit status 3",
        "           once: has ended, last: exit status 0",
        "           new: not started",
        "           bad: given up; see initctl logs bad, fix it, and start it with initctl start bad, 9 restarts, last: no \\u{1B} such file",
      ])
    #expect(lines[13].hasPrefix("lost "))
  }

  @Test("A lost worker's completed initializers aren't green; initializers that never ran are shown as such")
  func lostWorkers() {
    var status = Status.fake
    var never = Initializer.fake("never", .idle, provider: .worker, available: false)
    never.run = nil
    status.initializers = [
      .fake("lost", .complete, provider: .worker, available: false), .fake("fine", .complete, provider: .worker), never,
    ]
    let lines = StatusTable(terminal: OutputTerminal(size: nil, hasColor: true)).lines(status, now: 1000).suffix(3)
    let yellow = "\u{1B}[33mcomplete\u{1B}[0m"
    let green = "\u{1B}[32mcomplete\u{1B}[0m"
    for (line, words) in zip(lines, [[yellow, "its worker has disconnected"], [green], ["no worker provides it"]]) {
      for word in words { #expect(line.contains(word)) }
    }
    #expect(lines.filter { $0.contains("has disconnected") }.count == 1)
  }

  @Test("Words of a later version are shown as they are, escaped and without colour")
  func later() {
    let table = StatusTable(terminal: OutputTerminal(size: nil, hasColor: true)).lines(.later, now: 1000)
    #expect(table[1] == "lifecycle  dozing\\r, held by 1" && table[2] == "launch     vetoed\\r (pass 1)")
    #expect(table[4] == "composite  paused\\r")
    #expect(table.last == "migrate  skipped\\r  wasm\\r    appIdle\\r")
  }

  @Test("Without initializers a line says that there are none")
  func empty() {
    var status = Status.fake
    status.initializers = []
    status.workers = []
    #expect(
      StatusTable(terminal: OutputTerminal(size: nil, hasColor: false)).lines(status, now: 1000).last
        == "no initializers")
  }
}

extension StatusTable {
  /// The lines of all initializers, without newlines.
  fileprivate func lines(_ status: Status, now: Double) -> [String] {
    String(decoding: text(status, now: now, showing: nil), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}
