package import Platform

/// The name servers, and the names they are asked for, by `/etc/resolv.conf`: a value.
package struct ResolverFile: Equatable {
  /// The path.
  package static let path = "/etc/resolv.conf"
  /// How many name servers are used.
  static let mostServers = 3
  /// How many domains are searched.
  static let mostDomains = 16

  /// The name servers; this machine if the file lists none.
  package private(set) var servers: [IPAddress] = []
  /// The domains in which a short name is searched.
  package private(set) var search: [String] = []
  /// The minimum number of dots with which a name is first looked up as it is.
  package private(set) var dots = 1

  /// Reads the text of the file.
  package init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.prefix(while: { $0 != "#" && $0 != ";" }).split(whereSeparator: \.isWhitespace).map(String.init)
      switch words.first {
      case "nameserver":
        if words.count > 1, let address = IPAddress(words[1]) { servers.append(address) }
      case "search", "domain": search = Array(words.dropFirst().prefix(Self.mostDomains))
      case "options":
        for option in words where option.hasPrefix("ndots:") {
          if let count = Int(option.dropFirst(6)), count >= 0 { dots = min(count, 15) }
        }
      default: break
      }
    }
    servers = servers.isEmpty ? [IPAddress.loopback[0]] : Array(servers.prefix(Self.mostServers))
  }

  /// Returns the complete names to ask for a host, in order, without the final dot.
  package func names(of host: String) -> [String] {
    if host.hasSuffix(".") { return [String(host.dropLast())] }
    let searched = search.filter { $0 != "." }.map { domain in
      host + "." + (domain.hasSuffix(".") ? String(domain.dropLast()) : domain)
    }
    return host.utf8.count { $0 == UInt8(ascii: ".") } >= dots ? [host] + searched : searched + [host]
  }
}
