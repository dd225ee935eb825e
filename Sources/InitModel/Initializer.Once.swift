public import InitJSON

extension Initializer {
  /// The last decision about an initializer that is marked `once` (PROTOCOL.md, "The coordinator").
  public struct Once: Sendable, Hashable, Shape {
    /// The release for which the initializer runs once.
    public var release: String
    /// The fencing token of the initializer's last run on this host.
    public var fence: Int?
    /// Why the coordinator says that the initializer is done, for people, for example which host has completed it.
    public var message: String?

    /// Creates a decision.
    package init(release: String, fence: Int? = nil, message: String? = nil) {
      self.release = release
      self.fence = fence
      self.message = message
    }

    /// Creates an empty value, to be filled by reading.
    public init() { self.init(release: "") }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      message = message.map(json.detail.cut)
      try json.required("release", &release)
      try json.optional("fence", &fence)
      try json.optional("message", &message)
    }
  }
}
