internal import NIOCore
internal import NIOHTTPTypes

/// Closes a connection whose client sends a request, or reads an answer, too slowly.
///
/// The server's idle timeout doesn't do that: it is suspended while a request's body arrives and while an answer is sent. The time for an
/// answer isn't limited, unless nothing of it can be written.
final class StallLimit: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limit: TimeAmount
  /// Closes the connection unless the request has ended by then.
  private var reading: Scheduled<Void>?
  /// Closes the connection unless something was written by then.
  private var writing: Scheduled<Void>?
  /// How many parts of answers aren't written yet.
  private var unwritten = 0

  init(_ limit: TimeAmount) { self.limit = limit }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: reading = close(context)
    case .body: break
    case .end:
      reading?.cancel()
      reading = nil
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let written = promise ?? context.eventLoop.makePromise()
    unwritten += 1
    if writing == nil { writing = close(context) }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    written.futureResult.assumeIsolated().whenComplete { [self] _ in
      unwritten -= 1
      writing?.cancel()
      writing = unwritten > 0 ? close(bound.value) : nil
    }
    context.write(data, promise: written)
  }

  func channelInactive(context: ChannelHandlerContext) {
    reading?.cancel()
    reading = nil
    context.fireChannelInactive()
  }

  private func close(_ context: ChannelHandlerContext) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
  }
}
