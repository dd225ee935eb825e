import InitModel
import InitWire
import InitWords
import Testing

@testable import initctl

struct WatchViewTests {
  private static func sample(_ count: Int, rows: Int = 10) -> WatchSample {
    WatchSample(.launching((0..<count).map { .fake("i\($0)", .running, started: 990) }), rows: rows)
  }

  /// The selected line.
  private func selected(_ sample: WatchSample) -> String? {
    sample.text().first { $0.hasPrefix("> ") }.map { String($0.dropFirst(2).prefix { $0 != " " }) }
  }

  @Test(
    "Keys select the next and the previous line, a page further, the first and the last; the list scrolls with them")
  func moves() {
    let sample = Self.sample(30)
    #expect(selected(sample) == "i0")
    sample.press(.down, .character("j"), .character("j"), .up)
    #expect(selected(sample) == "i2")
    sample.press(.pageDown)
    #expect(selected(sample) == "i7")
    #expect(sample.text().last?.contains("lines 4–8 of 30") == true)
    sample.press(.pageUp, .pageUp, .character("k"))
    #expect(selected(sample) == "i0")
    sample.press(.end, .down)
    #expect(selected(sample) == "i29")
    sample.press(.home)
    #expect(selected(sample) == "i0")
    for number in 1..<30 {
      sample.press(.down)
      #expect(selected(sample) == "i\(number)")
    }
  }

  @Test("A selected initializer stays selected wherever it moves; before a key, the first line is")
  func sticks() {
    let sample = Self.sample(4)
    sample.model.apply(Status.Event(seq: 1, time: 1000, body: .initializer(.fake("i2", .failed, duration: 1))))
    #expect(selected(sample) == "i2")
    sample.press(.down, .down)
    #expect(selected(sample) == "i1")
    sample.model.apply(Status.Event(seq: 2, time: 1000, body: .initializer(.fake("i1", .failed, duration: 1))))
    #expect(selected(sample) == "i1")
    #expect(sample.view.index == 0)
    // If it is folded away, what is in its place is selected.
    sample.type("f")
    sample.model.apply(Status.Event(seq: 3, time: 1000, body: .initializer(.fake("i1", .complete, duration: 1))))
    #expect(selected(sample) == "i2")
  }

  @Test("/ filters by a part of the name while it is typed; Enter keeps the filter, Escape clears it")
  func filters() {
    let sample = WatchSample(.each)
    sample.type("/ta")
    #expect(sample.text().contains("> tables  complete  1 s"))
    #expect(sample.text().last == "/ta_   Enter accepts, Escape clears")
    sample.press(.enter)
    #expect(sample.text().last == "filter: ta   / changes it, Escape clears it")
    // q is a key again.
    sample.type("/q")
    #expect(sample.view.filter == "taq")
    sample.press(.backspace, .backspace, .backspace, .backspace)
    #expect(sample.view.mode == .list)
    sample.type("/ta")
    sample.press(.enter, .escape)
    #expect(sample.view.filter == "")
    sample.type("/ta")
    sample.press(.escape)
    #expect((sample.view.mode, sample.view.filter) == (.list, ""))
    #expect(!sample.view.isOver)
  }

  @Test("f unfolds all and folds all; Enter unfolds one status")
  func folds() {
    let sample = WatchSample(.each)
    // There is room for all.
    #expect(sample.text().contains { $0.hasPrefix("  tables ") })
    sample.type("f")
    #expect(!sample.text().contains { $0.hasPrefix("  tables ") })
    sample.type("f")
    #expect(sample.text().contains { $0.hasPrefix("  tables ") })
    #expect(sample.text().contains { $0.hasPrefix("  chained ") })
    sample.type("f")
    #expect(!sample.text().contains { $0.hasPrefix("  tables ") })
    sample.press(.end, .enter)
    #expect(sample.text().contains { $0.hasPrefix("  tables ") })
    #expect(!sample.text().contains { $0.hasPrefix("  chained ") })
    sample.press(.enter)
    #expect(!sample.text().contains { $0.hasPrefix("  tables ") })
  }

  @Test("q goes back from one initializer, and ends from the list")
  func quits() {
    let sample = WatchSample(.each)
    sample.press(.enter)
    #expect(sample.view.mode == .one("prices"))
    sample.type("q")
    #expect((sample.view.mode, sample.view.isOver) == (.list, false))
    sample.press(.escape, .backspace, .character("x"))
    #expect(!sample.view.isOver)
    sample.type("q")
    #expect(sample.view.isOver)
  }

  /// A process that is an initializer, one that isn't, and an initializer that is no process.
  private static func processes() -> WatchSample {
    var status = Status.launching([.fake("migrate", .running, started: 990), .fake("web", .complete, duration: 1)])
    status.processes = [
      Status.Process(name: "web", pid: 47, uptime: 60), Status.Process(name: "queue", pid: 48, uptime: 70),
    ]
    return WatchSample(status, columns: 100)
  }

  @Test("A process that is no initializer is listed last; the footer has the keys of processes")
  func listsProcesses() {
    let sample = Self.processes()
    #expect(sample.text().contains("  queue    process   up 1 min 10 s"))
    #expect(
      sample.text().last == "j k move  Enter look  / filter  f fold  s stop  r restart  x external  ? keys  q quit")
    // The key that ends the program is never left out.
    sample.terminal = OutputTerminal(size: OutputTerminal.Size(columns: 40, rows: 24), hasColor: false)
    #expect(sample.text().last?.hasSuffix("q quit") == true)
  }

  @Test("s, r and x ask once, and y does it: each with the selected process")
  func asks() {
    let sample = Self.processes()
    sample.type("/web")
    sample.press(.enter, .end)
    for (key, verb) in [("s", ProcessAction.Verb.stop), ("r", .restart), ("x", .external)] {
      sample.type(key)
      #expect(sample.view.asked?.name == "web")
      #expect(sample.text().last == sample.view.asked?.question)
      #expect(sample.view.takeAction() == nil)
      sample.type("y")
      let action = sample.view.takeAction()
      #expect(action?.verb == verb && action?.name == "web")
      #expect(sample.view.takeAction() == nil)
    }
  }

  @Test("Any other key than y does nothing, and isn't taken for another one")
  func declines() {
    let sample = Self.processes()
    sample.press(.end)
    sample.type("sq")
    #expect(!sample.view.isOver)
    #expect(sample.view.asked == nil)
    #expect(sample.view.takeAction() == nil)
  }

  @Test("s starts what somebody has stopped")
  func starts() {
    let sample = Self.processes()
    var stopped = Status.Process(name: "queue")
    stopped.stoppedBy = "ops"
    stopped.stoppedAt = 999
    sample.model.apply(Status.Event(seq: 1, time: 1000, body: .process(stopped)))
    #expect(sample.text().contains { $0.hasPrefix("  queue    process   was stopped by ops") })
    sample.press(.end)
    sample.type("sy")
    #expect(sample.view.takeAction()?.verb == .start)
  }

  @Test("On an initializer that is no process, the keys say so; a fold has none")
  func refuses() {
    let sample = Self.processes()
    sample.type("s")
    #expect(sample.view.asked == nil)
    #expect(sample.text().last?.hasPrefix("migrate isn't a process") == true)
    sample.press(.down)
    sample.type("s")
    #expect(sample.view.asked == nil && sample.view.message == nil)
  }

  @Test("The keys of processes also work where one is shown alone, and not while a filter is typed")
  func alone() {
    let sample = Self.processes()
    sample.press(.end, .enter)
    #expect(sample.view.mode == .one("queue"))
    sample.type("ry")
    #expect(sample.view.takeAction()?.verb == .restart)
    sample.press(.escape)
    sample.type("/rsx")
    #expect(sample.view.filter == "rsx")
  }
}
