internal import InitCore
internal import InitDeclarations
internal import InitText

extension ManifestReader {
  /// Reads one process to keep running; `nil` if it has no valid command.
  mutating func process(_ entry: Field, called noun: String) -> Manifest.Entry<DeclaredWorker>? {
    let label = "\(noun) \(quoted(entry.name))"
    let example = "{ command: [PROGRAM, ARGUMENT] }"
    guard
      let fields = fields(
        of: entry.value, called: label, .process, example: example)
    else {
      return nil
    }
    var read = Manifest.Entry(
      DeclaredWorker(entry.name, command: Command([]), restart: .onFailure, pauses: .never), at: entry.position)
    let arguments = fields["command"].flatMap { program($0, of: &read) }
    read.declared.command.arguments = arguments ?? []
    readRows(ManifestSection.processRows, fields, into: &read)
    read.declared.start.dependencies = read.dependencies
    read.references = takeReferences()
    for field in ManifestSection.keysOfStart.compactMap({ fields[$0] }) where fields["ready"] == nil {
      findings.add(
        field.position, "\(quoted(field.name)) needs \"ready\", but \(label) has none",
        "write how it is known to be ready, e.g. ready: { tcp: \"localhost:6379\" }, or remove it")
    }
    if fields["command"] == nil { reportNoCommand(fields, of: entry, label) }
    return arguments == nil ? nil : read
  }

  /// Reads the name of a signal that ends a program, with or without `SIG`.
  mutating func signal(_ field: Field) -> String? {
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

extension Manifest.Entry<DeclaredWorker> {
  /// The start of the process as an initializer, whose run completes when the process is ready.
  var initializer: Manifest.Entry<DeclaredInitializer> {
    var initializer = Manifest.Entry(DeclaredInitializer(declared.start, isProcess: true), at: position)
    initializer.description = description
    initializer.profiles = profiles
    initializer.given = given.filter { $0.key == "timeout" }
    initializer.namePositions = namePositions
    initializer.references = references
    return initializer
  }
}
