internal import InitJSON
package import InitModel

/// Requests the Status.
package struct StatusRequest: ClientRequest, MemberlessShape {
  package static let method = "status"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"

  /// Creates the request.
  package init() {}

  package typealias Result = Status
}
