internal import EventLoop
internal import InitJSON

/// A running watch; used on the loop's thread.
package final class EtcdWatch: @unchecked Sendable {
  fileprivate let body: [UInt8]
  fileprivate let onEvents: @Sendable ([EtcdEvent]) -> Void
  fileprivate let onEnd: @Sendable (EtcdError) -> Void
  fileprivate var exchange: HTTP.Exchange?
  /// The place of the endpoint that is asked.
  fileprivate(set) var place = 0
  fileprivate var onClose: () -> Void = {}
  fileprivate var line: [UInt8] = []
  fileprivate var isEnded = false
  /// Whether it was begun again with a new token.
  fileprivate var isRepeated = false

  fileprivate init(
    _ body: String, _ onEvents: @escaping @Sendable ([EtcdEvent]) -> Void,
    _ onEnd: @escaping @Sendable (EtcdError) -> Void
  ) {
    self.body = Array(body.utf8)
    self.onEvents = onEvents
    self.onEnd = onEnd
  }

  /// Ends it: nothing is called any more.
  package func cancel() {
    isEnded = true
    exchange?.cancel()
    onClose()
  }

  func end(_ error: EtcdError) {
    guard !isEnded else { return }
    cancel()
    onEnd(error)
  }
}

extension Etcd {
  /// Watches a range of keys.
  ///
  /// It ends with an error, e.g. if the connection is lost; then the caller reads the keys again.
  ///
  /// `revision` is the first revision whose changes are reported. `onEvents` is called with the changes of one revision or more, in order.
  /// `onEnd` is called once, unless it is cancelled.
  package func watch(
    _ range: EtcdRange, from revision: Int, onEvents: @escaping @Sendable ([EtcdEvent]) -> Void,
    onEnd: @escaping @Sendable (EtcdError) -> Void
  ) -> EtcdWatch {
    let body = #"{"create_request":{\#(range.members),"start_revision":"\#(revision)"}}"#
    let watch = EtcdWatch(body, onEvents, onEnd)
    let id = ObjectIdentifier(watch)
    watches[id] = watch
    watch.onClose = { [weak self] in self?.assumeIsolated { $0.watches[id] = nil } }
    if user == nil { begin(watch, "") } else { begin(watch, insteadOf: nil) }
    return watch
  }

  /// The same as a sequence of changes, which ends when the watch does.
  ///
  /// `duration` says when the watch ends; nil for never.
  package func changes(
    _ range: EtcdRange, from revision: Int, for duration: Duration? = nil
  ) -> AsyncStream<[EtcdEvent]> {
    let (stream, continuation) = AsyncStream<[EtcdEvent]>.makeStream()
    let watch = watch(range, from: revision) {
      continuation.yield($0)
    } onEnd: { _ in
      continuation.finish()
    }
    let end = Task(executorPreference: loop) {
      guard let duration else { return }
      try await Task.sleep(for: duration)
      continuation.finish()
    }
    continuation.onTermination = { [loop] _ in
      end.cancel()
      loop.perform { watch.cancel() }
    }
    return stream
  }

  /// Ends the watches on some endpoints.
  func endWatches(because reason: EtcdError, on isConcerned: (Int) -> Bool) {
    for watch in watches.values where isConcerned(watch.place) { watch.end(reason) }
  }

  /// Begins it with a token, but not with the given one, which etcd has refused.
  private func begin(_ watch: EtcdWatch, insteadOf refused: String?) {
    Task(executorPreference: loop) {
      do throws(EtcdError) {
        let token = try await self.token(insteadOf: refused)
        await self.begin(watch, token)
      } catch {
        watch.end(error)
      }
    }
  }

  ///
  /// `token` is the token, empty for none.
  private func begin(_ watch: EtcdWatch, _ token: String) {
    guard !watch.isEnded else { return }
    watch.line = []
    watch.place = first
    let isRepeated = watch.isRepeated
    watch.exchange = http.post(
      endpoints[first] + "/v3/watch", watch.body, authorization: token.isEmpty ? nil : token,
      onData: { [weak self] bytes in
        for byte in bytes where !watch.isEnded && watch.isRepeated == isRepeated {
          if byte == UInt8(ascii: "\n") {
            self?.assumeIsolated { $0.handleLine(of: watch, token) }
          } else {
            watch.line.append(byte)
          }
        }
      },
      onEnd: { [weak self] result in
        self?.assumeIsolated { $0.finish(watch, token, result) }
      })
  }

  private func finish(_ watch: EtcdWatch, _ token: String, _ result: Result<Int, HTTPError>) {
    var reason = EtcdError.unreachable("the watch has ended")
    switch result {
    case .success(200): break
    case .success(let status):
      // Refused before the stream has begun.
      let refusal = (try? RawJSON(checking: watch.line)).flatMap(Self.refusal)
      if let refusal, isRepeated(watch, after: refusal, token) { return }
      reason = refusal ?? .unreachable("HTTP status \(status)")
    case .failure(let error): reason = .unreachable("\(error)")
    }
    watch.end(reason)
    first = (first + 1) % endpoints.count
  }

  /// Begins it with a new token if that may help.
  ///
  /// Returns whether it does.
  private func isRepeated(_ watch: EtcdWatch, after refusal: EtcdError, _ token: String) -> Bool {
    guard refusal.isAboutToken, user != nil, !watch.isRepeated else { return false }
    watch.isRepeated = true
    watch.exchange?.cancel()
    begin(watch, insteadOf: token)
    return true
  }

  private func handleLine(of watch: EtcdWatch, _ token: String) {
    let line = watch.line
    watch.line.removeAll(keepingCapacity: true)
    guard !watch.isEnded, !line.isEmpty else { return }
    guard let json = try? RawJSON(checking: line) else { return watch.end(.refused("its answer isn't JSON", code: 0)) }
    if let refusal = Self.refusal(in: json) {
      if !isRepeated(watch, after: refusal, token) { watch.end(refusal) }
      return
    }
    guard let message = try? json.decode(WatchJSON.self) else {
      return watch.end(.refused("its answer isn't etcd's JSON", code: 0))
    }
    if let result = message.result, result.canceled == true {
      let refusal = Self.refusal(result.reason ?? "the watch was cancelled", code: 0)
      if !isRepeated(watch, after: refusal, token) { watch.end(refusal) }
      return
    }
    let events: [EtcdEvent] = (message.result?.events ?? []).compactMap { event in
      event.kv.map { $0.entry }.map {
        event.type == "DELETE" ? .deleted(key: $0.key, revision: $0.modified) : .put($0)
      }
    }
    if !events.isEmpty { watch.onEvents(events) }
  }
}
