internal import InitText

/// A host (a name or an address) and a port: `localhost:5432`, `[::1]:5432`.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  /// A name, or an address without brackets.
  package let host: String
  /// 1 to 65535.
  package let port: UInt16

  /// Creates an endpoint of checked parts.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// The text, with brackets around an IPv6 address.
  package var description: String { host.contains(":" as Character) ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Why a text isn't an endpoint, and what to do.
  package struct Mistake: Error, Hashable {
    package let problem: String
    package let remedy: String

    package init(_ problem: String, _ remedy: String) {
      self.problem = problem
      self.remedy = remedy
    }
  }

  /// The maximum length of a host in bytes: the limit of DNS for names.
  private static let maximumHostBytes = 253

  /// Parses `HOST:PORT`; throws an error that says what is wrong with the text.
  ///
  /// `usualPort` is the port if the text has none; nil if the text must have one.
  package static func parse(_ text: some StringProtocol, usualPort: UInt16? = nil) throws(Mistake) -> Endpoint {
    let (host, digits) = try split(text)
    guard !host.isEmpty else {
      throw Mistake("\(quoted(text)) has no host", "write HOST:PORT, e.g. localhost\(digits.map { ":\($0)" } ?? "")")
    }
    guard isHost(host) else {
      throw Mistake("\(quoted(host)) is neither a host's name nor an address", "write HOST:PORT, e.g. localhost:5432")
    }
    guard let digits, !digits.isEmpty else {
      guard digits == nil, let usualPort else {
        throw Mistake("\(quoted(text)) has no port", "write HOST:PORT, e.g. \(text.prefix { $0 != ":" }):5432")
      }
      return Endpoint(host: host, port: usualPort)
    }
    guard digits.first != "0", digits.utf8.count <= 5, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
      let port = UInt16(digits), port > 0
    else {
      throw Mistake("\(quoted(digits)) is not a port", "write a number from 1 to 65535, e.g. \(host):5432")
    }
    return Endpoint(host: host, port: port)
  }

  /// Splits a text at the colon before its port.
  private static func split(_ text: some StringProtocol) throws(Mistake) -> (host: String, port: String?) {
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else {
        throw Mistake("\(quoted(text)) has no closing bracket", "write e.g. \"[::1]:5432\"")
      }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else {
        throw Mistake("\(quoted(rest)) can't follow the bracket", "write e.g. \"[::1]:5432\"")
      }
      let host = String(text[..<end].dropFirst())
      guard host.isEmpty || isIPv6(host) else {
        throw Mistake("\(quoted(host)) is not an IPv6 address", "write it without brackets, or e.g. \"[::1]:5432\"")
      }
      return (host, rest.isEmpty ? nil : String(rest.dropFirst()))
    }
    guard colons <= 1 else {
      throw Mistake("\(quoted(text)) has more than one colon", "write an IPv6 address in brackets, e.g. \"[::1]:5432\"")
    }
    guard let colon = text.firstIndex(of: ":") else { return (String(text), nil) }
    return (String(text[..<colon]), String(text[text.index(after: colon)...]))
  }

  private static func isHost(_ text: String) -> Bool {
    guard text.utf8.count <= maximumHostBytes else { return false }
    if text.contains(":" as Character) { return isIPv6(text) }
    let labels = (text.last == "." ? text.dropLast() : text[...]).split(
      separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-" && label.utf8.allSatisfy(isInLabel)
    }
  }

  private static func isInLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Returns whether a text looks like an IPv6 address: up to eight groups of hexadecimal digits, one run of zeros left out, or an IPv4
  /// address in the last two groups.
  private static func isIPv6(_ text: String) -> Bool {
    let isLeftOut = text.hasPrefix("::") || text.hasSuffix("::")
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    let full = groups.filter { !$0.isEmpty }
    let gaps = groups.count { $0.isEmpty }
    guard (3...9).contains(groups.count), gaps <= (isLeftOut ? 3 : 1) else { return false }
    let isMixed = full.last?.contains("." as Character) == true
    guard full.dropLast(isMixed ? 1 : 0).allSatisfy({ $0.utf8.count <= 4 && $0.allSatisfy(\.isHexDigit) }) else {
      return false
    }
    if let last = full.last, isMixed {
      let parts = last.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) else { return false }
    }
    let count = full.count + (isMixed ? 1 : 0)
    return gaps == 0 ? count == 8 : count < 8
  }

  private static func quoted(_ text: some StringProtocol) -> String { TerminalText.quote(String(text)) }
}
