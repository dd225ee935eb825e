import InitModel
import InitText
import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

struct WatchSceneTests {
  /// The line that says why the sample isn't ready, in 100 columns.
  private static func failed(ago seconds: Int) -> String {
    "NOT READY: prices failed \(seconds) s ago: cannot initialize prices: exit status 3; fix it; once the launch"
  }

  @Test("It has the counts, what failed, runs, is retried and waits for long, then a line for the rest of each status")
  func whole() {
    let sample = WatchSample(.each)
    sample.model.show(["no space", "giving up"], ofRun: 1)
    #expect(
      sample.text() == [
        "launch pass 1: 2 of 7 complete, 1 running, 1 retrying, 1 failed, 10 s",
        "NOT READY: prices failed 6 s ago: cannot initialize prices: exit status 3; fix",
        "  it; once the launch pass has ended, retry with initctl launch",
        "lifecycle active, launch pending, active pending, composite pending",
        "> prices   failed    3 s     cannot initialize prices: exit status 3", "  │ no space", "  │ giving up",
        "  toggles  running   5 s", "  menu     retrying  500 ms  attempt 2 of 4, next in 1.5 s",
        "  late     waiting   10 s    no worker provides it", "  1 waiting",
        "  chained  waiting           waits for toggles", "  2 complete", "  migrate  complete  2 s",
        "  tables   complete  1 s",
      ] + Array(repeating: "", count: 8) + [
        "j k move  Enter look  / filter  f fold  ? keys  q quit"
      ])
  }

  @Test(
    "Every size has its number of lines, and none is wider", arguments: [1, 2, 3, 5, 12, 40], [1, 7, 40, 60, 80, 300])
  func sizes(rows: Int, columns: Int) {
    var status = Status.each
    status.initializers.append(.fake("wide界界界界界界界界界界界界界界界界", .failed, error: .exit3))
    for hasColor in [false, true] {
      let sample = WatchSample(status, columns: columns, rows: rows, hasColor: hasColor)
      func check() {
        let scene = sample.scene()
        #expect(scene.lines.count == rows)
        for line in scene.lines {
          #expect(TextWidth.columns(line.text(columns, Style(hasColor: false))) <= columns)
          #expect(!line.text(columns, Style(hasColor: hasColor)).contains("\n"))
        }
      }
      check()
      sample.model.link = .silent(since: 990)
      check()
      sample.model.link = .lost(since: 1000)
      check()
      sample.press(.character("f"), .end, .pageUp, .enter)
      sample.model.log = (0..<50).map { .fake("line \($0)", run: $0 / 20) }
      check()
      sample.press(.escape, .end, .enter)
      check()
      sample.press(.pageUp, .escape, .character("/"), .character("w"))
      check()
    }
  }

  @Test("Of those that wait for long, those that have waited longest come first")
  func longestWaiting() {
    func waiting(_ name: String, after dependency: String) -> Initializer {
      var shape = Initializer.fake(name, .waiting, provider: .worker, available: false)
      shape.run = nil
      shape.attempt = nil
      shape.pass = nil
      shape.dependencies = [dependency]
      return shape
    }
    let sample = WatchSample(
      .launching([
        .fake("y", .complete, phase: .launch, started: 990, duration: 5),
        .fake("x", .complete, phase: .launch, started: 990, duration: 2),
        waiting("five", after: "y"), waiting("eight", after: "x"),
      ]))
    let names = sample.text().compactMap { $0.dropFirst(2).split(separator: " ").first.map(String.init) }
    #expect(names.filter { ["five", "eight"].contains($0) } == ["eight", "five"])
  }

  @Test("Small screens keep the counts, and half of the rows for the list")
  func small() {
    let sample = WatchSample(.each, columns: 40, rows: 1)
    #expect(sample.text() == ["launch pass 1: 2 of 7 complete,"])
    sample.terminal.size?.rows = 4
    #expect(
      sample.text() == [
        "launch pass 1: 2 of 7 complete,", "1 running, 1 retrying, 1 failed, 10 s",
        "> prices   failed   3 s  cannot initial…",
        "  toggles  running  5 s",
      ])
  }

  @Test("Readiness takes a second line instead of the empty one, and the list stays where it is")
  func readiness() {
    var status = Status.each
    let message = "価格表を取得できません、事務所が閉まっています、また明日"
    let progress = Initializer.Progress(fraction: 0.5, message: message)
    status.initializers = [.fake("prices", .running, phase: .launch, started: 995, progress: progress)]
    let sample = WatchSample(status, columns: 40, rows: 12)
    #expect(
      sample.text().prefix(6) == [
        "launch pass 1: 0 of 1 complete,", "1 running, 0 retrying, 0 failed, 5 s",
        "NOT READY: prices has been running for", "  5 s: 50% 価格表を取得できません、事務…",
        "lifecycle active, launch pending, activ…", "> prices  running  5 s  50% 価格表を取…",
      ])
    sample.terminal.size?.columns = 300
    #expect(sample.text()[1].hasSuffix(message) && sample.text()[3] == "" && sample.text()[4].hasPrefix("> prices"))
  }

  @Test("A command that has run for a second shows its process and its last lines")
  func running() {
    var status = Status.each
    status.initializers[1].pid = 4711
    let sample = WatchSample(status, columns: 100)
    sample.model.outputs = [1: ["one", "two", "three", "four\u{1B}"]]
    let text = sample.text()
    let place = text.firstIndex { $0.hasPrefix("  toggles  running") } ?? 0
    #expect(text[place].hasSuffix("pid 4711"))
    #expect(text[(place + 1)...(place + 3)] == ["  │ two", "  │ three", "  │ four\\u{1B}"])
    status.initializers[1].started = 999.5
    let young = WatchSample(status, columns: 100)
    young.model.outputs = [1: ["one"]]
    young.now = 1000.4
    #expect(!young.text().contains { $0.hasPrefix("  toggles  running") && $0.contains("│") })
    #expect(young.text().filter { $0 == "  │ one" }.count == 1, "of the failed one, whose run has the same number here")
  }

  @Test("A lost supervisor is shown, and the durations stop; a new one is shown for a while")
  func link() {
    let sample = WatchSample(.each, columns: 100)
    sample.model.link = .lost(since: 1001)
    sample.now = 1500
    #expect(sample.text()[1] == "the supervisor has gone; waiting for a new one at /run/s")
    #expect(sample.text()[2] == Self.failed(ago: 7))
    sample.terminal.size?.rows = 1
    #expect(sample.text() == ["the supervisor has gone; waiting for a new one at /run/s"])
    sample.terminal.size?.rows = 24
    var status = Status.each
    status.instance = "new"
    status.pid = 99
    status.time = 1500
    sample.model.renew(status)
    #expect(sample.text()[1] == "connected to a new supervisor (pid 99)")
    sample.now = 1511
    #expect(sample.text()[1].hasPrefix("NOT READY"))
    sample.model.renew(status)
    sample.now = 1501
    #expect(sample.text()[1] == "connected again to the supervisor (pid 99)")
  }

  @Test("The screen shows how long a supervisor has been silent, and the other durations stop")
  func silence() {
    let sample = WatchSample(.each, columns: 100)
    sample.model.link = .silent(since: 1001)
    sample.now = 1007
    #expect(sample.text()[1] == "no news for 6 s: the supervisor doesn't answer")
    #expect(sample.text()[0].hasSuffix(", 11 s") && sample.text()[2] == Self.failed(ago: 7))
    sample.model.link = .lost(since: 1001, wasSilent: true)
    sample.now = 1030
    #expect(sample.text()[1] == "no news for 29 s: the supervisor doesn't answer; waiting for it at /run/s")
    sample.model.link = .up
    #expect(sample.text()[1] == Self.failed(ago: 36))
  }

  @Test("The keys fit: the way out is listed even in a narrow terminal")
  func hints() {
    func last(_ columns: Int) -> String? { WatchSample(.each, columns: columns, rows: 20).text().last }
    #expect(last(54) == "j k move  Enter look  / filter  f fold  ? keys  q quit")
    #expect(last(53) == "j k move  Enter look  / filter  ? keys  q quit")
    #expect(last(46) == "j k move  Enter look  / filter  ? keys  q quit")
    #expect(last(45) == "Enter look  ? keys  q quit")
    #expect(last(26) == "Enter look  ? keys  q quit")
    #expect(last(14) == "? keys  q quit")
    #expect(last(10) == "q quit")
    let all = WatchSample(.each, columns: 40, rows: 12)
    all.press(.character("f"))
    #expect(all.text().last == "? keys  q quit  lines 1–6 of 9")
  }

  @Test("The rows that are left show initializers of the folded statuses, as many as fit")
  func rows() {
    let waiting = (0..<100).map { Initializer.fake("w\($0)", .waiting, available: false) }
    let complete = (0..<20).map { Initializer.fake("c\($0)", .complete, started: 990, duration: 1) }
    var chained = waiting
    for place in chained.indices { chained[place].dependencies = ["gate"] }
    let gate = Initializer.fake("gate", .running, phase: .launch, started: 999)
    let sample = WatchSample(.launching([gate] + chained + complete), rows: 60)
    // The only empty line is below the states.
    #expect(sample.text().count == 60 && sample.text().count(where: \.isEmpty) == 1)
    #expect(sample.text().contains("  100 waiting, 52 shown") && sample.text().contains("  20 complete"))
    // If all have room, they are listed, and f folds them.
    sample.terminal.size?.rows = 130
    #expect(sample.text().contains("  100 waiting") && sample.text().contains("  c19   complete  1 s"))
    sample.press(.character("f"))
    #expect(sample.text().prefix(7).suffix(3) == ["> gate  running  1 s", "  100 waiting", "  20 complete"])
    #expect(sample.text().last?.contains("f unfold") == true)
    // The user's choice stays.
    sample.press(.down, .down, .enter)
    #expect(sample.text().contains("  c19   complete  1 s") && !sample.text().contains { $0.hasPrefix("  w0") })
    sample.press(.character("f"), .character("f"))
    #expect(sample.text().contains { $0.hasPrefix("  w99") })
  }

  @Test("The selected line is in reverse video, or marked if there is no colour; without keys none is")
  func selection() {
    let sample = WatchSample(.each, hasColor: true)
    sample.press(.down)
    let line = sample.text().first { $0.contains("toggles  ") }
    #expect(line?.hasPrefix("\u{1B}[7m  toggles") == true)
    sample.terminal.hasColor = false
    #expect(sample.text().contains("> toggles  running   5 s"))
    sample.hasKeys = false
    #expect(sample.text().allSatisfy { !$0.hasPrefix(">") && !$0.hasPrefix("j k") })
  }

  @Test("One initializer shows why it has its status, then the end of its log, which scrolls")
  func one() {
    let sample = WatchSample(.each, rows: 10)
    sample.press(.down, .enter)
    #expect(sample.text()[1] == "reading its output …")
    sample.model.log = []
    #expect(sample.text()[1] == "no output")
    sample.model.log = (1...9).map { .fake("line \($0)\u{1B}", run: 1) }
    #expect(
      sample.text() == [
        "toggles has been running for 5 s", "output, lines 3–9 of 9:", "  line 3\\u{1B}", "  line 4\\u{1B}",
        "  line 5\\u{1B}", "  line 6\\u{1B}", "  line 7\\u{1B}", "  line 8\\u{1B}", "  line 9\\u{1B}",
        "j k scroll  PgUp PgDn  ? keys  q back",
      ])
    sample.press(.up)
    #expect(sample.text()[1] == "output, lines 2–8 of 9:")
    sample.press(.pageUp, .pageUp, .up)
    #expect(sample.text()[1] == "output, lines 1–7 of 9:")
    sample.press(.down)
    #expect(sample.text()[1] == "output, lines 2–8 of 9:")
    sample.press(.escape)
    #expect(sample.text()[0].hasPrefix("launch pass 1"))
    #expect(!sample.view.isOver)
  }

  @Test("The reason of one initializer is wrapped; it takes half of the rows, and those that the log leaves empty")
  func oneInNarrowTerminal() {
    var status = Status.each
    let message = String(repeating: "価格表を取得できません、", count: 8)
    status.initializers[2].error?.message = message
    let sample = WatchSample(status, columns: 40, rows: 12)
    sample.press(.enter)
    sample.model.log = []
    let text = sample.text()
    #expect(text[0] == "prices failed 6 s ago: 価格表を取得でき" && text[1].hasPrefix("   ません、価格表"))
    let whole = text.prefix { $0 != "no output" }.map { $0.drop { $0 == " " } }.joined()
    #expect(whole.contains(message) && whole.hasSuffix("retry with initctl launch"))
    sample.model.log = (1...9).map { .fake("line \($0)", run: 1) }
    #expect(sample.text()[5] == "… 3 more lines" && sample.text()[6] == "output, lines 6–9 of 9:")
  }

  @Test("The log of several runs has a line before each")
  func runs() {
    let sample = WatchSample(.each)
    sample.press(.enter)
    sample.model.log = [.fake("a", run: 1), .fake("b", run: 2)]
    #expect(sample.text().contains("-- run 2, attempt 2, 1970-01-01T00:16:40.000Z"))
  }

  @Test("The initializer that is shown may go away")
  func removed() {
    let sample = WatchSample(.each)
    sample.press(.enter)
    sample.model.apply(Status.Event(seq: 1, time: 1000, body: .initializerRemoved(.fake("prices", .failed))))
    #expect(sample.text().first == "prices is not declared any more")
  }

  @Test("Without initializers, and without a match, it says so")
  func empty() {
    let sample = WatchSample(.launching([]))
    #expect(sample.text().contains("no initializers"))
    let other = WatchSample(.each)
    other.type("/xyz")
    #expect(other.text().contains("no initializer matches"))
    other.press(.enter, .down, .enter, .pageDown)
    #expect(other.view.mode == .list)
  }

  @Test("The text of other programs is escaped")
  func escaped() {
    var status = Status.each
    status.initializers.append(
      .fake("x", .running, started: 999, progress: Initializer.Progress(fraction: 0.5, message: "half\u{1B}[2J")))
    let sample = WatchSample(status)
    sample.model.show(["\u{1B}[31mred"], ofRun: 1)
    #expect(sample.text().contains { $0.contains("half\\u{1B}[2J") })
    #expect(sample.text().allSatisfy { line in line.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
  }

  @Test("10,000 initializers are composed, unfolded too")
  func many() {
    let all = (0..<10_000).map {
      Initializer.fake("i\($0)", $0 < 5 ? .running : .complete, started: 990, duration: 1)
    }
    let sample = WatchSample(.launching(all), rows: 12)
    #expect(sample.text().contains("  9995 complete, 1 shown"))
    sample.press(.character("f"), .end)
    #expect(sample.text().contains("> i9999  complete  1 s"))
    #expect(sample.text().last?.hasSuffix("lines 9995–10001 of 10001") == true)
  }
}

extension LogLine {
  static func fake(_ line: String, run: Int) -> LogLine {
    LogLine(time: 1000, initializer: "i", run: run, attempt: run, stream: .stdout, line: line)
  }
}
