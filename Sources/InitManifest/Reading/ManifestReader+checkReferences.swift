internal import InitCore
internal import InitDeclarations
internal import InitText
internal import InitWords

/// A reference to an output or a port, and where it stands.
struct WrittenReference: Hashable, Sendable {
  let reference: ValueReference
  let position: Position
}

extension ManifestReader {
  /// Notes the references in a text of the entry that is read (S35, S36); returns the text.
  mutating func noting(_ text: String, at position: Position) -> String {
    valueReferences += ValueReference.all(in: text).map { WrittenReference(reference: $0, position: position) }
    return text
  }

  /// Returns the references of the entry that was read.
  mutating func takeReferences() -> [WrittenReference] {
    defer { valueReferences = [] }
    return valueReferences
  }

  /// Reports the references in a line for the shell: a value never stands in the text of a program.
  mutating func reportReferences(inShell text: String, at position: Position) {
    for reference in ValueReference.all(in: text) {
      findings.add(
        position, "\(quoted("\(reference)")) in a text for the shell would be a part of its program",
        "write \"$\(reference.variable)\", or the command as a list")
    }
  }

  /// Reports references in variables of the whole manifest, which have no dependencies.
  mutating func reportReferencesOutside(_ written: [WrittenReference]) {
    for each in written {
      findings.add(
        each.position, "\(quoted("\(each.reference)")) is known only to an initializer or a process",
        "write it in the environment of what uses it, or use \(each.reference.variable) there")
    }
  }

  /// Reports the references to values that won't be there (S35, S36).
  ///
  /// If not all entries could be read, undeclared names aren't reported.
  mutating func findMistakenReferences(in entries: [Manifest.Entry<DeclaredInitializer>], isWhole: Bool) {
    let referring = entries.filter { !$0.references.isEmpty && isSelected($0.profiles) }
    guard !referring.isEmpty else { return }
    let named = Dictionary(entries.map { ($0.declaration.name, $0.declared) }) { first, _ in first }
    for entry in referring {
      let above = ancestors(of: entry.declared, named)
      for written in entry.references {
        guard purpose == .supervisor else {
          findings.add(
            written.position, "\(quoted("\(written.reference)")) isn't known to a worker's commands",
            "write the command as a text, with \"$\(written.reference.variable)\"")
          continue
        }
        guard case .output(let name, _) = written.reference else {
          check(written, among: portNames)
          continue
        }
        check(written, of: name, in: entry, named: named, above, isWhole: isWhole)
      }
    }
  }

  private mutating func check(
    _ written: WrittenReference, of name: String, in entry: Manifest.Entry<DeclaredInitializer>,
    named: [String: DeclaredInitializer], _ above: Set<String>, isWhole: Bool
  ) {
    guard let declared = named[name] else {
      guard isWhole else { return }
      let meant = Suggestion.nearest(to: name, among: named.keys.sorted()).map { "did you mean \(quoted($0))?" }
      findings.add(
        written.position, "unknown initializer \(quoted(name)) in \(quoted("\(written.reference)"))",
        meant ?? "declare it under initializers, or remove it here")
      return
    }
    let owner = quoted(entry.declaration.name)
    if !above.contains(name) {
      findings.add(
        written.position,
        "\(quoted("\(written.reference)")) is not known to \(owner), because it doesn't depend on \(quoted(name))",
        "add \(quoted(name)) to its dependencies")
    } else if declared.kind == .waitFor || declared.kind == .process {
      findings.add(
        written.position,
        "\(quoted(name)) has no output, because it \(declared.isProcess ? "is a process" : "only waits")",
        "write the name of an initializer with a command or a worker")
    }
  }

  /// Checks a reference to a port; `ports` are the declared names, if all are known.
  private mutating func check(_ written: WrittenReference, among ports: Set<String>?) {
    guard case .port(let name) = written.reference, let ports, !ports.contains(name) else { return }
    let meant = Suggestion.nearest(to: name, among: ports.sorted()).map { "did you mean \(quoted($0))?" }
    findings.add(
      written.position, "unknown port \(quoted(name))", meant ?? "declare it at the top: ports: { \(name): 8080 }")
  }

  /// Returns the initializers on which an initializer depends, directly or not.
  private func ancestors(of declared: DeclaredInitializer, _ named: [String: DeclaredInitializer]) -> Set<String> {
    var above: Set<String> = []
    var open = declared.declaration.dependencies
    while let name = open.popLast() {
      if above.insert(name).inserted { open += named[name]?.declaration.dependencies ?? [] }
    }
    return above
  }
}

extension ValueReference {
  /// Whether the value is a port.
  var isPort: Bool { if case .port = self { true } else { false } }

  /// The environment variable with the value, or with the whole output of which it is a part.
  var variable: String {
    switch self {
    case .output(let name, ""): InputVariableName.names(of: name).plain
    case .output(let name, _): InputVariableName.names(of: name).json
    case .port(let name): InputVariableName.port(name)
    }
  }

  /// Returns a text with a number in the place of each value, which is read as the text with its values will be.
  static func sample(of text: String) -> String {
    parts(of: text).map { if case .text(let text) = $0 { text } else { "1" } }.joined()
  }
}
