internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTPTypesHTTP1
internal import ServiceLifecycle

/// A server of HTTP/1 whose clients can't use up what others need.
enum WebServer {
  /// How many more connections than the limit there are while connections are being closed for them.
  private static let margin = 64

  /// Creates the server; `onRunning` gets the port.
  static func make(
    at address: ListenAddress, connections: Int, answering responder: some HTTPResponder<BasicRequestContext>,
    logger: Logger, onRunning: @escaping @Sendable (_ port: Int?) -> Void
  ) -> some Service {
    let places = Connections(limit: connections)
    let configuration = HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionUse(places)],
      idleTimeout: .seconds(30),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 100))
    return Application(
      responder: responder,
      server: HTTPServerBuilder {
        GuardedChannel(base: HTTP1Channel(responder: $0, configuration: configuration))
      },
      configuration: ApplicationConfiguration(
        address: address.bind,
        availableConnectionsDelegate: MaximumAvailableConnections(connections + margin, logger: logger)),
      onServerRunning: { channel in onRunning(channel.localAddress?.port) },
      logger: logger)
  }

  /// The handlers of HTTP/1, and those that see what these don't pass on: the version of a request, and its single bytes.
  private struct GuardedChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
      base.setup(channel: channel, logger: logger).flatMapThrowing { value in
        let pipeline = channel.pipeline.syncOperations
        let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
        try pipeline.addHandler(RequestRules(), position: .before(codec))
        try pipeline.addHandler(Arrival(), position: .first)
        return value
      }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
  }
}
