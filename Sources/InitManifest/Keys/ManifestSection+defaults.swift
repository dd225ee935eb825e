extension ManifestSection {
  /// The keys of `defaults`: those of an initializer for which a common value makes sense.
  static let defaultsKeys = initializerKeys.filter {
    ["timeout", "retry", "optional", "workingDirectory"].contains($0.name)
  }

  /// The keys of an initializer that only commands have.
  static let commandKeys = ["workingDirectory", "environment", "environmentFile", "stop"]
}
