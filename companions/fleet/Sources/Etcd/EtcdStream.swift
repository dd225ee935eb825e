internal import EtcdMessages
internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import GRPCProtobuf
internal import SwiftProtobuf
internal import Synchronization

// A stream belongs to one member. It ends with an error: the member's, or that another member is asked now. Its reader begins another
// stream.

extension EtcdClient {
  /// Watches a range of keys.
  ///
  /// The sequence has the changes in order; each element has the changes of one or several revisions. It ends with an `EtcdError`, e.g. if
  /// the connection is lost, or the member is cut off from the others; then the reader reads the keys again. It is cancelled when it is
  /// dropped.
  ///
  /// `revision` is the first revision whose changes are reported.
  package func watch(_ range: EtcdRange, from revision: Int) -> AsyncThrowingStream<[EtcdEvent], any Error> {
    var create = Etcdserverpb_WatchCreateRequest()
    create.key = SwiftData(range.first)
    create.rangeEnd = SwiftData(range.end)
    create.startRevision = Int64(revision)
    var request = Etcdserverpb_WatchRequest()
    request.createRequest = create
    let (stream, continuation) = AsyncThrowingStream<[EtcdEvent], any Error>.makeStream()
    let task = Task { [request] in
      do {
        try await self.stream { client, metadata in
          // Without this, a member that is cut off from the others says nothing.
          var metadata = metadata
          metadata.addString("true", forKey: "hasleader")
          try await Etcdserverpb_Watch.Client(wrapping: client).watch(
            metadata: metadata, options: Self.options,
            requestProducer: { writer in
              try await writer.write(request)
              try await Self.untilCancelled()
            },
            onResponse: { response in
              for try await message in response.messages {
                if message.canceled {
                  let reason = message.compactRevision > 0 ? "the revision is compacted" : message.cancelReason
                  throw EtcdError.refusal(reason.isEmpty ? "the watch was cancelled" : reason, nil)
                }
                let events = message.events.map(EtcdEvent.init)
                if !events.isEmpty { continuation.yield(events) }
              }
              throw EtcdError.unreachable("the watch has ended")
            })
        }
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Renews a lease whenever `demands` has an element.
  ///
  /// `onAnswer` is called with each answer: with the time at which its request was sent, and the minimum number of seconds that the lease
  /// lasts from then on; 0 if the lease has ended. It returns when `demands` ends.
  ///
  /// `member` is the index of the member to which the stream belongs. The stream continues when another member is asked: its answers still
  /// count. If `member` is nil, it belongs to the member that is asked first, and ends with that.
  ///
  /// - Throws: `EtcdError` when the stream has ended otherwise.
  package func keepAlive(
    lease: Int, at member: Int? = nil, on demands: AsyncStream<Void>,
    onAnswer: @escaping @FleetActor @Sendable (_ sent: ContinuousClock.Instant, _ seconds: Int) -> Void
  ) async throws(EtcdError) {
    let sendings = Sendings()
    do {
      try await stream(at: member) { client, metadata in
        try await Etcdserverpb_Lease.Client(wrapping: client).leaseKeepAlive(
          metadata: metadata, options: Self.options,
          requestProducer: { writer in
            var request = Etcdserverpb_LeaseKeepAliveRequest()
            request.id = Int64(lease)
            for await _ in demands {
              // Before it is sent: the lease lasts at least from then on.
              await sendings.add(.now)
              try await writer.write(request)
            }
          },
          onResponse: { response in
            for try await message in response.messages {
              guard let sent = await sendings.next() else { continue }
              await onAnswer(sent, Int(message.ttl))
            }
          })
      }
    } catch let error as EtcdError {
      throw error
    } catch {
      throw .unreachable("\(error)")
    }
  }

  /// Runs a stream with the user's token; once more with a new token if that may help.
  ///
  /// `member` is the index of its member; nil for the member that is asked first. Such a stream ends when another member is asked.
  private func stream(
    at member: Int? = nil, _ body: @escaping @Sendable (Connection, Metadata) async throws -> Void
  ) async throws {
    var refused: String?
    while true {
      let token = try await token(insteadOf: refused)
      do {
        return try await streamOnce(member, token, body)
      } catch let error as EtcdError {
        guard refused == nil, mayBeOutdated(token, error) else { throw error }
        refused = token
      }
    }
  }

  private func streamOnce(
    _ chosen: Int?, _ token: String, _ body: @escaping @Sendable (Connection, Metadata) async throws -> Void
  ) async throws {
    let place = chosen ?? first
    let member = try member(place)
    let metadata = Self.metadata(token)
    let call = Task { try await body(member.client, metadata) }
    let reason = Reason()
    let number =
      chosen == nil
      ? register(place) { error in
        reason.error.withLock { $0 = error }
        call.cancel()
      } : nil
    defer { if let number { unregister(number) } }
    let result = await withTaskCancellationHandler {
      await call.result
    } onCancel: {
      call.cancel()
    }
    switch result {
    case .success: return
    case .failure(let error as EtcdError): throw error
    case .failure(let error):
      if Task.isCancelled { throw CancellationError() }
      if let reason = reason.error.withLock({ $0 }) { throw reason }
      let error = EtcdError(error, of: member.endpoint)
      if error.isUnreachable { passOver(place, because: error) }
      throw error
    }
  }

  /// Keeps the sending side of a stream open.
  nonisolated private static func untilCancelled() async throws {
    let (stream, _) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    try Task.checkCancellation()
  }
}

/// When the requests were sent that aren't answered yet.
private actor Sendings {
  private var moments: [ContinuousClock.Instant] = []

  func add(_ moment: ContinuousClock.Instant) { moments.append(moment) }
  func next() -> ContinuousClock.Instant? { moments.isEmpty ? nil : moments.removeFirst() }
}

/// The reason why this side ended a stream.
private final class Reason: Sendable {
  let error = Mutex<EtcdError?>(nil)
}
