import InitModel
import InitTimeline
import InitWire
import InitWords

@testable import initctl

/// A screen without a terminal: a model, a view and a size.
final class WatchSample {
  var model: WatchModel
  var view = WatchView()
  var terminal: OutputTerminal
  var now = 1000.0
  var hasKeys = true

  init(_ status: Status, columns: Int = 80, rows: Int = 24, hasColor: Bool = false) {
    model = WatchModel(status, path: "/run/s")
    terminal = OutputTerminal(size: OutputTerminal.Size(columns: columns, rows: rows), hasColor: hasColor)
  }

  /// Draws it.
  func scene() -> WatchScene { WatchScene(model, &view, terminal, now: now, hasKeys: hasKeys) }

  /// The drawn text, without empty lines at the end.
  func text() -> [String] {
    let columns = terminal.size?.columns ?? 80
    var lines = scene().lines.map { $0.text(columns, Style(hasColor: terminal.hasColor)) }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// Draws the view, then presses keys: a name each, or characters.
  func press(_ keys: Key...) {
    for key in keys {
      let scene = scene()
      view.press(key, scene.list, page: scene.page, model.status)
    }
  }

  func type(_ text: String) { for character in text { press(.character(character)) } }
}

extension Status {
  /// A launch pass of initializers without dependencies, which began 10 s ago.
  static func launching(_ initializers: [Initializer], concurrency: Int = 2) -> Status {
    var status = Status.fakePending
    status.initializers = initializers
    status.concurrency = concurrency
    return status
  }

  /// One of each: failed, running, retrying, waiting, complete and idle.
  static let each: Status = {
    var retrying = Initializer.fake("menu", .waiting, attempt: 2, phase: .launch, started: 998, duration: 0.5)
    retrying.attempts = 4
    retrying.nextAttempt = 1001.5
    var waiting = Initializer.fake("late", .waiting, provider: .worker, available: false)
    waiting.run = nil
    waiting.attempt = nil
    waiting.pass = nil
    var chained = Initializer.fake("chained", .waiting)
    chained.dependencies = ["toggles"]
    return launching([
      .fake("migrate", .complete, phase: .launch, started: 990, duration: 2),
      .fake("toggles", .running, phase: .launch, started: 995),
      .fake("prices", .failed, phase: .launch, started: 991, duration: 3, error: .exit3), retrying, waiting, chained,
      .fake("tables", .complete, phase: .launch, started: 992, duration: 1),
    ])
  }()
}
