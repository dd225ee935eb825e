import InitJSON
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Members of a pass that haven't started")
struct UnstartedTests {
  private func unstarted(_ initializers: [Initializer], after runs: [Pass.Run], in pass: Pass? = nil)
    -> [Unstarted]
  {
    let pass = pass ?? .fake(runs, for: nil)
    let started = Timeline(pass, now: 9).initializers
    return Unstarted.all(of: pass, started, opened: 0, in: .fake(initializers))
  }

  @Test("One is ready when its last dependency completed, and not while one runs, has failed, or isn't declared")
  func ready() {
    let runs = [
      Pass.Run.fake(1, "a", from: 0, for: 2), .fake(2, "b", from: 2, for: 3), .fake(3, "now", from: 5, for: nil),
      .fake(4, "bad", from: 5, for: 1, .failed),
    ]
    let all = unstarted(
      [
        .fake("a", .complete), .fake("b", .complete), .fake("now", .running), .fake("bad", .failed),
        .fake("remembered", .complete), .fake("open", .waiting), .fake("free", .waiting),
        .fake("both", .waiting, after: "b", "a"), .fake("first", .waiting, after: "a", "remembered"),
        .fake("later", .waiting, after: "a", "now"), .fake("blocked", .notRun, after: "bad"),
        .fake("unready", .waiting, after: "open"), .fake("lost", .waiting, after: "nobody"),
      ], after: runs)
    let ready = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.ready) })
    #expect(
      ready == [
        "remembered": 0, "open": 0, "free": 0, "both": 5, "first": 2, "later": nil, "blocked": nil, "unready": nil,
        "lost": nil,
      ])
  }

  @Test("Before the pass has opened, none is ready")
  func unopened() {
    var pass = Pass.fake([], for: nil)
    pass.opened = nil
    #expect(unstarted([.fake("a", .waiting)], after: [], in: pass).map(\.ready) == [nil])
  }

  @Test("An active pass consists of the active initializers: what launch has executed is no member")
  func active() {
    var pass = Pass.fake([], for: nil)
    pass.phase = .known(.active)
    let initializers = [
      Initializer.fake("base", .complete), .fake("l", .complete, after: "base"),
      .fake("x", .waiting, after: "l", "y", priority: .appActive), .fake("y", .waiting, priority: .appActive),
    ]
    let all = unstarted(initializers, after: [], in: pass)
    #expect(all.map(\.name) == ["x", "y"])
    #expect(all.map(\.dependencies) == [["y"], []])
  }

  @Test("A launch pass consists of the launch initializers and all that they depend on")
  func launch() {
    let status = Status.fake([
      .fake("deep", .waiting, priority: .appActive), .fake("x", .waiting, after: "deep", priority: .appActive),
      .fake("l", .waiting, after: "x"), .fake("other", .waiting, priority: .appActive),
    ])
    #expect(status.members(of: .launch).sorted() == [0, 1, 2])
    #expect(status.members(of: .active).sorted() == [0, 1, 3])
  }
}
