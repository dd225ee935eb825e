internal import InitCore
internal import InitDeclarations
internal import InitText
internal import InitWords

/// An initializer is marked `once`, and there is no release, or an invalid one.
public struct UnusableRelease: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first initializer that needs the release.
  public let initializer: String
  /// The release; nil if there is none.
  public let release: String?

  /// Says what is wrong, and what to do.
  public var description: String { "cannot start: \(problem)\(remedy.map { "; \($0)" } ?? "")" }

  var problem: String {
    let name = TerminalText.escape(initializer)
    guard let release else { return "\(name) runs once for a release, and there is no release" }
    return """
      the release "\(TerminalText.escape(release))", for which \(name) runs once, can't be used: it \(InitializerName.requirement)
      """
  }

  var remedy: String? { release == nil ? "write `release: NAME` in the manifest, or set INITD_RELEASE" : nil }
}

extension SupervisorConfiguration {
  /// Checks the release, if an initializer needs it.
  ///
  /// - Throws: an error that says what is wrong with the release.
  func checkRelease() throws(UnusableRelease) {
    guard let once = initializers.first(where: \.isOnce) else { return }
    if let release, InitializerName.isValid(release) { return }
    throw UnusableRelease(initializer: once.declaration.name, release: release)
  }
}
