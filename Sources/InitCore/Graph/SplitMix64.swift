/// The finaliser of the SplitMix64 generator: spreads one number over all 64 bits, for numbers that depend only on a seed.
package enum SplitMix64 {
  /// Returns a pseudorandom number that depends only on `value`.
  ///
  /// Different values have different results.
  package static func mix(_ value: UInt64) -> UInt64 {
    var z = value &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
