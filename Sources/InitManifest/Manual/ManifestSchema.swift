internal import InitWords

/// The JSON Schema of a manifest (draft 2020-12), for editors and other programs.
///
/// The schema describes only the form of the values, as YAML's core schema reads them. `initctl check` finds undeclared names, cycles, and
/// values that contradict each other.
package enum ManifestSchema {
  /// The schema of a whole manifest, with a newline at the end.
  package static var json: String {
    let parts = ManifestSection.defaults.keys.compactMap { $0.section }.map { definition(of: $0, isPart: true) }
    return document("init.yaml, the manifest of initd", definitions(isPart: false) + parts, isPart: false)
  }

  /// The schema of a file that is merged with others: it may lack any key, and a key without a value removes it from the files before.
  package static var jsonOfParts: String {
    document("A part of init.yaml, the manifest of initd", definitions(isPart: true), isPart: true)
  }

  private static func document(
    _ title: String, _ definitions: [(name: String, value: SchemaNode)], isPart: Bool
  ) -> String {
    let root = SchemaNode.object([
      ("$schema", .text("https://json-schema.org/draft/2020-12/schema")), ("title", .text(title)),
    ])
    guard case .object(let own) = schema(of: .manifest, isPart: isPart) else { return "" }
    return root.with(own).with([("$defs", .object(definitions))]).json + "\n"
  }

  private static func definitions(isPart: Bool) -> [(name: String, value: SchemaNode)] {
    ManifestSection.allCases.dropFirst().map { definition(of: $0, isPart: isPart) }
  }

  private static func definition(of section: ManifestSection, isPart: Bool) -> (name: String, value: SchemaNode) {
    (name(of: section, isPart: isPart), schema(of: section, isPart: isPart))
  }

  private static func name(of section: ManifestSection, isPart: Bool) -> String {
    section.rawValue + (isPart ? "Part" : "")
  }

  private static func schema(of section: ManifestSection, isPart: Bool) -> SchemaNode {
    let required = section.keys.filter { $0.usual == nil }.map { SchemaNode.text($0.name) }
    var rules: [(name: String, value: SchemaNode)] = [
      ("description", .text(plain(section.purpose))),
      ("properties", .object(section.keys.map { ($0.name, schema(of: $0, in: section, isPart: isPart)) })),
      ("additionalProperties", .boolean(false)),
    ]
    if isPart { return .types(["object"], rules) }
    if !required.isEmpty { rules.append(("required", .list(required))) }
    return .types(["object"], rules + ManifestSchema.rules(of: section))
  }

  private static func schema(of key: ManifestKey, in section: ManifestSection, isPart: Bool) -> SchemaNode {
    let about: [(name: String, value: SchemaNode)] = [
      ("description", .text(plain(key.meaning) + (key.usual.map { " Default: \(plain($0))." } ?? "")))
    ]
    // The files that are included are read before anything is merged.
    let mayBeRemoved = isPart ? key.name != "include" : section == .initializer && hasDefault(key)
    let value = schema(of: key.value, isPart: mayBeRemoved)
    return (mayBeRemoved ? orNull(value) : value).with(about)
  }

  private static func hasDefault(_ key: ManifestKey) -> Bool {
    ManifestSection.defaults.keys.contains { $0.name == key.name }
  }

  private static func orNull(_ value: SchemaNode) -> SchemaNode {
    .object([("anyOf", .list([value, .types(["null"])]))])
  }

  /// Returns the schema of a value; `isPart` says whether it is merged with others.
  private static func schema(of value: ManifestValue, isPart: Bool = false) -> SchemaNode {
    switch value {
    case .version: .object([("const", .number(1))])
    case .text: .types(scalar)
    case .word: .types(scalar, [("pattern", .text(blankless))])
    case .name, .worker:
      // A number is also a valid name, unless it is negative.
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
    case .user: .types(scalar, [("pattern", .text(user)), ("minimum", .number(0))])
    case .nice: .types(["integer"], [("minimum", .number(-20)), ("maximum", .number(19))])
    case .size(let isPositive):
      .types(
        ["string", "integer"],
        [
          ("pattern", .text(isPositive ? positiveSize : size)), ("minimum", .number(isPositive ? 1 : 0)),
          ("maximum", .number(999_999_999_999)),
        ])
    case .paths: .types(["array"], [("items", schema(of: .word))])
    case .patterns: .types(["array"], [("items", schema(of: .word)), ("minItems", .number(1))])
    case .condition: .types(scalar, [("pattern", .text(condition))])
    case .counts:
      .types(
        ["object"],
        [
          ("propertyNames", .object([("pattern", .text(name)), ("maxLength", .number(InitializerName.longest))])),
          ("additionalProperties", isPart ? orNull(schema(of: .count)) : schema(of: .count)),
        ])
    case .ports:
      .types(
        ["object"],
        [
          ("propertyNames", .object([("pattern", .text(name)), ("maxLength", .number(InitializerName.longest))])),
          ("additionalProperties", isPart ? orNull(portEntry) : portEntry),
        ])
    case .variables:
      .types(
        ["object"],
        [
          ("propertyNames", .object([("pattern", .text(variable))])),
          ("additionalProperties", .types(scalar + ["null"], [("pattern", .text(passable))])),
        ])
    case .variableNames: .types(["array"], [("items", .types(scalar, [("pattern", .text(variable))]))])
    case .constant: .object([("const", .boolean(true))])
    case .signal: .object([("enum", .list(ManifestSection.signals.map { .text($0) }))])
    case .endpoint: .types(["string"], [("pattern", .text("^\(host):\(port)$|\(valueReference)"))])
    case .url:
      .types(
        ["string"],
        [
          ("pattern", .text("^[Hh][Tt][Tt][Pp]://\(host)(:\(port))?([/?][!\"$-~]*)?$|\(valueReference)")),
          ("maxLength", .number(512)),
        ])
    case .path(let maximum): .types(scalar, [("pattern", .text(blankless)), ("maxLength", .number(maximum))])
    case .statuses:
      .object([
        ("anyOf", .list([status, .types(["array"], [("items", status), ("minItems", .number(1))])]))
      ])
    case .readiness:
      .object([("anyOf", .list([.object([("const", .text("started"))]), reference(to: .ready, isPart: isPart)]))])
    case .section(let section): reference(to: section, isPart: isPart)
    case .named(let section):
      .types(
        ["object"],
        [
          ("propertyNames", .object([("pattern", .text(name)), ("maxLength", .number(InitializerName.longest))])),
          (
            "additionalProperties",
            isPart ? orNull(reference(to: section, isPart: true)) : reference(to: section, isPart: false)
          ),
        ])
    }
  }

  private static func reference(to section: ManifestSection, isPart: Bool) -> SchemaNode {
    .object([("$ref", .text("#/$defs/\(name(of: section, isPart: isPart))"))])
  }

  /// A reference to an output or a port, whose value is read later.
  private static let valueReference = "\\$\\{(outputs|ports)\\."

  /// A number of a port, the first one of several, or any.
  private static let portEntry = SchemaNode.types(
    ["string", "integer"],
    [("pattern", .text("^(auto|\(Self.port)\\+?)$")), ("minimum", .number(1)), ("maximum", .number(65_535))])

  /// One status, or a range of statuses.
  private static let status = SchemaNode.types(
    ["string", "integer"],
    [
      ("pattern", .text("^[1-5][0-9]{2}(-[1-5][0-9]{2})?$")), ("minimum", .number(100)), ("maximum", .number(599)),
    ])

  /// Returns the rules about several keys of a section.
  private static func rules(of section: ManifestSection) -> [(name: String, value: SchemaNode)] {
    switch section {
    case .initializer: initializerRules
    case .waitFor: [("allOf", .list([one(of: ManifestSection.targetKeys)])), statusNeedsPage]
    case .ready:
      [
        (
          "allOf",
          .list([
            one(of: ManifestSection.readinessKeys),
            .object([
              ("if", required(["owner"])),
              ("then", .object([("anyOf", .list(["tcp", "http", "unix"].map { required([$0]) }))])),
            ]),
            .object([("if", required(["notify"])), ("then", excluding(["every", "tryTimeout"]))]),
            .object([("if", required(["line"])), ("then", excluding(["every", "tryTimeout"]))]),
          ])
        ), statusNeedsPage,
      ]
    case .process:
      [("dependentRequired", .object(ManifestSection.keysOfStart.map { ($0, .list([.text("ready")])) }))]
    case .healthy:
      [
        (
          "allOf",
          .list([
            .object([
              (
                "oneOf",
                .list(
                  [excluding(ManifestSection.healthTargetKeys.map(\.name))]
                    + ManifestSection.healthTargetKeys.map { required([$0.name]) })
              )
            ]),
            .object([
              ("if", required(["owner"])),
              ("then", excluding(["path", "command", "watchdog"])),
            ]),
            .object([("if", required(["watchdog"])), ("then", excluding(["every", "tries", "tryTimeout"]))]),
          ])
        ), statusNeedsPage,
      ]
    case .when: [("minProperties", .number(1))]
    case .manifest: [("allOf", .list(withoutDefaults)), ("not", required(ManifestSection.listsOfProcesses))]
    case .limits, .unless, .retry, .backoff, .defaults: []
    }
  }

  /// An initializer has a key without a value only if it has a default, which it does without.
  private static var withoutDefaults: [SchemaNode] {
    ManifestSection.defaults.keys.flatMap { key in
      [withoutDefault([key.name])] + (key.section?.keys ?? []).map { withoutDefault([key.name, $0.name]) }
    }
  }

  private static func withoutDefault(_ path: [String]) -> SchemaNode {
    let valued = SchemaNode.object([("not", .types(["null"]))])
    func at(_ path: [String], isRequired: Bool) -> SchemaNode {
      path.reversed().reduce(valued) { inner, name in
        .object(
          [("properties", .object([(name, inner)]))] + (isRequired ? [("required", .list([.text(name)]))] : []))
      }
    }
    let initializers = SchemaNode.object([("additionalProperties", at(path, isRequired: false))])
    return .object([
      ("if", at(["defaults"] + path, isRequired: true)),
      ("else", .object([("properties", .object([("initializers", initializers)]))])),
    ])
  }

  /// An initializer is run by a worker, or waits for something, or has a command.
  private static var initializerRules: [(name: String, value: SchemaNode)] {
    let isWorker = SchemaNode.object([
      ("properties", .object([("worker", .object([("not", .object([("const", .boolean(false))]))]))])),
      ("required", .list([.text("worker")])),
    ])
    let runsNothing = excluding(
      ["command", "worker", "once", "group", "inputs", "freshFor"] + ManifestSection.commandKeys)
    return [
      ("if", isWorker),
      ("then", excluding(["command", "waitFor"] + ManifestSection.commandKeys)),
      ("else", .object([("if", required(["waitFor"])), ("then", runsNothing), ("else", required(["command"]))])),
      ("allOf", .list([phase("launch", "appLaunch"), phase("active", "appActive")] + once)),
    ]
  }

  private static func one(of keys: [ManifestKey]) -> SchemaNode {
    .object([("oneOf", .list(keys.map { required([$0.name]) }))])
  }

  private static var statusNeedsPage: (name: String, value: SchemaNode) {
    ("dependentRequired", .object([("status", .list([.text("http")]))]))
  }

  private static func required(_ names: [String]) -> SchemaNode {
    .object([("required", .list(names.map { .text($0) }))])
  }

  private static func excluding(_ names: [String]) -> SchemaNode {
    .object([("properties", .object(names.map { ($0, .boolean(false)) }))])
  }

  /// A phase and a priority, if both are given, must agree.
  private static func phase(_ phase: String, _ priority: String) -> SchemaNode {
    condition("phase", .object([("const", .text(phase))]), then: "priority", .object([("const", .text(priority))]))
  }

  /// An initializer that runs once for a release can't be `perProcess`, and is never skipped as fresh; what is done once is a command of
  /// launch whose effect and output last.
  private static var once: [SchemaNode] {
    let isFalse = SchemaNode.object([("const", .boolean(false))])
    func rules(_ word: String, _ rules: [(String, SchemaNode)]) -> [SchemaNode] {
      rules.map { condition("once", .object([("const", .text(word))]), then: $0.0, $0.1) }
    }
    return rules("fleet", [("perProcess", isFalse), ("inputs", .boolean(false)), ("freshFor", .boolean(false))])
      + rules(
        "ever",
        [
          ("perProcess", isFalse), ("secret", isFalse), ("worker", isFalse),
          ("phase", .object([("const", .text("launch"))])), ("priority", .object([("const", .text("appLaunch"))])),
        ])
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
  private static func plain(_ markdown: String) -> String {
    var isCode = false
    return markdown.filter { character in
      if character == "`" { isCode.toggle() }
      return character != "`" && (character != "*" || isCode)
    }
  }

  private static let scalar = ["string", "number", "boolean"]
  private static let name = "^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$"
  private static let label = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
  private static let host = "(\\[[0-9A-Fa-f:.]+\\]|(?=[^:/?]{1,253}([:/?]|$))\(label)(\\.\(label))*\\.?)"
  private static let port = "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
  private static let passable = "^[^\\u0000]*$"
  private static let blankless = "^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$"
  private static let program = "^[^\\u0000]+$"
  private static let variable = "^[^=\\u0000]+$"
  private static let user = "^[^-+:/\\s\\u0000][^:/\\s\\u0000]*(:[^-+:/\\s\\u0000][^:/\\s\\u0000]*)?$"
  private static let size = "^([0-9]{1,12}|[0-9]{1,9}(KiB|MiB|GiB))$"
  private static let positiveSize = "^(?=.*[1-9])([0-9]{1,12}|[0-9]{1,9}(KiB|MiB|GiB))$"
  private static let condition = "^(?=.*[^\\s\\u0000])[^=\\u0000][^\\u0000]*$"
  private static let duration = "^[0-9]{1,12}(\\.[0-9]{1,9})?(s|m|h)?$|^[0-9]{1,12}(\\.[0-9]{1,6})?ms$"
  private static let positiveDuration =
    "^(?=.*[1-9])([0-9]{1,12}(\\.[0-9]{1,9})?(s|m|h)?|[0-9]{1,12}(\\.[0-9]{1,6})?ms)$"
}
