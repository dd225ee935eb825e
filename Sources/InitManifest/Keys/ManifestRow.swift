internal import InitCore
package import InitDeclarations

/// A key of an initializer, a process or the manifest itself: its description, how it is read, what a changed value means at a reload
/// (S27), and what the report of a check says about it.
struct ManifestRow<Declared: Sendable>: Sendable {
  /// The description.
  let key: ManifestKey
  /// Compare two values at a reload; none if the key isn't a part of the work or its settings.
  private(set) var comparisons: [DeclarationKey<Declared>]
  /// Reads the value into an entry; a mistake is reported, and changes nothing.
  let read: @Sendable (inout ManifestReader, Field, inout Manifest.Entry<Declared>) -> Void
  /// Returns what the report of a check says about the key; `nil` for nothing.
  private(set) var report: @Sendable (Manifest.Entry<Declared>) -> String? = { _ in nil }

  /// Returns the row with a further comparison: of what holds from the next check of the process on.
  func checked(_ copy: @escaping ManifestKey.Copy<Declared>) -> ManifestRow {
    var row = self
    row.comparisons.append(DeclarationKey(key.name, isWork: false, holdsFromNextCheck: true, copy: copy))
    return row
  }

  /// Returns the row with these words for the report.
  func told(_ report: @escaping @Sendable (Manifest.Entry<Declared>) -> String?) -> ManifestRow {
    var row = self
    row.report = report
    return row
  }

  /// Returns the row with the key and its value for the report, if the key is given.
  func told<Value>(
    _ path: @autoclosure @escaping @Sendable () -> any KeyPath<Declared, Value> & Sendable,
    _ words: @escaping @Sendable (Value) -> String?
  ) -> ManifestRow {
    let name = key.name
    return told { $0.given[name] == nil ? nil : words($0.declared[keyPath: path()]).map { "\(name): \($0)" } }
  }
}

/// What a changed value of a key means at a reload.
enum ManifestChange {
  /// Other work, which must be done again.
  case work
  /// It takes effect at the next run or start.
  case fromNextRun
}

extension ManifestKey {
  typealias Copy<Declared> = @Sendable (inout Declared, Declared) -> Void
  typealias Path<Declared, Value> = any WritableKeyPath<Declared, Value> & Sendable

  // A place is evaluated when it is used, because creating a key path takes about 11,000 instructions at the start of the program, and most
  // manifests have few of the keys.

  /// Returns the row of a key whose value is stored at one place.
  func row<Declared: Sendable, Value: Sendable>(
    _ change: ManifestChange, at path: @autoclosure @escaping @Sendable () -> Path<Declared, Value>,
    reading read: @escaping @Sendable (inout ManifestReader, Field) -> Value?
  ) -> ManifestRow<Declared> { row(change, at: \.self, path(), reading: read) }

  /// Returns the row of a key whose value is stored at one place, which is empty without it.
  func row<Declared: Sendable, Value: Sendable>(
    _ change: ManifestChange, at path: @autoclosure @escaping @Sendable () -> Path<Declared, Value?>,
    reading read: @escaping @Sendable (inout ManifestReader, Field) -> Value?
  ) -> ManifestRow<Declared> { row(change, at: \.self, path()) { read(&$0, $1).map(Optional.some) } }

  /// Returns the row of a key whose value is stored in a part of the declaration.
  func row<Declared: Sendable, Part, Value: Sendable>(
    _ change: ManifestChange, at part: @autoclosure @escaping @Sendable () -> Path<Declared, Part>,
    _ path: @autoclosure @escaping @Sendable () -> Path<Part, Value>,
    reading read: @escaping @Sendable (inout ManifestReader, Field) -> Value?
  ) -> ManifestRow<Declared> {
    row(
      change, copy: { $0[keyPath: part()][keyPath: path()] = $1[keyPath: part()][keyPath: path()] },
      reading: { reader, field, entry in
        if let value = read(&reader, field) { entry.declared[keyPath: part()][keyPath: path()] = value }
      })
  }

  /// Returns the row of a key that is `true` or `false`.
  func row<Declared: Sendable>(
    _ change: ManifestChange, at path: @autoclosure @escaping @Sendable () -> Path<Declared, Bool>
  ) -> ManifestRow<Declared> { row(change, at: path()) { $0.boolean($1) } }

  /// Returns the row of a key whose value is copied in its own way.
  ///
  /// Without `read`, the reader reads it together with other keys.
  func row<Declared: Sendable>(
    _ change: ManifestChange, copy: @escaping Copy<Declared>,
    reading read: @escaping @Sendable (inout ManifestReader, Field, inout Manifest.Entry<Declared>) -> Void = {
      _, _, _ in
    }
  ) -> ManifestRow<Declared> {
    ManifestRow(
      key: self, comparisons: [DeclarationKey(name, isWork: change == .work, copy: copy)], read: read)
  }

  /// Returns the row of a key that is no part of the work.
  func row<Declared: Sendable>(
    reading read: @escaping @Sendable (inout ManifestReader, Field, inout Manifest.Entry<Declared>) -> Void = {
      _, _, _ in
    }
  ) -> ManifestRow<Declared> {
    ManifestRow(key: self, comparisons: [], read: read)
  }
}

extension Manifest {
  /// The keys that a reload compares.
  package static let keys = DeclarationKeys(
    // The key `onRestart` of a process is a setting of the initializer that starts it.
    initializer: ManifestSection.initializerRows.flatMap(\.comparisons) + [
      DeclarationKey("onRestart", isWork: false) {
        $0.declaration.rerunsDependents = $1.declaration.rerunsDependents
      }
    ],
    process: ManifestSection.processRows.flatMap(\.comparisons),
    settings: keysOfSettings)

  /// The keys of the settings.
  package static let keysOfSettings = ManifestSection.manifestRows.flatMap(\.comparisons)
}

/// Returns a list after these words for the report of a check; `nil` if it is empty.
func listed(_ names: [String], after words: String) -> String? {
  names.isEmpty ? nil : escaped("\(words) \(names.joined(separator: ", "))")
}
