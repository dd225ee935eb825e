import InitCore
internal import InitText

extension ManifestReader {
  /// Reads one process to keep running; `nil` if it has no valid command.
  mutating func worker(_ entry: Field) -> Manifest.WorkerEntry? {
    let label = "worker \(quoted(entry.name))"
    let example = "{ command: [PROGRAM, ARGUMENT] }"
    guard
      let fields = fields(
        of: entry.value, called: label, .process, example: example)
    else {
      return nil
    }
    let restart = fields["restart"].flatMap { choice($0, of: Manifest.Restart.self) }
    let backoff = fields["backoff"].flatMap { retryPolicy($0, .backoff) }
    let description = description(fields)
    let profiles = profiles(fields["profiles"])
    checkEnvironmentFile(fields["environmentFile"])
    let dependencies = dependencies(fields["dependencies"])
    let ready = fields["ready"].flatMap { readiness($0) }
    let timeout = fields["timeout"].flatMap { self.timeout($0) }
    let group = fields["group"].flatMap { self.group($0) }
    let onRestart = fields["onRestart"].flatMap { choice($0, of: Manifest.OnRestart.self) }
    for field in ["timeout", "group", "onRestart"].compactMap({ fields[$0] }) where fields["ready"] == nil {
      findings.add(
        field.position, "\(quoted(field.name)) needs \"ready\", but \(label) has none",
        "write how it is known to be ready, e.g. ready: { tcp: \"localhost:6379\" }, or remove it")
    }
    var policy = ProcessPolicy()
    policy.ready = ready?.0
    if let signal = fields["stopSignal"].flatMap({ signal($0) }) { policy.stopSignal = signal }
    policy.stopTimeout = fields["stopTimeout"].flatMap { duration($0, example: "30s") }
    var command = command(fields)
    command?.check = ready?.1
    if fields["command"] == nil { reportNoCommand(fields, of: entry, label) }
    return command.map { command in
      Manifest.WorkerEntry(
        name: entry.name, command: command, restart: restart ?? .onFailure, backoff: backoff ?? .never,
        dependencies: dependencies.map(\.name), dependencyPositions: dependencies.map(\.position), policy: policy,
        timeout: timeout, group: group, onRestart: onRestart ?? .ignore, description: description,
        profiles: profiles, position: entry.position)
    }
  }

  /// Reads the name of a signal that ends a program, with or without `SIG`.
  private mutating func signal(_ field: Field) -> String? {
    guard let text = scalar(field, "a signal", example: "\(field.name): INT") else { return nil }
    guard ManifestSection.signals.contains(text) else {
      let upper = text.uppercased()
      let remedy = ManifestSection.signals.contains(upper) ? "write \(field.name): \(upper)" : nil
      findings.add(
        field.value.position, "\(quoted(text)) is not a signal that ends a program",
        remedy ?? "write e.g. \(field.name): INT, or TERM, QUIT, HUP, USR1, USR2, WINCH or KILL")
      return nil
    }
    return text.hasPrefix("SIG") ? text : "SIG" + text
  }
}

extension Manifest.WorkerEntry {
  /// The start of the process as an initializer, whose run completes when the process is ready.
  var initializer: Manifest.Initializer {
    var declaration = Declaration(name, dependencies: dependencies)
    declaration.timeout = timeout
    declaration.group = group
    declaration.rerunsDependents = onRestart == .rerun
    return Manifest.Initializer(
      declaration: declaration, provider: .process, description: description, condition: nil, inputPositions: [],
      isSecret: false, isOnce: false,
      profiles: profiles, said: timeout == nil ? [] : [.timeout], position: position,
      dependencyPositions: dependencyPositions)
  }
}
