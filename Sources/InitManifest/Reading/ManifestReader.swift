internal import InitCore
internal import InitDeclarations
import InitModel
import InitWire
internal import InitWords

/// Builds a manifest from a YAML tree.
///
/// Terms. A *field* is a key of a mapping with its value. Reading a wrong value reports it and returns `nil`; the setting keeps its default
/// and reading continues, so all mistakes are reported at once.
///
/// Invariant. A mistake is reported once, at its position. An incompletely read part isn't checked for missing entries.
struct ManifestReader {
  var findings: Findings
  /// Warnings about valid but probably unintended parts.
  var warnings: Findings
  let purpose: Manifest.Purpose
  /// The selected profiles.
  let profiles: Set<String>

  /// An initializer's process, as written.
  struct Reference {
    let process: String
    let profiles: [String]
    let position: Position
  }

  /// The processes that register initializers.
  var references: [Reference] = []
  /// The references to values in the entry that is read.
  var valueReferences: [WrittenReference] = []
  /// The names of the groups that are declared; `nil` if not all of them can be read.
  private(set) var groups: Set<String>? = []
  /// The names of the ports that are declared; `nil` if not all of them can be read.
  private(set) var portNames: Set<String>? = []
  /// The names of the keys of the sections that were read, by the name of the section.
  var knownNames: [String: [String]] = [:]
  /// The positions at which a file removes names of the files below it, by the key of their list.
  var removals: [String: [String: Position]] = [:]

  /// Returns the position at which a file removes a name of one of these lists.
  func removal(of name: String, in lists: [String]) -> Position? {
    lists.lazy.compactMap { self.removals[$0]?[name] }.first
  }

  init(findings: Findings, purpose: Manifest.Purpose = .supervisor, profiles: Set<String> = []) {
    self.findings = findings
    self.purpose = purpose
    self.profiles = profiles
    warnings = Findings(files: findings.files)
  }

  /// Reads the manifest of `root`, which is valid only if there are no findings in the end.
  mutating func manifest(from root: YAMLNode) -> Manifest {
    var manifest = Manifest(file: findings.file)
    if purpose == .worker { manifest.settings.machine.cancelGrace = WorkerManifest.usualCancelGrace }
    guard
      let fields = fields(
        of: root, called: "the manifest", .manifest,
        example: "version: 1 and initializers")
    else { return manifest }
    if fields["version"] == nil, fields.isWhole {
      findings.add(root.position, "the version is missing", "write version: 1")
    }
    var settings = Manifest.Entry(manifest.settings, at: root.position)
    readRows(ManifestSection.manifestRows, fields, into: &settings)
    manifest.settings = settings.declared
    manifest.given = Set(settings.given.keys)
    reportReferencesOutside(takeReferences())
    let declared = declarations(
      fields["initializers"], of: "initializer", example: "{ migrate: { command: ./migrate } }")
    var initializers = declared.list.compactMap { initializer($0) }
    let lists = ManifestSection.listsOfProcesses.compactMap { fields[$0] }.sorted { $0.position < $1.position }
    if lists.count > 1 {
      findings.add(
        lists[1].position, "\(quoted(lists[1].name)) is another name of \(quoted(lists[0].name))",
        "put all processes below \(lists[0].name)")
    }
    let noun = lists.first?.name == "workers" ? "worker" : "process"
    let workers = declarations(lists.first, of: noun, example: "{ shelf: { command: ./shelf } }")
    var processes = workers.list.compactMap { process($0, called: noun) }
    let written = (initializers + processes.map { $0.initializer }).map(\.declared.declaration)
    let needed = Set(written.flatMap { $0.dependencies + $0.after }).subtracting(declared.list.map(\.name))
      .union(processes.filter { !$0.start.after.isEmpty }.map(\.name))
    // What something depends on, and what starts after something, is an initializer that is complete once it has started.
    for index in processes.indices where processes[index].policy.ready == nil && needed.contains(processes[index].name)
    {
      processes[index].declared.policy.ready = .started
    }
    manifest.workers = processes.filter { isSelected($0.profiles) }
    initializers += processes.filter { $0.policy.ready != nil }.map(\.initializer)
    manifest.initializers = initializers.filter { isSelected($0.profiles) }
    let ready = workers.list.filter { isReadyKnown($0) || needed.contains($0.name) }
    findSharedNames(of: ready, and: declared.list)
    if workers.isWhole { findMissingProcesses(among: processes, names: workers.list.map(\.name)) }
    manifest.profiles = Set(initializers.flatMap(\.profiles) + processes.flatMap(\.profiles))
    if fields.isWhole, declared.isWhole, workers.isWhole {
      switch purpose {
      case .supervisor:
        let others = processes.filter { $0.policy.ready == nil }
        findMissingDependencies(
          in: initializers + others.map(\.initializer), names: declared.list.map(\.name) + ready.map(\.name))
      case .worker where declared.list.isEmpty:
        findings.add(
          fields["initializers"]?.value.position ?? root.position, "there are no initializers for this worker",
          "write initializers: { migrate: { command: ./migrate } }")
      case .worker: break
      }
    }
    findMistakenReferences(
      in: initializers + processes.filter { $0.policy.ready == nil }.map(\.initializer),
      isWhole: declared.isWhole && workers.isWhole)
    findSharedVariables(in: initializers)
    findCycles(in: initializers, and: processes.filter { $0.policy.ready == nil }.map(\.initializer))
    if findings.isEmpty { warn(of: manifest.initializers) }
    manifest.warnings = warnings.sorted().findings
    return manifest
  }

  mutating func checkVersion(_ field: Field) {
    guard !field.value.isNull else {
      findings.add(field.value.position, "the version is missing", "write version: 1")
      return
    }
    guard let text = scalar(field, "a number", example: "version: 1") else { return }
    if !field.value.isPlain {
      findings.add(field.value.position, "\"version\" is the text \(quoted(text))", "write version: 1, without quotes")
    } else if text != "1" {
      findings.add(field.value.position, "version \(quoted(text)) is not known", "write version: 1")
    }
  }

  mutating func release(_ field: Field) -> String? {
    guard let text = scalar(field, "text", example: "release: v7") else { return nil }
    guard InitializerName.isValid(text) else {
      findings.add(field.value.position, "\(quoted(text)) cannot be a release", "it \(InitializerName.requirement)")
      return nil
    }
    return text
  }

  /// Reads the groups, and remembers which are declared.
  mutating func groups(_ field: Field) -> [String: Int] {
    let declared = declarations(field, of: "group", example: "{ db: 2 }")
    groups = declared.isWhole ? Set(declared.list.map(\.name)) : nil
    var counts: [String: Int] = [:]
    for group in declared.list { counts[group.name] = integer(group, example: "2") }
    return counts
  }

  /// Reads the ports, and remembers which are declared.
  mutating func ports(_ field: Field) -> [String: DeclaredPort] {
    let declared = declarations(field, of: "port", example: "{ web: 8080 }")
    portNames = declared.isWhole ? Set(declared.list.map(\.name)) : nil
    var ports: [String: DeclaredPort] = [:]
    var owners: [String: String] = [:]
    for entry in declared.list {
      let variable = InputVariableName.port(entry.name)
      if let other = owners.updateValue(entry.name, forKey: variable), other != entry.name {
        findings.add(
          entry.position, "the ports \(quoted(other)) and \(quoted(entry.name)) share the variable \(variable)",
          "rename one of them")
      }
      guard let text = scalar(entry, "a port", example: "\(entry.name): 8080") else { continue }
      ports[entry.name] = DeclaredPort(text)
      if ports[entry.name] == nil {
        findings.add(
          entry.value.position, "\(quoted(text)) is not a port",
          "write a number from 1 to 65535, a first one as 8080+, or auto")
      }
    }
    return ports
  }

  /// Reads the entries of a mapping from names, and checks the names for mistakes and duplicates.
  private mutating func declarations(_ field: Field?, of kind: String, example: String) -> Entries {
    guard let field else { return Entries() }
    guard
      let entries = entries(
        of: field.value, called: quoted(field.name), kind: kind, example: "\(field.name): \(example)")
    else { return Entries(isWhole: false) }
    for entry in entries.list { checkName(entry, of: kind) }
    return entries
  }

  private mutating func checkName(_ entry: Field, of kind: String) {
    guard !InitializerName.isValid(entry.name) else { return }
    findings.add(
      entry.position, "\(quoted(entry.name)) cannot be the name of \(Self.article(kind))",
      "it \(InitializerName.requirement)")
  }

  private static func article(_ kind: String) -> String { kind == "initializer" ? "an initializer" : "a \(kind)" }
}
