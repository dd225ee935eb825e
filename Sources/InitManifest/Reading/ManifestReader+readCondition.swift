internal import InitCore
internal import InitDeclarations

extension ManifestReader {
  /// Reads the condition that must hold when an initializer's turn comes (S29); `nil` after a mistake.
  mutating func condition(_ field: Field) -> Condition? {
    let example = "when: { env: CI }"
    guard let fields = fields(of: field.value, called: "\"when\"", .when, example: example) else { return nil }
    var condition = Condition()
    condition.variable = fields["env"].flatMap { variable($0) }
    condition.path = fields["path"].flatMap { word($0, "a path", example: "./seed.sql") }
    condition.missing = fields["missing"].flatMap { word($0, "a path", example: "data/PG_VERSION") }
    if fields.isWhole, ManifestSection.when.keys.allSatisfy({ fields[$0.name] == nil }) {
      findings.add(field.value.position, "\"when\" has no condition", "write \(example), or remove it")
    }
    return condition
  }

  /// Reads the command that finds out whether the work is already done (S37); `nil` after a mistake.
  mutating func unless<Declared: Sendable>(
    _ field: Field, of entry: inout Manifest.Entry<Declared>
  ) -> Unless? {
    let example = "unless: { command: [test, -e, data/seeded] }"
    guard let fields = fields(of: field.value, called: "\"unless\"", .unless, example: example) else { return nil }
    let timeout = fields["timeout"].map { self.timeout($0) } ?? Unless.usualTimeout
    guard let command = fields["command"] else {
      if fields.isWhole { findings.add(field.value.position, "\"unless\" has no command", "write \(example)") }
      return nil
    }
    note(command, as: "unless.command", in: &entry)
    guard let arguments = arguments(command), let timeout else { return nil }
    return Unless(arguments, timeout: timeout)
  }

  private mutating func variable(_ field: Field) -> Condition.Variable? {
    guard let text = word(field, "a variable", example: "CI") else { return nil }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let name = parts.first, !name.isEmpty else {
      findings.add(
        field.value.position, "\"env\" has no variable: \(quoted(text))", "write e.g. env: CI or env: \"STAGE=prod\"")
      return nil
    }
    return Condition.Variable(name, value: parts.count > 1 ? parts[1] : nil)
  }
}
