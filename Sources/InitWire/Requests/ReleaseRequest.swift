internal import InitJSON

/// Releases this connection's hold, if it has one (S23).
package struct ReleaseRequest: ClientRequest, MemberlessShape {
  package static let method = "release"
  package static let roles: [Role] = [.control]
  package static let since = "0.1.0"

  /// Creates the request.
  package init() {}
}
