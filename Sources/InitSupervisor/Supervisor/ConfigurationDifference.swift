internal import InitCore
internal import InitDeclarations
internal import InitModel
internal import InitWords

/// The differences between a supervisor's configuration and the configuration that a reload has read (S27): a value.
struct ConfigurationDifference: Equatable {
  /// The differences in one initializer or process, in the manifest's words.
  struct Change: Equatable {
    let name: String
    fileprivate(set) var keys: [String]
    /// The names of the variables that differ.
    var variables: [String] = []
    /// The files of its inputs whose contents differ from those when it completed.
    var files: [String] = []
    /// Whether it restarts nothing, and holds from the next check on.
    var holdsFromNextCheck = false
    /// Whether the work differs; otherwise the change takes effect at the next run.
    fileprivate(set) var isWork: Bool
  }

  /// The differences of initializers, or of kept processes.
  struct Parts: Equatable {
    /// The new names, in the new order.
    fileprivate(set) var added: [String] = []
    /// The changed names, in the new order.
    fileprivate(set) var changed: [Change] = []
    /// The names that are gone, in the old order.
    fileprivate(set) var removed: [String] = []
    /// The unchanged names.
    fileprivate(set) var unchanged: [String] = []

    /// Whether there is no difference.
    var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }
  }

  private(set) var initializers: Parts
  let processes: Parts
  /// The processes that are also initializers, before or now (S32).
  private let startable: Set<String>
  /// The changed settings, in the manifest's words.
  let settings: [String]
  /// The keys of initializers that mean other work.
  private let workWords: Set<String>

  /// Compares two configurations in linear time.
  init(from old: SupervisorConfiguration, to new: SupervisorConfiguration, _ keys: DeclarationKeys) {
    let (before, after) = (old.commonVariables, new.commonVariables)
    // A variable that is declared now, but was inherited with the same value, is the same for each command.
    let common = Set(before.keys).union(after.keys).filter {
      before[$0] != after[$0] || old.declaredEnvironment[$0] != new.declaredEnvironment[$0]
    }
    let ofInitializer = InitializerDefinition.keys(keys)
    workWords = Set(ofInitializer.filter(\.isWork).map(\.word) + ["definition"])
    initializers = Parts(
      from: InitializerDefinition.all(of: old, common), to: InitializerDefinition.all(of: new, common), ofInitializer,
      name: \.initializer.declaration.name, environment: \.environment)
    processes = Parts(
      from: old.workers.map { $0.completed(by: old, common) }, to: new.workers.map { $0.completed(by: new, common) },
      keys.ofProcess, name: \.name, environment: \.command.environment)
    startable = Set((old.initializers + new.initializers).lazy.filter(\.isProcess).map(\.declaration.name))
    var (settingsBefore, settingsAfter) = (old.settings, new.settings)
    // The initializers that processes need follow from other differences.
    (settingsBefore.machine.only, settingsAfter.machine.only) = ([], [])
    var words =
      DeclarationKey.difference(from: settingsBefore, to: settingsAfter, keys.settings, rest: "settings").words
    if old.environment != new.environment, !words.contains("environment") { words.append("environment") }
    settings = words
  }

  /// Whether there is no difference.
  var isEmpty: Bool { initializers.isEmpty && processes.isEmpty && settings.isEmpty }

  /// The names of initializers and processes that are new, or have other work.
  var namesOfOtherWork: Set<String> {
    [initializers, processes].reduce(into: []) { names, parts in
      names.formUnion(parts.added)
      names.formUnion(parts.changed.lazy.filter(\.isWork).map(\.name))
    }
  }

  /// Counts a changed condition as other work for initializers that are skipped because of the previous condition: the new one is checked
  /// (S29).
  mutating func checkAgain(_ skipped: Set<String>) {
    for index in initializers.changed.indices {
      let change = initializers.changed[index]
      if change.keys.contains("when") || change.keys.contains("unless"), skipped.contains(change.name) {
        initializers.changed[index].isWork = true
      }
    }
  }

  /// Counts changed contents of inputs as other work for initializers that have completed (S27): the files, by the initializers.
  mutating func noteInputs(_ files: [String: [String]]) {
    guard !files.isEmpty else { return }
    for index in initializers.changed.indices {
      guard let changed = files[initializers.changed[index].name] else { continue }
      if !initializers.changed[index].keys.contains("inputs") { initializers.changed[index].keys.append("inputs") }
      initializers.changed[index].files = changed
      initializers.changed[index].isWork = true
    }
    for name in initializers.unchanged {
      guard let changed = files[name] else { continue }
      initializers.changed.append(Change(name: name, keys: ["inputs"], files: changed, isWork: true))
    }
    initializers.unchanged.removeAll { files[$0] != nil }
  }

  /// Returns the waiting initializers with a changed target but otherwise the same work: their runs continue with the new target (S31), so
  /// they needn't run again.
  func corrected(among waiting: Set<String>) -> Set<String> {
    Set(
      initializers.changed.lazy.filter {
        waiting.contains($0.name) && $0.keys.filter(workWords.contains) == ["waitFor"]
      }.map(\.name))
  }

  /// The answer to `reload`.
  var result: ConfigurationChanges {
    var result = ConfigurationChanges()
    for parts in listed {
      result.added += parts.added
      result.removed += parts.removed
      let later = parts.changed.filter { !$0.isWork && !$0.holdsFromNextCheck }
      let changed = parts.changed.filter { $0.isWork || $0.holdsFromNextCheck }
      result.unchanged += parts.unchanged.count + later.count
      result.changed += changed.map(\.told)
      result.fromNextRun += later.map(\.told)
    }
    result.settings = settings
    return result
  }

  /// The changes that the answer lists; a process that is also an initializer is listed once.
  private var listed: [Parts] {
    guard !startable.isEmpty else { return [initializers, processes] }
    var ofInitializers = initializers
    var ofProcesses = processes
    // A process that existed before has changed, even if it became an initializer or no longer is one.
    let kept = Set(processes.changed.map(\.name)).intersection(startable)
    ofInitializers.added.removeAll(where: kept.contains)
    ofInitializers.removed.removeAll(where: kept.contains)
    let told = startable.subtracting(kept.subtracting(initializers.changed.map(\.name)))
    ofProcesses.added.removeAll(where: told.contains)
    ofProcesses.changed.removeAll { told.contains($0.name) }
    ofProcesses.removed.removeAll(where: told.contains)
    ofProcesses.unchanged.removeAll(where: told.contains)
    return [ofInitializers, ofProcesses]
  }
}

extension ConfigurationDifference.Parts {
  /// Compares definitions by their names, which are unique in each list.
  fileprivate init<Definition: Hashable>(
    from old: [Definition], to new: [Definition], _ keys: [DeclarationKey<Definition>], name: (Definition) -> String,
    environment: (Definition) -> [String: String]
  ) {
    let checks = Set(keys.lazy.filter(\.holdsFromNextCheck).map(\.word))
    let before = Dictionary(old.map { (name($0), $0) }) { first, _ in first }
    for definition in new {
      let name = name(definition)
      guard let earlier = before[name] else {
        added.append(name)
        continue
      }
      let (words, isWork) = DeclarationKey.difference(from: earlier, to: definition, keys)
      if words.isEmpty {
        unchanged.append(name)
      } else {
        let (before, after) = (environment(earlier), environment(definition))
        let variables = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        changed.append(
          ConfigurationDifference.Change(
            name: name, keys: words, variables: words.contains("environment") ? variables : [],
            holdsFromNextCheck: words.contains(where: checks.contains), isWork: isWork))
      }
    }
    let after = Set(new.map(name))
    removed = old.map(name).filter { !after.contains($0) }
  }
}

extension ConfigurationDifference.Change {
  /// The change as the answer tells it.
  fileprivate var told: ConfigurationChanges.Change {
    ConfigurationChanges.Change(
      name: name, keys: keys, variables: variables,
      files: files.first.map { ConfigurationChanges.Change.Files(count: files.count, example: $0) })
  }
}

extension InitializerDefinition {
  /// The variables of its command, or of the process that it starts.
  fileprivate var environment: [String: String] {
    (initializer.command ?? process?.command)?.environment ?? [:]
  }

  /// Returns the definitions of a configuration; `common` is the variables of all commands that differ.
  fileprivate static func all(of settings: SupervisorConfiguration, _ common: Set<String>) -> [InitializerDefinition] {
    let started = Set(settings.initializers.lazy.filter(\.isProcess).map(\.declaration.name))
    let processes = Dictionary(
      settings.workers.lazy.filter { started.contains($0.name) }.map {
        ($0.name, $0.completed(by: settings, common))
      }
    ) { first, _ in first }
    return settings.initializers.map {
      var definition = InitializerDefinition($0, in: settings, common)
      if $0.isProcess { definition.process = processes[$0.declaration.name] }
      return definition
    }
  }

  /// Adds an initializer's settings from the configuration; `common` are the variables of all commands that differ.
  init(_ initializer: DeclaredInitializer, in settings: SupervisorConfiguration, _ common: Set<String>) {
    self.initializer = initializer
    self.initializer.command?.inherit(common, from: settings)
    self.initializer.command?.addPorts(initializer.command?.references ?? [], from: settings)
    if let probe = initializer.probe, !probe.references.isEmpty {
      self.initializer.probe?.written = settings.ports(in: probe.references).sorted { $0.key < $1.key }.description
    }
    release = initializer.isOnce ? settings.release ?? "" : nil
    if initializer.command == nil, let name = initializer.condition?.variable?.name, common.contains(name) {
      conditionVariable = settings.commonVariables[name]
    }
  }
}

extension DeclaredWorker {
  /// Returns the process with the variables of all commands that differ; its start is compared as an initializer.
  fileprivate func completed(by settings: SupervisorConfiguration, _ common: Set<String>) -> DeclaredWorker {
    var process = self
    process.start = Declaration(name)
    process.command.inherit(common, from: settings)
    process.command.addPorts(references, from: settings)
    return process
  }
}

extension SupervisorConfiguration {
  /// Returns the entries of the ports in these references, by the names of their variables.
  fileprivate func ports(in references: [ValueReference]) -> [String: String] {
    references.reduce(into: [:]) { entries, reference in
      guard case .port(let name) = reference else { return }
      entries[InputVariableName.port(name)] = ports[name].map { "\($0)" }
    }
  }
}

extension Command {
  /// Adds the variables of the ports to which it refers: what refers to a changed one has other work (S36).
  fileprivate mutating func addPorts(_ references: [ValueReference], from settings: SupervisorConfiguration) {
    guard !settings.ports.isEmpty else { return }
    var ports = settings.ports(in: references)
    // A line for the shell refers to them by their variables.
    for (name, port) in settings.ports {
      let variable = InputVariableName.port(name)
      if arguments.contains(where: { $0.hasWord(variable) }) { ports[variable] = "\(port)" }
    }
    environment.merge(ports) { own, _ in own }
  }

  /// Adds these variables of all commands, unless the command has its own.
  fileprivate mutating func inherit(_ names: Set<String>, from settings: SupervisorConfiguration) {
    for name in names where environment[name] == nil { environment[name] = settings.environment[name] }
  }
}

extension String {
  /// Returns whether a variable occurs in the text, and not only as a part of a longer one.
  fileprivate func hasWord(_ variable: String) -> Bool {
    split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == variable }
  }
}
