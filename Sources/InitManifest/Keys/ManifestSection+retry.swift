extension ManifestSection {
  /// The keys of `retry`; `backoff` has them without `attempts`.
  static let retryKeys = [
    ManifestKey(
      "attempts", .count, usual: "`1`", "The maximum number of attempts, including the first.", example: "attempts: 3"),
    ManifestKey(
      "delay", .duration(isPositive: false), usual: "`1s`",
      "The pause before the second one. Up to a tenth is added at random.", example: "delay: 500ms"),
    ManifestKey(
      "factor", .factor, usual: "`2`", "The factor by which each further pause is longer than the one before.",
      example: "factor: 1.5"),
    ManifestKey(
      "maxDelay", .duration(isPositive: false), usual: "`30s`", "The longest pause. It is at least `delay`.",
      example: "maxDelay: 10s"),
  ]
}
