/// A lease of etcd that hasn't ended, as far as this process knows.
///
/// All times are by one clock that no one sets, from the same moment.
package struct HeldLease: Sendable, Hashable {
  /// The number of the lease in etcd.
  package let id: Int
  /// The earliest end of the lease for programs that act under it: etcd's clock may run faster than this host's.
  package let end: Duration
  /// Until then, the lease needn't be renewed before something begins under it.
  package let freshUntil: Duration

  package init(id: Int, end: Duration, freshUntil: Duration) {
    self.id = id
    self.end = end
    self.freshUntil = freshUntil
  }
}

/// Pauses that differ among hosts: they must not all act at the same moment.
struct Jitter: Sendable, Hashable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Returns a number from 0 to 1, from the generator splitmix64.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
  }
}
