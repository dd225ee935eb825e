import InitCore
internal import InitText
internal import InitWords

extension ManifestReader {
  /// Reads one initializer; `nil` only if no part of it can be read.
  mutating func initializer(_ entry: Field) -> Manifest.Initializer? {
    let label = "initializer \(quoted(entry.name))"
    let example = "{ command: [PROGRAM, ARGUMENT] }"
    guard
      let fields = fields(
        of: entry.value, called: label, .initializer, example: example)
    else {
      return nil
    }
    let provider = provider(fields, of: entry, label)
    checkEnvironmentFile(fields["environmentFile"])
    let dependencies = dependencies(fields["dependencies"])
    var declaration = Declaration(entry.name, dependencies: dependencies.map(\.name))
    if let priority = priority(fields, label) { declaration.priority = priority }
    declaration.timeout = fields["timeout"].flatMap { timeout($0) }
    let policy = fields["retry"].flatMap { retryPolicy($0, .retry) }
    if let policy { declaration.retry = policy }
    if let isOptional = fields["optional"].flatMap({ boolean($0) }) { declaration.isOptional = isOptional }
    if let isPerProcess = fields["perProcess"].flatMap({ boolean($0) }) { declaration.isPerProcess = isPerProcess }
    declaration.group = fields["group"].flatMap { group($0) }
    let profiles = profiles(fields["profiles"])
    if let field = fields["worker"], let process = processName(field), InitializerName.isValid(process) {
      declaration.process = process
      references.append(Reference(process: process, profiles: profiles, position: field.value.position))
    }
    let inputs = inputs(fields["inputs"])
    let limit = fields["freshFor"].flatMap { span($0, example: "10m") }
    if limit != nil || !inputs.isEmpty {
      declaration.freshness = Freshness(inputs: inputs.map { InputPattern($0.text) }, limit: limit)
    }
    reportNeverFresh(fields, label)
    if declaration.isPerProcess, let once = fields["once"] {
      findings.add(
        once.position, "\(label) has both once and perProcess",
        "keep one of them: another host can't do what is only in a process's memory")
    }
    return Manifest.Initializer(
      declaration: declaration, provider: provider, description: description(fields),
      condition: fields["when"].flatMap { condition($0) }, inputPositions: inputs.map(\.position),
      isSecret: fields["secret"].flatMap { boolean($0) } ?? false,
      isOnce: fields["once"].flatMap { choice($0, of: Manifest.Scope.self) } != nil,
      profiles: profiles, said: settings(fields), position: entry.position,
      dependencyPositions: dependencies.map(\.position))
  }

  mutating func group(_ field: Field) -> String? {
    guard let name = scalar(field, "a name", example: "group: db"), let groups, !groups.contains(name) else {
      return field.value.text
    }
    if let place = removals["groups"]?[name] {
      findings.add(
        field.value.position, "the group \(quoted(name)) is removed by \(findings.place(place))",
        "remove it here too, or keep it there")
      return nil
    }
    let meant = Suggestion.nearest(to: name, among: groups.sorted()).map { "did you mean \(quoted($0))?" }
    findings.add(
      field.value.position, "unknown group \(quoted(name))",
      meant ?? "declare it at the top: groups: { \(InitializerName.isValid(name) ? name : "db"): 2 }")
    return nil
  }

  /// Reports the mistakes in `defaults`, which `ManifestComposer` has added to the initializers.
  mutating func checkDefaults(_ field: Field?) {
    guard let field else { return }
    let example = "defaults: { timeout: 1m }"
    guard
      let fields = fields(
        of: field.value, called: "\"defaults\"", .defaults, example: example)
    else {
      return
    }
    _ = fields["timeout"].flatMap { timeout($0) }
    _ = fields["retry"].flatMap { retryPolicy($0, .retry) }
    _ = fields["optional"].flatMap { boolean($0) }
    _ = settings(ofCommand: fields)
    _ = fields["workingDirectory"].flatMap { word($0, "a path", example: "./state") }
  }

  mutating func reportNoCommand(_ fields: Fields, of entry: Field, _ label: String) {
    guard fields.isWhole else { return }
    findings.add(entry.position, "\(label) has no command", "write command: [PROGRAM, ARGUMENT]")
  }

  /// Reads the provider of an initializer.
  ///
  /// After a reported mistake, the result isn't used.
  private mutating func provider(_ fields: Fields, of entry: Field, _ label: String) -> Manifest.DeclaredProvider {
    if let waitFor = fields["waitFor"] { return wait(waitFor, fields, label) }
    let worker = fields["worker"]
    let isWorker = worker.flatMap { isRunByWorker($0) }
    let command = command(fields)
    switch (fields["command"], worker) {
    case (let field?, let worker?):
      if isWorker == true {
        findings.add(
          max(field.position, worker.position), "\(label) has both a command and a worker", "keep one of them")
      }
    case (nil, _) where isWorker == true:
      for name in ManifestSection.commandKeys {
        guard let field = fields[name] else { continue }
        findings.add(
          field.position, "\(quoted(name)) is only for commands, but \(label) is run by a worker", "remove it")
      }
    case (nil, _) where purpose == .worker: reportNoCommand(fields, of: entry, label)
    case (nil, _):
      if fields.isWhole, worker == nil || isWorker == false {
        findings.add(
          entry.position, "\(label) has neither a command nor a worker",
          "write command: [PROGRAM, ARGUMENT], worker: true, or waitFor: { tcp: \"localhost:6379\" }")
      }
    case (_?, nil):
      break
    }
    return command.map { .command($0) } ?? .worker
  }

  /// Reads whether a worker runs the initializer: `true`, or the name of its process.
  private mutating func isRunByWorker(_ field: Field) -> Bool? {
    guard let name = processName(field) else { return boolean(field) }
    guard InitializerName.isValid(name) else {
      findings.add(
        field.value.position, "\(quoted(name)) cannot be the name of a process",
        "write worker: true, or the name of a process of workers")
      return nil
    }
    return true
  }

  /// Returns the name of the process that registers an initializer; `nil` if the value isn't a name, or says only that a worker does.
  private func processName(_ field: Field) -> String? {
    guard case .scalar(let text, _) = field.value.content, !field.value.isNull else { return nil }
    return field.value.isPlain && ["true", "false", "yes", "no", "on", "off"].contains(text.lowercased()) ? nil : text
  }

  /// Reads an initializer that waits for something outside of the supervisor (S31).
  private mutating func wait(_ field: Field, _ fields: Fields, _ label: String) -> Manifest.DeclaredProvider {
    for name in ["command", "worker"] {
      guard let other = fields[name] else { continue }
      findings.add(
        max(field.position, other.position), "\(label) has both \(name) and waitFor",
        "keep one of them; what needs both is two initializers, one with the other as its dependency")
    }
    for name in ManifestSection.commandKeys + ["once", "group", "inputs", "freshFor"] {
      guard let other = fields[name] else { continue }
      findings.add(
        other.position, "\(quoted(name)) is only for commands and workers, but \(label) runs nothing: it has waitFor",
        "remove it")
    }
    return probe(field).map { .waitFor($0) } ?? .worker
  }

  /// Reads the program to start; `nil` if there is none.
  mutating func command(_ fields: Fields) -> Manifest.Command? {
    let workingDirectory = fields["workingDirectory"].flatMap { word($0, "a path", example: "./state") }
    let environment = environment(fields["environment"])
    let stop = fields["stop"].flatMap { program($0) }
    let settings = settings(ofCommand: fields)
    guard let program = fields["command"].flatMap({ program($0) }) else { return nil }
    return Manifest.Command(
      arguments: program.arguments, isShell: program.isShell, workingDirectory: workingDirectory,
      environment: environment, stop: stop, settings: settings,
      userPosition: fields["user"]?.value.position ?? .start, position: program.position,
      directoryPosition: fields["workingDirectory"]?.value.position)
  }

  /// Reads a program and its arguments, or a line for the shell; `nil` if it is neither.
  mutating func program(_ field: Field) -> Manifest.Program? {
    guard case .list(let words) = field.value.content else {
      return word(field, "a list or a text", example: "[PROGRAM, ARGUMENT]").map {
        Manifest.Program(arguments: ["/bin/sh", "-c", $0], isShell: true, position: field.value.position)
      }
    }
    if let first = words.first, case .scalar(let program, _) = first.content, program.isEmpty || first.isNull {
      findings.add(first.position, "the \(field.name)'s program is empty", "write \(field.name): [PROGRAM, ARGUMENT]")
    } else if words.isEmpty, field.value.isWhole {
      findings.add(
        field.value.position, "\(quoted(field.name)) is empty", "write \(field.name): [PROGRAM, ARGUMENT]")
    }
    return Manifest.Program(
      arguments: words.compactMap { argument($0) }, isShell: false,
      position: words.first?.position ?? field.value.position)
  }

  private mutating func argument(_ node: YAMLNode) -> String? {
    guard case .scalar(let text, _) = node.content else {
      reportWrong(node, called: "an argument", wanted: "text", example: "a word, or a text in quotes")
      return nil
    }
    return isPassable(text, at: node.position) ? text : nil
  }

  mutating func dependencies(_ field: Field?) -> [(name: String, position: Position)] {
    guard let field else { return [] }
    guard case .list(let elements) = field.value.content else {
      var example = "[NAME]"
      if case .scalar(let text, _) = field.value.content, InitializerName.isValid(text), !field.value.isNull {
        example = "[\(text)]"
      }
      reportWrong(field.value, called: "\"dependencies\"", wanted: "a list", example: "dependencies: \(example)")
      return []
    }
    var lines: [String: Int] = [:]
    var dependencies: [(name: String, position: Position)] = []
    for element in elements {
      guard case .scalar(let name, _) = element.content else {
        reportWrong(element, called: "a dependency", wanted: "a name", example: "an initializer's name")
        continue
      }
      if let line = lines[name] {
        findings.add(element.position, "the dependency \(quoted(name)) is already on line \(line)", "remove it")
      } else {
        lines[name] = element.position.line
        dependencies.append((name, element.position))
      }
    }
    return dependencies
  }

  mutating func timeout(_ field: Field) -> Duration? {
    guard let timeout = duration(field, example: "30s") else { return nil }
    guard timeout > .zero else {
      findings.add(
        field.value.position, "\"timeout\" must be more than 0", "write a longer one, or remove it for no limit"
      )
      return nil
    }
    return timeout
  }

  /// Reads the retry policy (S16).
  ///
  /// A `delay` longer than `maxDelay` is a mistake; it isn't silently shortened.
  mutating func retryPolicy(_ field: Field, _ section: ManifestSection) -> RetryPolicy? {
    let example = "\(field.name): { \(section == .retry ? "attempts: 3, " : "")delay: 1s }"
    guard let fields = fields(of: field.value, called: quoted(field.name), section, example: example) else {
      return nil
    }
    let defaults = RetryPolicy.never
    let attempts = fields["attempts"].map { integer($0, example: "3") } ?? defaults.attempts
    let delay = fields["delay"].map { duration($0, example: "1s") } ?? defaults.delay
    let factor = fields["factor"].map { self.factor($0) } ?? defaults.factor
    let maxDelay = fields["maxDelay"].map { duration($0, example: "30s") } ?? defaults.maxDelay
    guard let delay, let maxDelay else { return nil }
    guard delay <= maxDelay else {
      let unlessSaid = fields["maxDelay"] == nil ? " by default" : ""
      findings.add(
        (fields["maxDelay"] ?? fields["delay"] ?? field).value.position,
        "the delay of \(DurationText.print(delay)) is longer than maxDelay, \(DurationText.print(maxDelay))\(unlessSaid)",
        "write maxDelay: \(DurationText.print(delay)) or more")
      return nil
    }
    guard let attempts, let factor else { return nil }
    return RetryPolicy(attempts: attempts, delay: delay, factor: factor, maxDelay: maxDelay)
  }

  /// Returns the settings that are given; `phase` gives the priority.
  private func settings(_ fields: Fields) -> Set<Manifest.Setting> {
    let given = Manifest.Setting.allCases.filter { fields["\($0)"] != nil }
    return Set(given + (fields["phase"] == nil ? [] : [.priority]))
  }

  /// Reads `phase` and its synonym `priority`; `nil` if neither is given.
  private mutating func priority(_ fields: Fields, _ label: String) -> Priority? {
    let phase = fields["phase"].flatMap { choice($0, of: Phase.self) }
    let priority = fields["priority"].flatMap { choice($0, of: Priority.self) }
    guard let phase, let priority, let field = fields["priority"] else { return phase?.priority ?? priority }
    if phase.priority != priority {
      findings.add(
        field.position, "\(label) has the phase \(phase), but the priority \(priority)", "remove one of them")
    }
    return priority
  }

  mutating func description(_ fields: Fields) -> String? {
    fields["description"].flatMap { scalar($0, "text", example: "description: what it is for") }
  }
}
