internal import InitJSON
internal import InitModel
internal import InitWire

extension Client {
  /// Ends this connection with `unresponsive` from now on if the supervisor is silent for longer than the reply timeout.
  ///
  /// Starts to expect messages: the supervisor is pinged in between. Without a reply timeout this does nothing.
  ///
  /// - Parameter pause: the silence after which the supervisor is pinged; by default half of the reply timeout.
  package func expectNews(pingingAfter pause: Duration? = nil) { vigil?.begin(pause: pause) }

  /// How long the supervisor has been silent, if messages are expected and it hasn't answered a ping for some time; otherwise nil.
  package var silentFor: Duration? { vigil?.silentFor }

  func makeVigil(_ limit: Duration) -> Vigil {
    Vigil(
      loop: loop, limit: limit, heard: { [connection] in connection.heard },
      ping: { [connection] in connection.call(PingRequest(), id: connection.reserveID()) { _ in } },
      giveUp: { [connection, path] in connection.end(.unresponsive(path: path, after: limit)) })
  }
}
