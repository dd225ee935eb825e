internal import InitJSON

/// Ends the subscription.
package struct UnsubscribeRequest: ClientRequest, MemberlessShape {
  package static let method = "unsubscribe"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"

  /// Creates the request.
  package init() {}
}
