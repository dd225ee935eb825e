package import InitWire

/// A pending answer.
///
/// A deferred answer takes little memory: its bytes are made when they can be sent.
package enum DeferredAnswer {
  /// Makes the answer to the request with this identifier of a client.
  package typealias Encode = (RequestID, Outgoing) throws(Message.Fault) -> FrameParts

  case error(WireError)
  /// An answer with few bytes.
  case small(Encode)
  /// An answer with a Status.
  case status(Encode)
  /// A page, which may be large.
  case page(Encode)

  /// Whether the answer may have many bytes.
  var isLarge: Bool {
    switch self {
    case .error, .small: false
    case .status, .page: true
    }
  }
}
