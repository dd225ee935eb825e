extension ManifestSection {
  /// The keys of `defaults`: those of an initializer for which a common value makes sense.
  static let defaultsKeys = initializerKeys.filter {
    ["timeout", "retry", "optional", "workingDirectory", "user", "limits", "nice"].contains($0.name)
  }

  /// The keys of an initializer that only commands have.
  static let commandKeys = ["workingDirectory", "environment", "environmentFile", "stop", "user", "limits", "nice"]
}
