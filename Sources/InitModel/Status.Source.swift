public import InitJSON

extension Status {
  /// A file from which the manifest was read (protocol §3, `sources`).
  public struct Source: Sendable, Hashable, Shape {
    /// The absolute path.
    public var path = ""
    /// The SHA-256 hash of the supervisor's key and the contents that were read, in hexadecimal digits.
    public var digest = ""

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a file.
    package init(path: String, digest: String) {
      self.path = path
      self.digest = digest
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("path", &path)
      try json.required("digest", &digest)
    }
  }
}
