internal import InitCore
internal import InitDeclarations

/// A key that lists other initializers by their names.
enum NamesKey: String, Hashable, Sendable, CaseIterable {
  case dependencies
  case after

  /// What one of its names is called.
  var noun: String {
    switch self {
    case .dependencies: "dependency"
    case .after: "predecessor"
    }
  }

  /// Returns the names in a declaration.
  func names(of declaration: Declaration) -> [String] {
    switch self {
    case .dependencies: declaration.dependencies
    case .after: declaration.after
    }
  }
}

extension Manifest.Entry<DeclaredInitializer> {
  /// The names that a key lists, with their positions.
  func names(_ key: NamesKey) -> [(name: String, position: Position)] {
    zip(key.names(of: declared.declaration), namePositions[key.rawValue] ?? []).map { ($0, $1) }
  }
}
