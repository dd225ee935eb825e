internal import Fleet

/// A claim that this host has.
struct HeldClaim {
  let keys: FleetKeys.OnceKeys
  /// What its record names as the owner.
  let owner: String
  let fence: Int
  /// The lease that its key is bound to.
  let lease: Int
  /// What the run reports, and what of that is recorded.
  var progress: (reported: String?, recorded: String?) = (nil, nil)
}
