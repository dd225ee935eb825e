internal import InitText

extension ManifestReader {
  /// The largest number of anything.
  private static let largest = 1_000_000

  /// Reads the text of a scalar as written; `nil` if it isn't a scalar, or has no value.
  mutating func scalar(_ field: Field, _ wanted: String, example: String) -> String? {
    guard case .scalar(let text, _) = field.value.content, !field.value.isNull else {
      reportWrong(field.value, called: quoted(field.name), wanted: wanted, example: example)
      return nil
    }
    return text
  }

  /// Reads `true` or `false`, without quotes and in no other spelling.
  mutating func boolean(_ field: Field) -> Bool? {
    let name = field.name
    guard let text = scalar(field, "true or false", example: "\(name): true") else { return nil }
    if field.value.isPlain, text == "true" || text == "false" { return text == "true" }
    let meant: Bool? =
      switch text.lowercased() {
      case "true", "yes", "on", "y": true
      case "false", "no", "off", "n": false
      default: nil
      }
    findings.add(
      field.value.position, "\(quoted(name)) is neither true nor false: \(written(text, field))",
      meant.map { "write \(name): \($0)" } ?? "write \(name): true or \(name): false")
    return nil
  }

  /// Reads a whole number from 1, in plain digits.
  mutating func integer(_ field: Field, example: String) -> Int? {
    guard let text = scalar(field, "a whole number", example: "\(field.name): \(example)") else { return nil }
    let remedy = "write a whole number from 1, e.g. \(field.name): \(example)"
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard field.value.isPlain, !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      digits == "0" || !digits.hasPrefix("0")
    else {
      findings.add(
        field.value.position, "\(quoted(field.name)) is not a whole number: \(written(text, field))", remedy)
      return nil
    }
    guard let number = Int(text), number <= Self.largest else {
      let size = text.hasPrefix("-") ? "small" : "large"
      findings.add(
        field.value.position, "\(quoted(field.name)) is too \(size): \(quoted(text))",
        text.hasPrefix("-") ? remedy : "write at most \(Self.largest)")
      return nil
    }
    guard number >= 1 else {
      findings.add(field.value.position, "\(quoted(field.name)) is too small: \(quoted(text))", remedy)
      return nil
    }
    return number
  }

  /// Reads a factor: a decimal number from 1 to 1000.
  mutating func factor(_ field: Field) -> Double? {
    guard let text = scalar(field, "a number", example: "\(field.name): 2") else { return nil }
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard field.value.isPlain, isDecimal, let number = Double(text) else {
      findings.add(
        field.value.position, "\(quoted(field.name)) is not a number from 1: \(written(text, field))",
        "write e.g. \(field.name): 1.5")
      return nil
    }
    guard (1...1000).contains(number) else {
      findings.add(
        field.value.position, "\(quoted(field.name)) is too \(number < 1 ? "small" : "large"): \(quoted(text))",
        "write a number from 1 to 1000")
      return nil
    }
    return number
  }

  /// Reads a duration, as parsed by `DurationText`.
  mutating func duration(_ field: Field, example: String) -> Duration? {
    guard let text = scalar(field, "a duration", example: "\(field.name): \(example)") else { return nil }
    do {
      return try DurationText.parse(text)
    } catch {
      findings.add(field.value.position, "\(quoted(field.name)): \(error.problem)", error.remedy)
      return nil
    }
  }

  /// Reads a value that must be one of a type's cases, by name.
  mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(_ field: Field, of type: Choice.Type) -> Choice?
  {
    let words = Choice.allCases.map(\.rawValue)
    guard let text = scalar(field, "a word", example: "\(field.name): \(words[0])") else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let meant = ForeignWord.choice(for: text, among: words) ?? Suggestion.nearest(to: text, among: words)
    let remedy = meant.map { "did you mean \(quoted($0))?" }
    findings.add(
      field.value.position, "\(quoted(field.name)) cannot be \(quoted(text))", remedy ?? "write \(list(words))")
    return nil
  }

  /// Reads a text that isn't empty and contains no NUL.
  mutating func word(_ field: Field, _ wanted: String, example: String) -> String? {
    guard let text = scalar(field, wanted, example: "\(field.name): \(example)") else { return nil }
    guard !text.allSatisfy(\.isWhitespace) else {
      findings.add(field.value.position, "\(quoted(field.name)) is empty", "write \(field.name): \(example)")
      return nil
    }
    return isPassable(text, at: field.value.position) ? text : nil
  }

  /// Reads variables by name, with their values as written.
  mutating func environment(_ field: Field) -> [String: String] {
    guard
      let entries = entries(
        of: field.value, called: quoted(field.name), kind: "variable", example: "environment: { LANG: C.UTF-8 }")
    else { return [:] }
    var variables: [String: String] = [:]
    for entry in entries.list {
      if entry.name.isEmpty || entry.name.contains("=") || entry.name.utf8.contains(0) {
        findings.add(
          entry.position, "\(quoted(entry.name)) cannot be the name of a variable",
          "write a name that isn't empty and contains neither = nor NUL")
      }
      guard case .scalar(let value, _) = entry.value.content else {
        reportWrong(
          entry.value, called: "the variable \(quoted(entry.name))", wanted: "text", example: "a word or a quoted text")
        continue
      }
      if isPassable(value, at: entry.value.position) {
        variables[entry.name] = noting(value, at: entry.value.position)
      }
    }
    return variables
  }

  /// Reads names of variables, in which `*` stands for any characters.
  mutating func variableNames(_ field: Field) -> [String]? {
    let example = "variables: [PORT, \"DB_*\"]"
    guard case .list(let elements) = field.value.content else {
      reportWrong(field.value, called: quoted(field.name), wanted: "a list", example: example)
      return nil
    }
    return elements.compactMap { element in
      guard let name = element.text, !element.isNull else {
        reportWrong(element, called: "a variable", wanted: "a name", example: example)
        return nil
      }
      guard !name.isEmpty, !name.contains("="), !name.utf8.contains(0) else {
        findings.add(
          element.position, "\(quoted(name)) cannot be the name of a variable",
          "write a name that isn't empty and contains neither = nor NUL")
        return nil
      }
      return name
    }
  }

  /// Reports a text that contains NUL, which would end it for a program; returns whether it is valid.
  mutating func isPassable(_ text: String, at position: Position) -> Bool {
    guard text.utf8.contains(0) else { return true }
    findings.add(position, "a text for a program can't contain NUL", "remove the \\0")
    return false
  }

  /// Quotes a text, and mentions if the quotes in the manifest are the mistake.
  private func written(_ text: String, _ field: Field) -> String {
    field.value.isPlain ? quoted(text) : "the text \(quoted(text))"
  }
}
