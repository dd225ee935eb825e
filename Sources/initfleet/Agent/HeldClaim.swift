internal import Fleet

/// A claim that this host has.
struct HeldClaim {
  let keys: FleetKeys.OnceKeys
  /// The owner that the claim's record names.
  let owner: String
  let fence: Int
  /// The lease that its key is bound to.
  let lease: Int
  /// The run's report, and the part of it that is recorded.
  var progress: (reported: String?, recorded: String?) = (nil, nil)
}
