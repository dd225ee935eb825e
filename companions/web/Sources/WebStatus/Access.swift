/// Decides which requests may see pages and data: those that a page of another site can't have caused.
public struct Access: Sendable {
  /// Why a request is refused.
  public struct Refusal: Sendable, Equatable {
    /// The status of the answer.
    public var status: Int
    /// The reason, and what to do.
    public var message: String
  }

  /// The names by which this server may be addressed, in lower case, in addition to addresses and `localhost`.
  private let hosts: Set<String>

  /// Accepts these names of hosts.
  public init(hosts: [String] = []) { self.hosts = Set(hosts.map { $0.lowercased() }) }

  /// Refuses a request with a name of a host that isn't known; nil if it is accepted.
  ///
  /// Without this check, a site whose name resolves to this machine's address could read everything. It can't have a number as its name.
  public func refusal(host: String?) -> Refusal? {
    guard let host, !host.isEmpty else { return nil }
    let name = Self.name(host).lowercased()
    guard name == "localhost" || Self.isAddress(name) || hosts.contains(name) else {
      return Refusal(
        status: 421,
        message: "the host \(name) isn't known: use an address, or start initweb with --allow-host \(name)")
    }
    return nil
  }

  /// Refuses a request that changes something; nil if it is accepted.
  ///
  /// - Parameters:
  ///   - host: the value of the header `Host`.
  ///   - origin: the value of the header `Origin`, which browsers send.
  ///   - site: the value of the header `Sec-Fetch-Site`, which browsers send.
  ///   - authorization: the value of the header `Authorization`.
  ///   - token: the expected token.
  /// - Returns: the refusal.
  public func refusal(
    host: String?, origin: String?, site: String?, authorization: String?, token: String
  ) -> Refusal? {
    if let refusal = refusal(host: host) { return refusal }
    if let site, site != "same-origin", site != "none" {
      return Refusal(status: 403, message: "pages of other sites can't change anything here")
    }
    if let origin, Self.host(ofOrigin: origin) != host?.lowercased() {
      return Refusal(status: 403, message: "pages of other sites can't change anything here")
    }
    guard let authorization, let given = Self.token(in: authorization), Self.areEqual(given, token) else {
      return Refusal(status: 401, message: "send the token of --control-token-file as Authorization: Bearer TOKEN")
    }
    return nil
  }

  /// Returns whether a value of the header `Host` names a host at all.
  public static func isHost(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"#/<>?@\\^`{|}".utf8.contains($0) }
  }

  /// Returns the host without its port.
  static func name(_ host: String) -> String {
    if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
    return String(host.prefix { $0 != ":" })
  }

  /// Returns whether a name is an IPv4 address, or an IPv6 address without its brackets.
  static func isAddress(_ name: String) -> Bool {
    if name.contains(":") { return name.utf8.allSatisfy { $0 == UInt8(ascii: ":") || isHexadecimal($0) } }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "."): true
    default: false
    }
  }

  private static func host(ofOrigin origin: String) -> String? {
    for scheme in ["http://", "https://"] where origin.lowercased().hasPrefix(scheme) {
      return origin.dropFirst(scheme.count).lowercased()
    }
    return nil
  }

  private static func token(in authorization: String) -> String? {
    let prefix = "bearer "
    guard authorization.lowercased().hasPrefix(prefix) else { return nil }
    return authorization.dropFirst(prefix.count).trimmingSpaces
  }

  /// Compares two texts in a time that doesn't depend on the position of the first difference.
  private static func areEqual(_ given: String, _ wanted: String) -> Bool {
    let (given, wanted) = (Array(given.utf8), Array(wanted.utf8))
    var difference = given.count ^ wanted.count
    for index in wanted.indices {
      difference |= Int(wanted[index] ^ (given.isEmpty ? 0 : given[index % given.count]))
    }
    return difference == 0
  }
}

extension Substring {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
