/// One key of the manifest: its description in the manual, the schema and the messages.
///
/// Each section lists its keys once, in `ManifestSection.keys`. A key of an initializer or a process is a ``ManifestRow``, which also reads it.
final class ManifestKey: Sendable {
  /// The name of the key in the manifest.
  let name: String
  /// The form of its value.
  let value: ManifestValue
  /// The default, as the manual states it; `nil` if the key is required.
  let usual: String?
  /// The first version with this key.
  let since: String
  /// The meaning of the key, in one or a few sentences.
  let meaning: String
  /// An example, as YAML lines of its section.
  let example: String
  /// The kinds of manifests that may have the key.
  let purposes: [Manifest.Purpose]

  /// Creates a key of the table.
  init(
    _ name: String, _ value: ManifestValue, usual: String?, since: String = "0.1.0",
    for purposes: [Manifest.Purpose] = [.supervisor, .worker], _ meaning: String, example: String
  ) {
    self.name = name
    self.value = value
    self.usual = usual
    self.since = since
    self.purposes = purposes
    self.meaning = meaning
    self.example = example
  }

  /// The section with the keys of its value; `nil` if the value isn't one mapping with keys of its own.
  var section: ManifestSection? {
    switch value {
    case .section(let section): section
    case .readiness: .ready
    default: nil
    }
  }
}
