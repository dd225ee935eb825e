extension ManifestSection {
  /// The keys of `defaults`: the keys of an initializer for which a common value makes sense.
  static let defaultsKeys = ManifestSection.initializer.keys.filter {
    ["timeout", "retry", "optional", "workingDirectory", "user", "limits", "nice"].contains($0.name)
  }
}
