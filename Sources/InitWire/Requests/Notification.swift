package import InitJSON
package import InitModel

/// A notification of one of the two sides, with its params as members (protocol §5, §6).
///
/// A side ignores notifications that it doesn't know.
package protocol Notification: JSONValue, Equatable {
  /// The method's name.
  static var method: String { get }
  /// How strictly the params are read.
  static var manner: ReadingManner { get }
}

extension Notification {
  package static var manner: ReadingManner { .strict }

  /// Reads the params; missing params count as `{}`.
  ///
  /// - Throws: −32602 for wrong or missing members. A notification isn't answered; the error is for the log.
  package init(params: RawJSON?) throws(WireError) { self = try Self.read(params: params, Self.manner) }
}

extension Status.Event: Notification {
  package static var method: String { "event" }
  package static var manner: ReadingManner { .lenient }
}
