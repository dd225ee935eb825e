/// A key of a declaration, in the manifest's words: it compares two declarations, so a reload can say what has changed (S27).
///
/// A declaration is compared as a whole, and its keys only name the difference. So a member without a key can't be overlooked: if it
/// differs, the work counts as changed.
package struct DeclarationKey<Declared: Sendable>: Sendable {
  /// The key.
  package let word: String
  /// Whether a changed value means other work, which must be done again; otherwise the change takes effect at the next run.
  package let isWork: Bool
  /// Whether a changed value holds from the next check of the process on.
  package let holdsFromNextCheck: Bool
  /// Copies the key's value from the second declaration into the first.
  package let copy: @Sendable (inout Declared, Declared) -> Void

  /// Creates a key.
  package init(
    _ word: String, isWork: Bool, holdsFromNextCheck: Bool = false,
    copy: @escaping @Sendable (inout Declared, Declared) -> Void
  ) {
    self.word = word
    self.isWork = isWork
    self.holdsFromNextCheck = holdsFromNextCheck
    self.copy = copy
  }

  /// Returns the key of a larger value that has such a declaration.
  package func lifted<Whole: Sendable>(
    _ path: any WritableKeyPath<Whole, Declared> & Sendable,
    also copyMore: @escaping @Sendable (inout Whole, Whole) -> Void = { _, _ in }
  ) -> DeclarationKey<Whole> {
    DeclarationKey<Whole>(word, isWork: isWork, holdsFromNextCheck: holdsFromNextCheck) {
      copy(&$0[keyPath: path], $1[keyPath: path])
      copyMore(&$0, $1)
    }
  }
}

extension DeclarationKey where Declared: Equatable {
  /// Returns which keys differ, and whether that is other work; `rest` is the word for a difference without a key.
  package static func difference(
    from old: Declared, to new: Declared, _ keys: [DeclarationKey], rest: String = "definition"
  ) -> (words: [String], isWork: Bool) {
    guard old != new else { return ([], false) }
    var current = old
    var words: [String] = []
    var isWork = false
    for key in keys {
      var next = current
      key.copy(&next, new)
      guard next != current else { continue }
      current = next
      words.append(key.word)
      isWork = isWork || key.isWork
    }
    return current == new ? (words, isWork) : (words + [rest], true)
  }
}

/// The keys of initializers, of kept processes, and of the settings.
package struct DeclarationKeys: Sendable {
  /// The keys of an initializer.
  package let initializer: [DeclarationKey<DeclaredInitializer>]
  /// The keys of a kept process.
  package let process: [DeclarationKey<DeclaredWorker>]
  /// The keys of the settings.
  package let settings: [DeclarationKey<DeclaredSettings>]

  /// Creates the keys.
  package init(
    initializer: [DeclarationKey<DeclaredInitializer>] = [], process: [DeclarationKey<DeclaredWorker>] = [],
    settings: [DeclarationKey<DeclaredSettings>] = []
  ) {
    self.initializer = initializer
    self.process = process
    self.settings = settings
  }
}
