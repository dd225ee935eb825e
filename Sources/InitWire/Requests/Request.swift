package import InitJSON

/// A request of one of the two sides, with its params as members (protocol §2).
package protocol Request: JSONValue, Equatable {
  /// The result of a request that succeeded.
  associatedtype Result: JSONValue = EmptyResult
  /// The method's name.
  static var method: String { get }
  /// Reads the params; missing params count as `{}`.
  ///
  /// - Throws: −32602 with the path of the invalid member.
  init(params: RawJSON?) throws(WireError)
}

/// A request of a client (protocol §4).
package protocol ClientRequest: Request {
  /// The roles that allow it; one of them is enough.
  static var roles: [Role] { get }
  /// The first version of the supervisor that knows it.
  static var since: String { get }
  /// Whether the answer comes only when something has happened, so there is no time limit for it.
  var isWait: Bool { get }
}

/// The permission that a request needs.
package enum Role: String, Sendable, CaseIterable {
  /// Queries the status, and receives events.
  case observe
  /// Controls the app: launches, activates, deactivates, shuts down.
  case control
  /// Registers initializers, and runs them as a worker.
  case register
}

extension ClientRequest {
  package var isWait: Bool { false }
}

extension Request {
  package init(params: RawJSON?) throws(WireError) { self = try Self.read(params: params) }

  /// Whether it has params: a request without members is sent without them.
  static var hasParams: Bool { MemoryLayout<Self>.size > 0 }
}

extension JSONValue {
  /// Reads the params of a message; missing params count as `{}`.
  ///
  /// - Throws: −32602 with the path of the invalid member.
  static func read(params: RawJSON?, _ manner: ReadingManner = .strict) throws(WireError) -> Self {
    if let params, params.kind != .object { throw .invalidParams("params", "must be an object") }
    do throws(ShapeFault) {
      return try Self.read(params ?? .emptyObject, manner)
    } catch {
      throw .invalidParams("params\(error.path)", error.reason)
    }
  }
}

/// A shape without members; unknown ones are ignored.
package protocol MemberlessShape: Shape {}

extension MemberlessShape {
  package mutating func visit(_ json: inout Members) {}
}

extension ClientRequest where Self: MemberlessShape {
  /// Any object, which needs no definition.
  package static func form(in _: SchemaBook) -> SchemaBook.Form { .object(.anything) }
}

/// The result of requests that tell nothing: `{}`.
package struct EmptyResult: MemberlessShape {
  /// Creates the result `{}`.
  package init() {}
}
