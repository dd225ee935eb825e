internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import PassStore
internal import Passes
internal import WebPage
internal import WebStatus

extension Site {
  /// The passes.
  func historyPage(_ query: Parameters) async -> Response {
    let now = Date().timeIntervalSince1970
    guard let history else {
      let note = "At most the last 32 passes are known; with --history PATH initweb keeps them for weeks."
      return Answer.page(
        HistoryPage(rows: recent.newestFirst.map(HistoryPage.Row.init), problem: note, now: now).html)
    }
    do {
      guard let store = history.store else { throw Unavailable(history) }
      let entries = try await store.passes(limit: 50, before: query["before"].flatMap { Int($0) })
      let rows = entries.map { each in
        HistoryPage.Row(
          address: PassPage.address(instance: each.instance, number: each.number), phase: each.phase,
          started: each.started, outcome: each.outcome, duration: each.duration,
          detail: each.error ?? each.criticalPath.joined(separator: " → "))
      }
      let older = entries.count == 50 ? entries.last.map { "/history?before=\($0.id)" } : nil
      return Answer.page(HistoryPage(rows: rows, older: older, now: now).html)
    } catch {
      var response = Answer.page(HistoryPage(rows: [], problem: "\(error)", now: now).html)
      response.status = .serviceUnavailable
      return response
    }
  }

  /// Returns the page of one pass.
  func passPage(_ query: Parameters) async -> Response {
    let now = Date().timeIntervalSince1970
    let instance = query["supervisor"].map(String.init) ?? ""
    let number = query["number"].flatMap { Int($0) } ?? 0
    var problem = "that pass isn't known; /history lists the passes"
    var status = HTTPResponse.Status.notFound
    do {
      var pass = recent.newestFirst.first { $0.instance == instance && $0.number == number }
      if pass == nil, let history {
        guard let store = history.store else { throw Unavailable(history) }
        pass = try await store.pass(number, of: instance).map(EndedPass.init)
      }
      if let pass { return Answer.page(PassPage(pass: pass, now: now).html) }
    } catch {
      problem = "\(error)"
      status = .serviceUnavailable
    }
    var response = Answer.page(HistoryPage(rows: [], problem: problem, now: now).html)
    response.status = status
    return response
  }

  /// Returns the page with an initializer's durations in the last passes.
  func trendPage(_ name: String) async -> Response {
    let now = Date().timeIntervalSince1970
    guard let history else {
      let points = recent.newestFirst.reversed().compactMap { TrendPage.Point(name, $0) }
      let note = "At most the last 32 passes are known; with --history PATH initweb keeps them for weeks."
      return Answer.page(TrendPage(name: name, points: points, problem: note, now: now).html)
    }
    do {
      guard let store = history.store else { throw Unavailable(history) }
      let points = try await store.trend(of: name, limit: 100).map(TrendPage.Point.init)
      return Answer.page(TrendPage(name: name, points: points, now: now).html)
    } catch {
      var response = Answer.page(TrendPage(name: name, points: [], problem: "\(error)", now: now).html)
      response.status = .serviceUnavailable
      return response
    }
  }

  /// Returns the passes as JSON.
  func passes(_ query: Parameters) async -> Response {
    let limit = query["limit"].map { Int($0) } ?? 50
    guard let limit, (1...500).contains(limit) else {
      return Answer.error(.badRequest, "badRequest", "limit must be a number from 1 to 500")
    }
    let before = query["before"].map { Int($0) }
    if case .some(nil) = before { return Answer.error(.badRequest, "badRequest", "before must be the id of a pass") }
    let phase = query["phase"].map { Phase(rawValue: String($0)) }
    if case .some(nil) = phase { return Answer.error(.badRequest, "badRequest", "phase must be launch or active") }
    guard let history else {
      return Answer.error(
        .notFound, "noHistory", "no history is kept; start initweb with --history PATH")
    }
    do {
      guard let store = history.store else { throw Unavailable(history) }
      let entries = try await store.passes(limit: limit, before: before ?? nil, phase: phase ?? nil)
      return Answer.json(try JSONLine.text(["passes": entries]))
    } catch {
      return Answer.error(.serviceUnavailable, "historyUnavailable", "\(error)", retryAfter: 1)
    }
  }

  /// The history can't be read.
  private struct Unavailable: Error, CustomStringConvertible {
    let description: String

    init(_ history: History) {
      description = history.status.failure ?? "the history isn't open yet; try again in a second"
    }
  }
}

extension EndedPass {
  /// Converts a pass of the history.
  fileprivate init(_ stored: StoredPass) {
    let entry = stored.pass
    self.init(
      instance: entry.instance, number: entry.number, phase: entry.phase, started: entry.started,
      opened: entry.started + entry.held, duration: entry.held + entry.duration, outcome: entry.outcome,
      failure: entry.error.map { Failure(initializer: entry.failedBy, message: $0) }, concurrency: entry.concurrency,
      traceparent: entry.traceparent, runs: stored.runs.map(EndedRun.init), initializers: stored.initializers,
      criticalPath: stored.path)
  }
}

extension EndedRun {
  fileprivate init(_ run: StoredRun) {
    self.init(
      number: run.number, initializer: run.initializer, attempt: run.attempt, ready: run.ready, started: run.started,
      duration: run.duration, cpu: run.cpu, outcome: run.outcome, error: run.error, waitedFor: run.waitedFor,
      output: run.output ?? [])
  }
}

extension TrendPage.Point {
  /// Finds the initializer in a pass; nil if it didn't run there.
  fileprivate init?(_ name: String, _ pass: EndedPass) {
    guard let each = pass.initializers.first(where: { $0.name == name }) else { return nil }
    self.init(
      started: pass.started, phase: pass.phase.rawValue, outcome: each.outcome, queued: each.queued,
      running: each.running, attempts: each.attempts, isCritical: pass.criticalPath.contains { $0.name == name })
  }

  fileprivate init(_ point: TrendPoint) {
    let each = point.initializer
    self.init(
      started: point.started, phase: point.phase.rawValue, outcome: each.outcome, queued: each.queued,
      running: each.running, attempts: each.attempts, isCritical: point.isOnCriticalPath)
  }
}
