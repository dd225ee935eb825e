internal import ArgumentParser
internal import HummingbirdCore

/// The address to listen at.
struct ListenAddress: Sendable, CustomStringConvertible {
  /// Only programs on the same machine can connect.
  static let standard = ListenAddress(host: "127.0.0.1", port: 8088)

  private enum Place {
    case port(host: String, port: Int)
    case path(String)
  }

  private let place: Place

  private init(host: String, port: Int) { self.init(Place.port(host: host, port: port)) }

  private init(_ place: Place) { self.place = place }

  /// Reads `HOST:PORT`, `[IPV6]:PORT`, or `unix:PATH`.
  init(_ text: String) throws {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst("unix:".count))
      guard !path.isEmpty, path.utf8.count <= 107 else {
        throw ValidationError("the path must have 1 to 107 bytes, e.g. unix:/run/initweb.sock")
      }
      self.init(Place.path(path))
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw ValidationError("use HOST:PORT or unix:PATH, e.g. 127.0.0.1:8088")
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else { throw ValidationError("the host is missing: use HOST:PORT, e.g. 127.0.0.1:8088") }
    self.init(host: String(host), port: Int(port))
  }

  /// The address in the form that the server needs.
  var bind: BindAddress {
    switch place {
    case .port(let host, let port): .hostname(host, port: port)
    case .path(let path): .unixDomainSocket(path: path)
    }
  }

  /// Returns the address for people, with the port that the system chose if the port is 0.
  func words(port chosen: Int?) -> String {
    switch place {
    case .port(let host, let port): "\(host.contains(":") ? "[\(host)]" : host):\(chosen ?? port)"
    case .path(let path): "unix:\(path)"
    }
  }

  var description: String { words(port: nil) }
}
