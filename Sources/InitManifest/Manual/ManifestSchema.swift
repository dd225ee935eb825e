internal import InitWords

/// The JSON Schema of a manifest (draft 2020-12), for editors and other programs.
///
/// It describes the values as YAML's core schema reads them, and the form only: names that aren't declared, cycles, and values that
/// contradict each other in their size are found by `initctl check`.
package enum ManifestSchema {
  /// The schema, with a newline at the end.
  package static var json: String {
    let definitions = ManifestSection.allCases.dropFirst().map { section in
      (name: section.rawValue, value: schema(of: section))
    }
    let root = SchemaNode.object([
      ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
      ("title", .text("init.yaml, the manifest of initd")),
    ])
    guard case .object(let own) = schema(of: .manifest) else { return "" }
    return root.with(own).with([("$defs", .object(definitions))]).json + "\n"
  }

  private static func schema(of section: ManifestSection) -> SchemaNode {
    let required = section.keys.filter { $0.usual == nil }.map { SchemaNode.text($0.name) }
    var rules: [(name: String, value: SchemaNode)] = [
      ("description", .text(plain(section.purpose))),
      ("properties", .object(section.keys.map { ($0.name, schema(of: $0)) })),
      ("additionalProperties", .boolean(false)),
    ]
    if !required.isEmpty { rules.append(("required", .list(required))) }
    return .types(["object"], rules + ManifestSchema.rules(of: section))
  }

  private static func schema(of key: ManifestKey) -> SchemaNode {
    let about: [(name: String, value: SchemaNode)] = [
      ("description", .text(plain(key.meaning) + (key.usual.map { " Default: \(plain($0))." } ?? "")))
    ]
    return schema(of: key.value).with(about)
  }

  private static func schema(of value: ManifestValue) -> SchemaNode {
    switch value {
    case .version: .object([("const", .number(1))])
    case .text: .types(scalar)
    case .word: .types(scalar, [("pattern", .text(blankless))])
    case .name:
      // A number is a name, too, but a negative one isn't.
      .types(
        scalar, [("pattern", .text(name)), ("maxLength", .number(InitializerName.longest)), ("minimum", .number(0))])
    case .boolean: .types(["boolean"])
    case .count: .types(["integer"], [("minimum", .number(1)), ("maximum", .number(1_000_000))])
    case .factor: .types(["number"], [("minimum", .number(1)), ("maximum", .number(1000))])
    case .duration(let isPositive):
      .types(
        ["string", "number"],
        [(isPositive ? "exclusiveMinimum" : "minimum", .number(0)), ("maximum", .number(100 * 365 * 86_400))]
          + [("pattern", .text(isPositive ? positiveDuration : duration))])
    case .choice(let words): .object([("enum", .list(words.map { .text($0) }))])
    case .command:
      .object([
        (
          "anyOf",
          .list([
            schema(of: .word),
            .types(
              ["array"],
              [
                ("minItems", .number(1)),
                ("prefixItems", .list([.types(scalar, [("pattern", .text(program))])])),
                ("items", .types(scalar + ["null"], [("pattern", .text(passable))])),
              ]),
          ])
        )
      ])
    case .names: .types(["array"], [("items", schema(of: .name)), ("uniqueItems", .boolean(true))])
    case .paths: .types(["array"], [("items", schema(of: .word))])
    case .variables:
      .types(
        ["object"],
        [
          ("propertyNames", .object([("pattern", .text(variable))])),
          ("additionalProperties", .types(scalar + ["null"], [("pattern", .text(passable))])),
        ])
    case .section(let section): .object([("$ref", .text("#/$defs/\(section.rawValue)"))])
    case .named(let section):
      .types(
        ["object"],
        [
          ("propertyNames", .object([("pattern", .text(name)), ("maxLength", .number(InitializerName.longest))])),
          ("additionalProperties", .object([("$ref", .text("#/$defs/\(section.rawValue)"))])),
        ])
    }
  }

  /// Returns what holds for several keys of a section together.
  private static func rules(of section: ManifestSection) -> [(name: String, value: SchemaNode)] {
    guard section == .initializer else { return [] }
    let isWorker = SchemaNode.object([
      ("properties", .object([("worker", .object([("const", .boolean(true))]))])),
      ("required", .list([.text("worker")])),
    ])
    let commandOnly = ["command"] + ManifestSection.commandKeys
    let withoutCommand = SchemaNode.object([
      ("properties", .object(commandOnly.map { ($0, .boolean(false)) }))
    ])
    return [
      ("if", isWorker), ("then", withoutCommand), ("else", .object([("required", .list([.text("command")]))])),
      ("allOf", .list([phase("launch", "appLaunch"), phase("active", "appActive"), once])),
    ]
  }

  /// A phase and a priority, if both are given, are the same.
  private static func phase(_ phase: String, _ priority: String) -> SchemaNode {
    condition("phase", .object([("const", .text(phase))]), then: "priority", .object([("const", .text(priority))]))
  }

  /// What runs once for a release has no effect in a process's memory only.
  private static var once: SchemaNode {
    condition("once", .boolean(true), then: "perProcess", .object([("const", .boolean(false))]))
  }

  private static func condition(
    _ name: String, _ value: SchemaNode, then other: String, _ rule: SchemaNode
  ) -> SchemaNode {
    .object([
      ("if", .object([("properties", .object([(name, value)])), ("required", .list([.text(name)]))])),
      ("then", .object([("properties", .object([(other, rule)]))])),
    ])
  }

  /// Returns a sentence of the manual without its marks.
  private static func plain(_ markdown: String) -> String { markdown.filter { $0 != "`" && $0 != "*" } }

  private static let scalar = ["string", "number", "boolean"]
  private static let name = "^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$"
  private static let passable = "^[^\\u0000]*$"
  private static let blankless = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
  private static let program = "^[^\\u0000]+$"
  private static let variable = "^[^=\\u0000]+$"
  private static let duration = "^[0-9]{1,12}(\\.[0-9]{1,9})?(s|m|h)?$|^[0-9]{1,12}(\\.[0-9]{1,6})?ms$"
  private static let positiveDuration =
    "^(?=.*[1-9])([0-9]{1,12}(\\.[0-9]{1,9})?(s|m|h)?|[0-9]{1,12}(\\.[0-9]{1,6})?ms)$"
}
