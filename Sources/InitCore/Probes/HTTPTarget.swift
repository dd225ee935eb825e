internal import InitText

/// A page that is asked for with HTTP, and which status of the answer is good.
package struct HTTPTarget: Hashable, Sendable, CustomStringConvertible {
  /// The URL as it is written.
  package let url: String
  /// The host and its port.
  package let endpoint: Endpoint
  /// The host as it is written, with the port if there is one.
  private let authority: String
  /// The path and the query.
  private let path: String
  /// The statuses that are good.
  package var statuses = StatusRanges.success

  /// The maximum length of a URL in bytes: messages contain it.
  package static let maximumBytes = 512

  package var description: String { url }

  /// The request: the connection is closed once the status has been read.
  package var request: [UInt8] {
    Array(
      "GET \(path) HTTP/1.1\r\nHost: \(authority)\r\nUser-Agent: initd\r\nAccept: */*\r\nConnection: close\r\n\r\n".utf8
    )
  }

  /// Returns what to do for a page of HTTPS.
  package static func remedyForHTTPS(_ url: String) -> String { "use a command: command: [curl, -fsS, \"\(url)\"]" }

  /// Parses `http://HOST[:PORT][/PATH]`.
  package static func parse(_ text: String) throws(Endpoint.Mistake) -> HTTPTarget {
    let quoted = TerminalText.quote(text)
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
      throw .init("\(quoted) is not a URL", "write e.g. http://localhost:8080/health")
    }
    switch text[..<colon].lowercased() {
    case "http": break
    case "https":
      throw .init("https is not supported", remedyForHTTPS(text.cut(to: 80, mark: "…")))
    default: throw .init("\(quoted) is not a URL of HTTP", "write e.g. http://localhost:8080/health")
    }
    guard text.utf8.count <= maximumBytes else {
      throw .init("a URL of \(text.utf8.count) bytes is too long", "write at most \(maximumBytes)")
    }
    guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw .init(
        "\(quoted) has characters that a URL can't have", "write them in percent-encoding, e.g. %20 for a space")
    }
    guard !text.contains("#" as Character) else {
      throw .init("\(quoted) has a fragment, which is never sent", "remove it, from # on")
    }
    let rest = text[colon...].dropFirst(3)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.contains("@" as Character) else {
      throw .init("credentials in a URL are not supported", "use a command: command: [curl, -fsS, …]")
    }
    let path = rest[authority.endIndex...]
    return HTTPTarget(
      url: text, endpoint: try Endpoint.parse(authority, usualPort: 80), authority: String(authority),
      path: path.first == "/" ? String(path) : "/" + path)
  }
}
