extension ManifestSection {
  /// The keys of `retry`; `backoff` has them without `attempts`.
  static let retryKeys = [
    ManifestKey(
      "attempts", .count, usual: "`1`", "How many attempts there are, with the first.", example: "attempts: 3"),
    ManifestKey(
      "delay", .duration(isPositive: false), usual: "`1s`",
      "The pause before the second one. Up to a tenth is added at random.", example: "delay: 500ms"),
    ManifestKey(
      "factor", .factor, usual: "`2`", "How many times longer each further pause is than the one before.",
      example: "factor: 1.5"),
    ManifestKey(
      "maxDelay", .duration(isPositive: false), usual: "`30s`", "The longest pause. It is at least `delay`.",
      example: "maxDelay: 10s"),
  ]
}
