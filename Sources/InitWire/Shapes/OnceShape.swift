package import InitJSON

/// The last decision about an initializer that is marked `once` (PROTOCOL.md, "The coordinator").
package struct OnceShape: Sendable, Hashable, Shape {
  /// The release for which the initializer runs once.
  package var release: String
  /// The fencing token of the initializer's last run on this host.
  package var fence: Int?
  /// Why the coordinator says that the initializer is done, for people, for example which host has completed it.
  package var message: String?

  /// Creates a decision.
  package init(release: String, fence: Int? = nil, message: String? = nil) {
    self.release = release
    self.fence = fence
    self.message = message
  }

  package init() { self.init(release: "") }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    message = message.map(json.detail.cut)
    try json.required("release", &release)
    try json.optional("fence", &fence)
    try json.optional("message", &message)
  }
}
