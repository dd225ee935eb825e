internal import InitCore
internal import InitDeclarations
internal import InitText
internal import InitWords

extension ManifestReader {
  /// Reads one initializer; `nil` only if no part of it can be read.
  mutating func initializer(_ entry: Field) -> Manifest.Entry<DeclaredInitializer>? {
    let label = "initializer \(quoted(entry.name))"
    let example = "{ command: [PROGRAM, ARGUMENT] }"
    guard let fields = fields(of: entry.value, called: label, .initializer, example: example) else { return nil }
    var read = Manifest.Entry(DeclaredInitializer(Declaration(entry.name)), at: entry.position)
    readProvider(fields, of: entry, label, into: &read)
    // With waitFor, the keys of commands have been refused.
    let refused = fields["waitFor"] == nil ? [] : Set(ManifestSection.commandKeys).subtracting(["environmentFile"])
    readRows(ManifestSection.initializerRows, fields, into: &read) { !refused.contains($0) }
    if let priority = priority(fields, label) { read.declared.declaration.priority = priority }
    if let field = fields["worker"], let process = processName(field), InitializerName.isValid(process) {
      read.declared.declaration.process = process
      references.append(Reference(process: process, profiles: read.profiles, position: field.value.position))
    }
    let inputs = inputs(fields["inputs"])
    let limit = fields["freshFor"].flatMap { span($0, example: "10m") }
    let freshness = Freshness(
      inputs: inputs.map { InputPattern($0.text) }, limit: limit, isEver: fields["once"]?.value.text == "ever")
    read.declared.declaration.freshness = freshness.isEmpty ? nil : freshness
    read.inputPositions = inputs.map(\.position)
    reportNeverFresh(fields, label)
    read.references = takeReferences()
    if freshness.isEver {
      reportNotEver(fields, read, label)
    } else if read.declaration.isPerProcess, let once = fields["once"] {
      findings.add(
        once.position, "\(label) has both once and perProcess",
        "keep one of them: another host can't do what is only in a process's memory")
    }
    return read
  }

  /// Reads the keys of an entry that are given, in the order of the rows; `isRead` gets the name of each.
  mutating func readRows<Declared: Sendable>(
    _ rows: [ManifestRow<Declared>], _ fields: Fields, into entry: inout Manifest.Entry<Declared>,
    where isRead: (String) -> Bool = { _ in true }
  ) {
    for row in rows {
      guard let field = fields[row.key.name], isRead(field.name) else { continue }
      if entry.given[field.name] == nil { entry.given[field.name] = field.value.position }
      row.read(&self, field, &entry)
    }
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
    let names = Set(ManifestSection.defaults.keys.map(\.name))
    var scratch = Manifest.Entry(
      DeclaredInitializer(Declaration("defaults"), command: Command([])), at: field.position)
    readRows(ManifestSection.initializerRows, fields, into: &scratch) { names.contains($0) }
  }

  mutating func reportNoCommand(_ fields: Fields, of entry: Field, _ label: String) {
    guard fields.isWhole else { return }
    findings.add(entry.position, "\(label) has no command", "write command: [PROGRAM, ARGUMENT]")
  }

  /// Reads the provider of an initializer.
  ///
  /// After a reported mistake, the result isn't used.
  private mutating func readProvider(
    _ fields: Fields, of entry: Field, _ label: String, into read: inout Manifest.Entry<DeclaredInitializer>
  ) {
    if let waitFor = fields["waitFor"] {
      read.declared.probe = wait(waitFor, fields, label)
      return
    }
    let worker = fields["worker"]
    let isWorker = worker.flatMap { isRunByWorker($0) }
    read.declared.command = fields["command"].flatMap { program($0, of: &read) }.map { Command($0) }
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
  private mutating func wait(_ field: Field, _ fields: Fields, _ label: String) -> Probe? {
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
    return probe(field)
  }

  /// Reads a program and its arguments, or a line for the shell; `nil` if it is neither.
  ///
  /// The entry gets the program's position, and whether it is a text.
  mutating func program<Declared: Sendable>(
    _ field: Field, of entry: inout Manifest.Entry<Declared>
  ) -> [String]? {
    note(field, as: field.name, in: &entry)
    return arguments(field)
  }

  /// Notes the position of a program, and whether it is a text, in its entry.
  func note<Declared: Sendable>(_ field: Field, as name: String, in entry: inout Manifest.Entry<Declared>) {
    if case .list(let words) = field.value.content {
      entry.given[name] = words.first?.position ?? field.value.position
    } else {
      entry.given[name] = field.value.position
      entry.texts.insert(name)
    }
  }

  /// Reads a program and its arguments, or a line for the shell; `nil` if it is neither.
  mutating func arguments(_ field: Field) -> [String]? {
    guard case .list(let words) = field.value.content else {
      guard let text = word(field, "a list or a text", example: "[PROGRAM, ARGUMENT]") else { return nil }
      reportReferences(inShell: text, at: field.value.position)
      return ["/bin/sh", "-c", text]
    }
    if let first = words.first, case .scalar(let program, _) = first.content, program.isEmpty || first.isNull {
      findings.add(first.position, "the \(field.name)'s program is empty", "write \(field.name): [PROGRAM, ARGUMENT]")
    } else if words.isEmpty, field.value.isWhole {
      findings.add(
        field.value.position, "\(quoted(field.name)) is empty", "write \(field.name): [PROGRAM, ARGUMENT]")
    }
    return words.compactMap { argument($0) }
  }

  private mutating func argument(_ node: YAMLNode) -> String? {
    guard case .scalar(let text, _) = node.content else {
      reportWrong(node, called: "an argument", wanted: "text", example: "a word, or a text in quotes")
      return nil
    }
    return isPassable(text, at: node.position) ? noting(text, at: node.position) : nil
  }

  /// Reads the names of other initializers; the entry gets their positions.
  mutating func names<Declared: Sendable>(
    _ key: NamesKey, _ field: Field, in entry: inout Manifest.Entry<Declared>
  ) -> [String] {
    guard case .list(let elements) = field.value.content else {
      var example = "[NAME]"
      if case .scalar(let text, _) = field.value.content, InitializerName.isValid(text), !field.value.isNull {
        example = "[\(text)]"
      }
      reportWrong(field.value, called: quoted(field.name), wanted: "a list", example: "\(field.name): \(example)")
      return []
    }
    var lines: [String: Int] = [:]
    var names: [String] = []
    var positions: [Position] = []
    for element in elements {
      guard case .scalar(let name, _) = element.content else {
        reportWrong(element, called: "a \(key.noun)", wanted: "a name", example: "an initializer's name")
        continue
      }
      if let line = lines[name] {
        findings.add(element.position, "the \(key.noun) \(quoted(name)) is already on line \(line)", "remove it")
      } else {
        lines[name] = element.position.line
        names.append(name)
        positions.append(element.position)
      }
    }
    entry.namePositions[key.rawValue] = positions
    return names
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

  mutating func description(_ field: Field) -> String? {
    scalar(field, "text", example: "description: what it is for")
  }
}
