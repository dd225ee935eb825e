internal import InitWords

extension ManifestReader {
  /// Reads the profiles of an initializer or a process; none if it is always selected.
  mutating func profiles(_ field: Field) -> [String] {
    guard case .list(let elements) = field.value.content else {
      let name = field.value.text.map(escaped) ?? "dev"
      reportWrong(
        field.value, called: quoted(field.name), wanted: "a list",
        example: "profiles: [\(field.value.isNull ? "dev" : name)]")
      return []
    }
    var lines: [String: Int] = [:]
    return elements.compactMap { element in
      guard let name = element.text, !element.isNull else {
        reportWrong(element, called: "a profile", wanted: "a name", example: "profiles: [dev]")
        return nil
      }
      guard InitializerName.isValid(name) else {
        findings.add(
          element.position, "\(quoted(name)) cannot be the name of a profile", "it \(InitializerName.requirement)")
        return nil
      }
      if let line = lines.updateValue(element.position.line, forKey: name) {
        findings.add(element.position, "the profile \(quoted(name)) is already on line \(line)", "remove it")
      }
      return name
    }
  }

  /// Returns whether the chosen profiles select an entry with these profiles.
  func isSelected(_ its: [String]) -> Bool { its.isEmpty || its.contains(where: profiles.contains) }

  /// Whether an entry of `initializers` or `workers` is selected.
  func isSelected(_ entry: YAMLNode) -> Bool {
    guard purpose == .supervisor, case .list(let elements)? = entry["profiles"]?.content else { return true }
    return isSelected(elements.compactMap(\.text))
  }

  /// Reports an `environmentFile` that isn't a list of paths; `ManifestComposer` has read the files.
  mutating func checkEnvironmentFile(_ field: Field) {
    guard case .list(let elements) = field.value.content else {
      let name = field.value.text.map(escaped) ?? ".env"
      reportWrong(
        field.value, called: quoted(field.name), wanted: "a list",
        example: "environmentFile: [\(field.value.isNull ? ".env" : name)]")
      return
    }
    for element in elements { _ = path(element, in: field.name, example: "environmentFile: [.env]") }
  }
}
