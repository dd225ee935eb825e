package import InitJSON

/// Asks for a sign of life: the result is the same object.
package struct PingRequest: ClientRequest {
  package static let method = "ping"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"
  package typealias Result = PingRequest

  /// The object.
  package var params: RawJSON

  /// Creates a request with an object, which is `{}` by default.
  package init(_ params: RawJSON = .emptyObject) { self.params = params }

  package static func read(_ json: RawJSON, _: ReadingManner) -> PingRequest { PingRequest(json) }
  package func write(to writer: inout JSONWriter) { params.write(to: &writer) }
  package static func form(in _: SchemaBook) -> SchemaBook.Form { .object(.anything) }
}
