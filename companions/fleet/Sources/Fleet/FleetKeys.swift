/// The keys of a fleet in etcd.
///
/// Names and releases may contain slashes, but no spaces, so a space ends each of them.
///
/// | key | value | bound to the lease of |
/// |---|---|---|
/// | `PREFIX/FLEET host HOST` | ``HostRecord`` | the agent |
/// | `PREFIX/FLEET lead NAME LEASE` | ``CandidateRecord`` | the candidate |
/// | `PREFIX/FLEET once RELEASE INITIALIZER claim` | ``ClaimRecord`` | the agent |
/// | `PREFIX/FLEET once RELEASE INITIALIZER done` | ``DoneRecord`` | – |
/// | `PREFIX/FLEET once RELEASE INITIALIZER failed` | ``FailureRecord`` | – |
/// | `PREFIX/FLEET order HOST ` | ``OrderRecord`` | the command that gives it |
package struct FleetKeys: Sendable {
  private let base: String

  /// Creates the keys of the fleet with this name; all begin with the prefix.
  package init(prefix: String, fleet: String) { base = "\(prefix)/\(fleet) " }

  /// All keys about hosts.
  package var hosts: String { base + "host " }

  /// Returns the key about a host.
  package func host(_ name: String) -> String { hosts + name }

  /// All keys about leaders.
  package var leaders: String { base + "lead " }

  /// Returns all keys of the candidates for one leadership.
  ///
  /// The leader is the candidate whose key was created first.
  package func candidates(_ leadership: String) -> String { "\(leaders)\(leadership) " }

  /// Returns the key of a candidate.
  package func candidate(_ leadership: String, lease: Int) -> String {
    candidates(leadership) + String(lease, radix: 16)
  }

  /// The first key after the keys about hosts and leaders, which are neighbours.
  package var endOfStates: String { base + "lead!" }

  /// Returns the key of an order to a host.
  ///
  /// No other key begins with it.
  package func order(_ host: String) -> String { "\(base)order \(host) " }

  /// All keys about initializers that run once.
  package var once: String { base + "once " }

  /// Returns the keys about an initializer, for a release.
  package func once(_ initializer: String, release: String) -> OnceKeys {
    OnceKeys(base: "\(once)\(release) \(initializer) ")
  }

  /// The keys about an initializer that runs once for a release.
  package struct OnceKeys: Sendable, Hashable {
    fileprivate let base: String
    /// The key of the host that runs the initializer; bound to that host's lease.
    package var claim: String { base + "claim" }
    /// The key of the host that has completed the initializer; deleted only when the release is forgotten.
    package var done: String { base + "done" }
    /// The key of the last failure; deleted when the initializer is completed.
    package var failed: String { base + "failed" }
  }

  /// Returns the words of a key after the beginning that keys of its kind share.
  package func words(of key: String, after beginning: String) -> [String]? {
    key.hasPrefix(beginning) ? key.dropFirst(beginning.count).split(separator: " ").map(String.init) : nil
  }
}
