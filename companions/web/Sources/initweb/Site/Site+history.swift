internal import Foundation
internal import Hummingbird
internal import HummingbirdCore
internal import Passes
internal import WebPage

extension Site {
  /// The passes.
  func historyPage(_ query: Parameters) async -> Response {
    Answer.page(
      HistoryPage(
        rows: recent.newestFirst.map(HistoryPage.Row.init), problem: Self.short, now: Date().timeIntervalSince1970
      ).html)
  }

  /// How long an initializer took in the passes.
  func trendPage(_ name: String) async -> Response {
    let points = recent.newestFirst.reversed().compactMap { TrendPage.Point(name, $0) }
    return Answer.page(
      TrendPage(name: name, points: points, problem: Self.short, now: Date().timeIntervalSince1970).html)
  }

  /// The passes, for programs.
  func passes(_ query: Parameters) async -> Response {
    Answer.error(.notFound, "noHistory", "no history is kept; start initweb with --history PATH")
  }

  private static let short = "Only the last passes that the supervisor remembered are known."
}

extension TrendPage.Point {
  /// The initializer in a pass; nil if it didn't run there.
  fileprivate init?(_ name: String, _ pass: EndedPass) {
    guard let each = pass.initializers.first(where: { $0.name == name }) else { return nil }
    self.init(
      started: pass.started, phase: pass.phase.rawValue, outcome: each.outcome, queued: each.queued,
      running: each.running, attempts: each.attempts, isCritical: pass.criticalPath.contains { $0.name == name })
  }
}
