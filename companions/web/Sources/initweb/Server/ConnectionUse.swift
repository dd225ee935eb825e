internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes
internal import WebStatus

/// Follows the use of a connection: closes it if its client sends a request, or takes an answer, too slowly, and tells `Connections`.
///
/// The server's idle timeout doesn't suffice: each part of a request restarts it, and it is suspended while an answer is sent. The time for
/// an answer isn't limited, unless nothing of it can be written.
final class ConnectionUse: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// The time for a whole request, from the start of the connection or from the request's first byte.
  private static let requestLimit = TimeAmount.seconds(5)
  /// The time in which something of an answer must have been written.
  private static let writeLimit = TimeAmount.seconds(30)

  private let connections: Connections
  private var id = 0
  /// Closes the connection unless the request has ended by then.
  private var reading: Scheduled<Void>?
  /// Closes the connection unless something was written by then.
  private var writing: Scheduled<Void>?
  /// How many parts of answers aren't written yet.
  private var unwritten = 0
  /// How many requests have arrived, and aren't answered yet.
  private var unanswered = 0
  private var readsEvents = false

  init(_ connections: Connections) { self.connections = connections }

  func handlerAdded(context: ChannelHandlerContext) {
    id = connections.enter(context.channel)
    reading = close(context, in: Self.requestLimit)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is Arrival, reading == nil, unanswered == 0 { reading = close(context, in: Self.requestLimit) }
    // A reader of events that closes its side has gone; otherwise that would be noticed when something is sent to it.
    if case ChannelEvent.inputClosed? = event as? ChannelEvent, readsEvents { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: if reading == nil { reading = close(context, in: Self.requestLimit) }
    case .body: break
    case .end:
      reading?.cancel()
      reading = nil
      unanswered += 1
      tell()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let written = promise ?? context.eventLoop.makePromise()
    var isLast = false
    switch unwrapOutboundIn(data) {
    case .head(let head): readsEvents = head.headerFields[.contentType]?.hasPrefix("text/event-stream") == true
    case .body: break
    case .end: isLast = true
    }
    unwritten += 1
    if writing == nil { writing = close(context, in: Self.writeLimit) }
    tell()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    written.futureResult.assumeIsolated().whenComplete { [self] _ in
      unwritten -= 1
      writing?.cancel()
      writing = unwritten > 0 ? close(bound.value, in: Self.writeLimit) : nil
      if isLast {
        unanswered -= 1
        readsEvents = false
      }
      tell()
    }
    context.write(data, promise: written)
  }

  func channelInactive(context: ChannelHandlerContext) {
    reading?.cancel()
    reading = nil
    context.fireChannelInactive()
  }

  private func tell() {
    connections.set(id, readsEvents ? .events : unwritten > 0 ? .writing : unanswered > 0 ? .answering : .awaiting)
  }

  private func close(_ context: ChannelHandlerContext, in limit: TimeAmount) -> Scheduled<Void> {
    let channel = context.channel
    return context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
  }
}

/// Tells the handlers behind it that bytes have arrived: they get only whole parts of requests.
final class Arrival: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireUserInboundEventTriggered(self)
    context.fireChannelRead(data)
  }
}
