/// A key with its value.
package struct EtcdEntry: Sendable, Hashable {
  /// The key.
  package let key: String
  /// The value.
  package let value: [UInt8]
  /// The revision that created the key: larger than those of all earlier keys.
  package let created: Int
  /// The revision of the key's last change.
  package let modified: Int
  /// The lease that the key is bound to; 0 for none.
  package let lease: Int
}

/// A change of a key.
package enum EtcdEvent: Sendable, Hashable {
  /// The key has this value.
  case put(EtcdEntry)
  /// The key is gone: deleted, or its lease has ended.
  case deleted(key: String, revision: Int)

  /// The key.
  package var key: String {
    switch self {
    case .put(let entry): entry.key
    case .deleted(let key, _): key
    }
  }

  /// The revision of the change.
  package var revision: Int {
    switch self {
    case .put(let entry): entry.modified
    case .deleted(_, let revision): revision
    }
  }
}

/// Neighbouring keys.
package struct EtcdRange: Sendable, Hashable {
  /// The first key.
  package let first: [UInt8]
  /// The first key after all keys of the range, as bytes: it need not be text.
  package let end: [UInt8]

  /// Creates the range of keys from `first` up to `end`, without `end`.
  package init(from first: String, to end: String) {
    self.first = Array(first.utf8)
    self.end = Array(end.utf8)
  }

  /// Creates the range of all keys that begin with a prefix.
  package init(prefix: String) {
    first = Array(prefix.utf8)
    var bytes = first
    while bytes.last == 0xFF { bytes.removeLast() }
    if let last = bytes.popLast() { bytes.append(last + 1) }
    end = bytes.isEmpty ? [0] : bytes
  }

  private init(from first: [UInt8], to end: [UInt8]) {
    self.first = first
    self.end = end
  }

  /// Returns the keys of this range after a key.
  func after(_ key: String) -> EtcdRange { EtcdRange(from: Array(key.utf8) + [0], to: end) }
}

/// A condition of a transaction.
package enum EtcdCondition: Sendable, Hashable {
  /// The key doesn't exist.
  case absent(String)
  /// The key was created at this revision.
  case created(String, at: Int)
  /// The key is bound to this lease.
  case bound(String, lease: Int)
}

/// An operation of a transaction.
package enum EtcdOperation: Sendable, Hashable {
  /// Sets a key, bound to a lease unless that is 0.
  case put(String, [UInt8], lease: Int)
  /// Reads a key.
  case get(String)
  /// Deletes a key.
  case delete(String)
}

/// The outcome of a transaction.
package struct EtcdOutcome: Sendable, Hashable {
  /// Whether the conditions held.
  package let succeeded: Bool
  /// The revision of the store after the change.
  package let revision: Int
  /// What the executed `get`s have found, in order.
  package let found: [EtcdEntry?]

  /// Returns the result of the `get` at this position.
  package func found(_ place: Int) -> EtcdEntry? { place < found.count ? found[place] : nil }
}

/// A user of etcd.
package struct EtcdUser: Sendable {
  /// The name.
  package let name: String
  /// The password.
  package let password: String

  package init(name: String, password: String) {
    self.name = name
    self.password = password
  }
}

/// The files with which etcd and this client are authenticated.
package struct EtcdSecurity: Sendable {
  /// The file with the certificates of authorities; nil for the system's.
  package var authorities: String?
  /// The files with this client's certificate and key; nil for none.
  package var certificate: String?
  package var key: String?

  package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
    self.authorities = authorities
    self.certificate = certificate
    self.key = key
  }
}

/// The address of a member of etcd.
package struct EtcdEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// The host's name or address.
  package let host: String
  package let port: Int
  /// Whether the connection is encrypted.
  package let isSecure: Bool
  /// The URL.
  package let description: String

  /// Reads a URL, for example `http://127.0.0.1:2379`; nil if it has another form.
  package init?(_ url: String) {
    let parts = url.split(separator: "://", maxSplits: 1)
    guard parts.count == 2, parts[0] == "http" || parts[0] == "https" else { return nil }
    isSecure = parts[0] == "https"
    description = url
    var rest = parts[1]
    guard !rest.contains("/"), !rest.contains("@") else { return nil }
    var number = "2379"
    if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
      number = String(rest[rest.index(after: colon)...])
      rest = rest[..<colon]
    }
    if rest.hasPrefix("["), rest.hasSuffix("]") { rest = rest.dropFirst().dropLast() }
    guard let port = Int(number), 1...65535 ~= port, !rest.isEmpty else { return nil }
    self.port = port
    host = String(rest)
  }
}
