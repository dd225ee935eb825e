internal import AsyncHTTPClient
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Passes
internal import ServiceLifecycle
internal import Synchronization
internal import Traces
internal import WebStatus

/// Sends the spans of passes to a collector.
final class TraceExporter: Service {
  /// How long an answer may take.
  private static let answerLimit = Duration.seconds(10)
  /// How long the remaining spans may take at the end.
  private static let flushLimit = Duration.seconds(5)
  /// The maximum number of bytes of an answer that are read.
  private static let answerBytes = 64 << 10

  private let settings: CollectorSettings
  private let request: SpanRequest
  private let logger: Logger
  private let queue = Mutex(SpanQueue())
  private let isEnding = Mutex(false)
  private let wakeUps: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(_ settings: CollectorSettings, logger: Logger) {
    self.settings = settings
    self.logger = logger
    request = SpanRequest(resource: settings.resource.map { ($0.name, $0.value) }, version: Version.number)
    (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// How many spans are queued, and how many were exported, dropped or refused.
  var counts: (queued: Int, counts: SpanQueue.Counts) { queue.withLock { ($0.count, $0.counts) } }

  /// Queues the spans of passes.
  func add(_ passes: [EndedPass]) {
    for pass in passes { log(queue.withLock { $0.add(Span.spans(of: pass)) }) }
    wake.yield()
  }

  /// Sends spans until this program ends, and then the spans that are still queued, as far as there is time.
  func run() async throws {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)))
    // A lost connection is tried again here.
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    logger.info("sending spans to \(settings.url)")
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.send(client) }
      group.addTask {
        try? await gracefulShutdown()
        self.isEnding.withLock { $0 = true }
        self.wake.yield()
        try? await Task.sleep(for: Self.flushLimit)
      }
      await group.next()
      group.cancelAll()
    }
    let rest = queue.withLock { $0.abandon() }
    if rest > 0 { logger.error("\(rest) spans are lost: \(settings.url) hasn't taken them before the end") }
    try? await client.shutdown()
  }

  /// Sends until the queue is empty at the end.
  private func send(_ client: HTTPClient) async {
    var moments = wakeUps.makeAsyncIterator()
    while !Task.isCancelled {
      let batch = queue.withLock(\.batch)
      guard !batch.isEmpty else {
        if isEnding.withLock({ $0 }) { return }
        await moments.next()
        continue
      }
      let answer = await post(batch, client)
      // The batch is still queued, and counts as lost.
      if Task.isCancelled { return }
      let (pause, notice) = queue.withLock { $0.settle(batch, answer, random: .random(in: 0...1)) }
      log(notice)
      guard pause > 0 else { continue }
      if isEnding.withLock({ $0 }) {
        // There is a limit for all of it.
        try? await Task.sleep(for: .seconds(pause))
      } else {
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: .seconds(pause)) }
      }
    }
  }

  private func post(_ batch: ArraySlice<Span>, _ client: HTTPClient) async -> SpanQueue.Answer {
    do {
      var post = HTTPClientRequest(url: settings.url)
      post.method = .POST
      for header in settings.headers { post.headers.replaceOrAdd(name: header.name, value: header.value) }
      post.headers.replaceOrAdd(name: "content-type", value: SpanRequest.contentType)
      post.headers.replaceOrAdd(name: "user-agent", value: "initweb/\(Version.number)")
      post.body = .bytes(ByteBuffer(bytes: try request.body(batch)))
      let sent = post
      let answer = try await limited(to: Self.answerLimit) {
        let response = try await client.execute(sent, timeout: .seconds(60))
        let body = try? await response.body.collect(upTo: Self.answerBytes)
        return SpanRequest.answer(
          status: Int(response.status.code), body: Data((body ?? ByteBuffer()).readableBytesView),
          retryAfter: response.headers.first(name: "retry-after"), now: Date().timeIntervalSince1970)
      }
      return answer ?? .later(nil, reason: "no answer within 10 s")
    } catch {
      return .later(nil, reason: "\(error)")
    }
  }

  private func log(_ notice: SpanQueue.Notice?) {
    let url = settings.url
    switch notice {
    case .failing(let reason)?:
      logger.warning("cannot send spans to \(url): \(reason); they are queued, and sent again later")
    case .refusing(let reason)?:
      logger.error("spans are lost: \(url) refuses them: \(reason)")
    case .warned(let message)?: logger.warning("\(url) takes spans, but warns: \(message)")
    case .resumed?: logger.info("\(url) takes spans again")
    case .overflowing?:
      logger.error("spans are lost: the queue is full, because \(url) doesn't take them fast enough")
    case nil: break
    }
  }
}

extension SpanCounts {
  init(_ counted: (queued: Int, counts: SpanQueue.Counts)) {
    let counts = counted.counts
    self.init(
      exported: counts.exported,
      dropped: [("overflow", counts.overflowed), ("refused", counts.refused), ("shutdown", counts.abandoned)],
      queued: counted.queued)
  }
}
