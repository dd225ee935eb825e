package import Platform

/// Finds names in the text of `/etc/hosts`.
package enum HostsFile {
  /// The path.
  package static let path = "/etc/hosts"

  /// Returns the addresses of a name, in the order of the file, IPv4 first.
  package static func addresses(of name: String, in text: some StringProtocol) -> [IPAddress] {
    var found: [IPAddress] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard words.dropFirst().contains(where: { $0.utf8.elementsEqual(name.utf8) { lowered($0) == lowered($1) } }),
        let address = IPAddress(String(words[0])), !found.contains(address)
      else { continue }
      found.append(address)
    }
    return found.filter { !$0.isIPv6 } + found.filter(\.isIPv6)
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
