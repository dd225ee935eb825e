internal import EventLoop
internal import InitJSON
internal import InitModel
package import InitWire

// Answers of several pages; `within` is the limit for each.

extension Client {
  /// Returns the last output lines of commands, oldest first, with the lines of all pages.
  ///
  /// - Throws: `ClientError`.
  package func logs(_ params: LogsRequest, within: Duration? = nil) async throws(ClientError) -> LogsRequest.Result {
    try await logs(params, from: try await request(params, within: within), within: within)
  }

  /// Returns the lines of an answer to `logs`, and of the pages after it.
  func logs(
    _ params: LogsRequest, from first: RawJSON, within: Duration? = nil
  ) async throws(ClientError) -> LogsRequest.Result {
    var pages = [try read(first, as: LogsRequest.Result.self)]
    while let before = pages[pages.count - 1].before {
      var next = params
      next.before = before
      pages.append(try await send(next, within: within))
    }
    var result = LogsRequest.Result(lines: pages.reversed().flatMap(\.lines))
    result.dropped = pages[0].dropped
    result.droppedBy = pages[0].droppedBy
    return result
  }

  /// Returns the last passes and their runs, the newest last, with the passes of all pages.
  ///
  /// - Throws: `ClientError`.
  package func history(
    _ params: HistoryRequest = HistoryRequest(), within: Duration? = nil
  ) async throws(ClientError) -> HistoryRequest.Result {
    var result = try await send(params, within: within)
    var next = params
    next.usual = false
    while let before = result.before {
      next.before = before
      result.prepend(try await send(next, within: within))
    }
    return result
  }
}
