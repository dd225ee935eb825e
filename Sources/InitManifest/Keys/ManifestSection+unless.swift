extension ManifestSection {
  /// The keys of `unless`.
  static let unlessKeys = [
    ManifestKey(
      "command", .command, usual: nil,
      "The program to run and its arguments, in the environment and the directory of the initializer's command, as its user.",
      example: "command: [test, -e, data/seeded]"),
    ManifestKey(
      "timeout", .duration(isPositive: true), usual: "`5s`",
      "How long the command may take. Then it is killed, and the initializer runs.",
      example: "command: [test, -e, data/seeded]\ntimeout: 10s"),
  ]
}
