internal import InitRecords
internal import InitWire

// The requests for pages, as the records understand them.

extension LogPage.Selection {
  init(_ request: LogsRequest) {
    self.init(
      name: request.initializer, failed: request.failed, pass: request.pass, before: request.before?.line,
      limit: request.before?.limit ?? request.limit)
  }
}

extension LogsRequest.Result {
  init(_ page: LogPage) {
    self.init(lines: page.lines, before: page.next.map { LogsPosition(line: $0.before, limit: $0.limit) })
    dropped = page.dropped
    droppedBy = page.droppedBy
  }
}

extension HistoryRequest.Result {
  /// Answers the request with the passes that fit into a page.
  init(_ request: HistoryRequest, of book: PassBook) {
    let wanted = PassSelection(
      pass: request.pass, phase: request.phase, inFlight: request.inFlight, before: request.before,
      limit: request.limit)
    let usual = request.usual ? book.usualShapes() : nil
    if request.summaries {
      let (times, next) = book.times(wanted)
      self.init(passes: [], summaries: times, usual: usual, before: next)
    } else {
      let (passes, next) = book.passes(wanted)
      self.init(passes: passes, usual: usual, before: next)
    }
  }
}
