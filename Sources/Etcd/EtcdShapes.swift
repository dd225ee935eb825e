// The JSON of etcd's gateway: 64-bit integers are texts, and absent members are zero, false or empty.

/// A key with its value.
package struct EtcdEntry: Sendable, Hashable {
  /// The key.
  package let key: String
  /// The value.
  package let value: [UInt8]
  /// The revision at which it was created: larger than those of all earlier keys.
  package let created: Int
  /// The revision of its last change.
  package let modified: Int
  /// The lease that it is bound to; 0 for none.
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
  package let first: String
  /// The first key after all of them, as bytes: it need not be text.
  package let end: [UInt8]

  /// The keys from `first` up to `end`, which isn't one of them.
  package init(from first: String, to end: String) {
    self.first = first
    self.end = Array(end.utf8)
  }

  /// All keys that begin with a prefix.
  package init(prefix: String) {
    first = prefix
    var bytes = Array(prefix.utf8)
    while bytes.last == 0xFF { bytes.removeLast() }
    if let last = bytes.popLast() { bytes.append(last + 1) }
    end = bytes.isEmpty ? [0] : bytes
  }

  fileprivate init(from first: [UInt8], to end: [UInt8]) {
    self.first = String(decoding: first, as: UTF8.self)
    self.end = end
  }

  /// The keys of this range after a key.
  func after(_ key: String) -> EtcdRange { EtcdRange(from: Array(key.utf8) + [0], to: end) }
}

/// A condition of a transaction.
package enum EtcdCondition: Sendable, Hashable {
  /// There is no such key.
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
  /// The revision of the store after it.
  package let revision: Int
  /// What the executed `get`s have found, in order.
  package let found: [EtcdEntry?]

  /// Returns what the `get` at this place has found.
  package func found(_ place: Int) -> EtcdEntry? { place < found.count ? found[place] : nil }
}

/// Why etcd didn't do something.
package enum EtcdError: Error, Hashable, Sendable, CustomStringConvertible {
  /// None of the endpoints answers; the reason is the last one's.
  case unreachable(String)
  /// etcd refused the request.
  case refused(String, code: Int)

  /// The code of a request without a valid token.
  package static let unauthenticated = 16
  /// The code of a request that the user's roles don't allow.
  package static let permissionDenied = 7

  /// Whether it was refused because of the user.
  package var isDenied: Bool {
    switch self {
    case .unreachable: false
    case .refused(_, let code): [Self.unauthenticated, Self.permissionDenied].contains(code)
    }
  }

  /// What is wrong.
  package var description: String {
    switch self {
    case .unreachable(let reason): "etcd can't be reached: \(reason)"
    case .refused(let reason, _): "etcd refused: \(reason)"
    }
  }
}

struct HeaderJSON: Decodable {
  let revision: String?
}

struct EntryJSON: Decodable {
  let key: String
  let value: String?
  let created: String?
  let modified: String?
  let lease: String?

  private enum CodingKeys: String, CodingKey {
    case key, value, lease
    case created = "create_revision"
    case modified = "mod_revision"
  }

  var entry: EtcdEntry {
    EtcdEntry(
      key: String(decoding: Base64.decode(key), as: UTF8.self), value: value.map(Base64.decode) ?? [],
      created: created.flatMap(Int.init) ?? 0, modified: modified.flatMap(Int.init) ?? 0,
      lease: lease.flatMap(Int.init) ?? 0)
  }
}

struct RangeJSON: Decodable {
  let header: HeaderJSON?
  let kvs: [EntryJSON]?
  let more: Bool?
}

struct TransactionJSON: Decodable {
  struct Response: Decodable {
    let range: RangeJSON?

    private enum CodingKeys: String, CodingKey { case range = "response_range" }
  }

  let header: HeaderJSON?
  let succeeded: Bool?
  let responses: [Response]?
}

struct LeaseJSON: Decodable {
  let id: String?
  let timeToLive: String?

  private enum CodingKeys: String, CodingKey {
    case id = "ID"
    case timeToLive = "TTL"
  }
}

struct KeepAliveJSON: Decodable {
  let result: LeaseJSON?
}

struct TokenJSON: Decodable {
  let token: String?
}

/// A refusal: the whole answer or, in a stream, its member `error`.
struct RefusalJSON: Decodable {
  let message: String?
  let error: String?
  let code: Int?
  let streamCode: Int?

  private enum CodingKeys: String, CodingKey {
    case message, error, code
    case streamCode = "grpc_code"
  }
}

struct WatchJSON: Decodable {
  struct Change: Decodable {
    let type: String?
    let kv: EntryJSON?
  }

  struct Result: Decodable {
    let canceled: Bool?
    let reason: String?
    let events: [Change]?

    private enum CodingKeys: String, CodingKey {
      case canceled, events
      case reason = "cancel_reason"
    }
  }

  let result: Result?
}
