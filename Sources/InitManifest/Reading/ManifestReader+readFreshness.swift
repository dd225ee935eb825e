internal import InitCore
internal import InitDeclarations
internal import InitWords

extension ManifestReader {
  /// Reads the files on whose contents an initializer's work depends (S30).
  mutating func inputs(_ field: Field?) -> [(text: String, position: Position)] {
    guard let field else { return [] }
    let example = "inputs: [migrations/*.sql]"
    guard case .list(let elements) = field.value.content else {
      reportWrong(field.value, called: "\"inputs\"", wanted: "a list", example: example)
      return []
    }
    if elements.isEmpty, field.value.isWhole {
      findings.add(field.value.position, "\"inputs\" is empty", "write \(example), or remove it")
    }
    return elements.compactMap { element in
      guard case .scalar(let text, _) = element.content, !element.isNull else {
        reportWrong(element, called: "an input", wanted: "a path", example: "a path, e.g. migrations/*.sql")
        return nil
      }
      guard !text.allSatisfy(\.isWhitespace) else {
        findings.add(element.position, "an input is empty", "write a path, e.g. migrations/*.sql")
        return nil
      }
      return isPassable(text, at: element.position) ? (text, element.position) : nil
    }
  }

  /// Reports what can't be done once, over restarts of the system (S37).
  mutating func reportNotEver(
    _ fields: Fields, _ read: Manifest.Entry<DeclaredInitializer>, _ label: String
  ) {
    guard let once = fields["once"], read.probe == nil else { return }
    let reasons: [(Bool, String, String)] = [
      (read.declaration.isPerProcess, "perProcess", "what is in a process's memory is gone at its end"),
      (read.isSecret, "secret", "a secret output isn't written to a file"),
      (read.declaration.priority == .appActive, "the phase active", "only launch does something once"),
      (
        read.command == nil && fields["command"] == nil, "a worker", "the supervisor doesn't know a worker's definition"
      ),
    ]
    for (applies, word, why) in reasons where applies {
      findings.add(once.position, "\(label) has both once: ever and \(word)", "keep one of them: \(why)")
    }
  }

  /// Reports keys that make an initializer fresh although another host may run it.
  mutating func reportNeverFresh(_ fields: Fields, _ label: String) {
    guard let once = fields["once"], once.value.text != "ever" else { return }
    for name in ["inputs", "freshFor"] {
      guard let field = fields[name] else { continue }
      findings.add(
        field.position, "\(label) has both once and \(name)",
        "keep one of them: with once, the coordinator decides whether it runs")
    }
  }
}
