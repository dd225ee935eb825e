internal import NIOCore
internal import NIOHTTP1
internal import WebStatus

/// Applies the rules of HTTP that depend on the version of a request, and closes the connection after its last answer.
///
/// The types behind this handler have no version. They get `Connection: close` in a request after which the connection must be closed, and
/// no `Host` if the request has a wrong one or several.
final class RequestRules: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// How long a client may take to close its side after the last answer: closing it at once could lose the answer.
  private static let farewell = TimeAmount.seconds(1)

  private struct Request {
    var isOld = false
    var isLast = false
  }

  /// The requests that aren't answered yet.
  private var requests = CircularBuffer<Request>()
  /// Whether the answer that is written now is the last one of the connection.
  private var isLast = false
  private var hasEnded = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasEnded else { return }
    guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
    let isOld = (head.version.major, head.version.minor) < (1, 1)
    let hosts = head.headers["Host"]
    if hosts.isEmpty, isOld {
      // In HTTP/1.0, a request needn't name its host.
      head.headers.add(name: "Host", value: "localhost")
    } else if hosts.count != 1 || !Access.isHost(hosts[0]) {
      head.headers.remove(name: "Host")
    }
    // HTTP/1.0 has no chunks, so the end of the connection is the end of the answer.
    let request = Request(isOld: isOld, isLast: isOld || !head.isKeepAlive)
    if request.isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    requests.append(request)
    context.fireChannelRead(wrapInboundOut(.head(head)))
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(var head):
      let request = requests.first ?? Request(isLast: true)
      if request.isOld { head.version = .http1_0 }
      isLast = request.isLast || !head.isKeepAlive
      if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      requests = CircularBuffer(requests.dropFirst())
      guard isLast, !hasEnded else { return context.write(data, promise: promise) }
      hasEnded = true
      let written = promise ?? context.eventLoop.makePromise()
      let channel = context.channel
      written.futureResult.whenComplete { _ in
        channel.close(mode: .output, promise: nil)
        channel.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
      }
      context.write(data, promise: written)
    }
  }
}
