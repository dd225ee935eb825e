internal import InitCore
internal import InitDeclarations
internal import InitJSON
internal import InitModel
internal import InitText
internal import InitWire
internal import InitWords

/// Reads the fuzzer's bytes as a manifest. For any bytes:
/// 1. The parser doesn't crash, hang or leak, and the same bytes give the same result.
/// 2. Findings are lines that are safe for a terminal, in order, each with a position in the text.
/// 3. A byte order mark and the kind of line endings change nothing.
/// 4. A manifest without findings is valid, and its report lists all initializers in an order that can be executed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let reading = read(bytes)
  demand(read(bytes) == reading, "the same bytes give another result")
  checkAppearance(of: bytes, reading)
  switch reading {
  case .failure(let errors): check(errors, of: bytes)
  case .success(let manifest):
    checkPromises(of: manifest)
    checkReport(of: manifest)
  }
  return 0
}

/// The file's name is also hostile.
private let file = "in\u{1B}[2Jit\n.yaml"

private func read(_ bytes: [UInt8]) -> Result<Manifest, ManifestErrors> {
  Result { () throws(ManifestErrors) in try Manifest.parse(bytes, file: file) }
}

private func checkAppearance(of bytes: [UInt8], _ reading: Result<Manifest, ManifestErrors>) {
  let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  if !bytes.starts(with: mark) { demand(read(mark + bytes) == reading, "a byte order mark makes a difference") }
  guard !bytes.contains(UInt8(ascii: "\r")) else { return }
  let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  demand(read(Array(lines.joined(separator: Array("\r\n".utf8)))) == reading, "CR LF makes a difference")
}

/// Returns whether no character of the text moves the cursor, ends a line, or reorders or hides other text.
private func isPlain(_ text: some StringProtocol) -> Bool {
  text.unicodeScalars.allSatisfy { scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    case .spaceSeparator: scalar == " "
    default: true
    }
  }
}

// MARK: Findings

private func check(_ errors: ManifestErrors, of bytes: [UInt8]) {
  let findings = errors.findings
  demand((1...1000).contains(findings.count), "\(findings.count) findings")
  demand(zip(findings, findings.dropFirst()).allSatisfy { $0.position <= $1.position }, "findings out of order")
  let lengths = lineLengths(of: bytes)
  for finding in findings {
    demand(isPlain(finding.description), "a finding isn't one plain line: \(finding)")
    demand(!finding.problem.isEmpty && !finding.remedy.isEmpty, "a finding has no text: \(finding)")
    demand((1...lengths.count).contains(finding.line), "there is no such line, of \(lengths.count): \(finding)")
    let length = lengths[finding.line - 1]
    demand((1...length + 1).contains(finding.column), "there is no such column, of \(length): \(finding)")
  }
}

/// Returns the number of characters of each line; invalid bytes count as their replacement characters.
private func lineLengths(of bytes: [UInt8]) -> [Int] {
  let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  // A line ending is one Character, even if it has two scalars.
  let lines = String(decoding: text, as: UTF8.self).split(omittingEmptySubsequences: false) { character in
    ["\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"].contains(character)
  }
  return lines.map(\.unicodeScalars.count)
}

// MARK: Manifests without findings

private func checkPromises(of manifest: Manifest) {
  demand(manifest.settings.machine.concurrency >= 1, "concurrency \(manifest.settings.machine.concurrency)")
  var durations = [manifest.settings.machine.registrationTimeout, manifest.settings.machine.cancelGrace]
  for initializer in manifest.initializers {
    let declaration = initializer.declaration
    demand(isName(declaration.name), "\(declaration.name) isn't a valid name")
    for key in NamesKey.allCases {
      demand(initializer.names(key).count == key.names(of: declaration).count, "a name in \(key) without a position")
    }
    demand(Set(declaration.dependencies).count == declaration.dependencies.count, "a dependency is listed twice")
    demand(declaration.timeout != .zero, "a timeout that no run can keep")
    check(declaration.retry)
    durations += [declaration.timeout, declaration.retry.delay, declaration.retry.maxDelay].compactMap(\.self)
    if let command = initializer.command { check(command, isText: initializer.texts.contains("command")) }
  }
  for worker in manifest.workers {
    demand(isName(worker.name), "\(worker.name) isn't a valid name")
    check(worker.pauses)
    check(worker.command, isText: worker.texts.contains("command"))
  }
  check(manifest.settings.environment)
  for duration in durations {
    demand((.zero...DurationText.longest).contains(duration), "a duration of \(duration)")
    demand(
      (try? DurationText.parse(DurationText.print(duration))) == duration, "\(duration) is printed as another duration")
  }
  let names = manifest.initializers.map(\.declaration.name)
  demand(Set(names).count == names.count, "two initializers have the same name")
  demand(Set(manifest.workers.map(\.name)).count == manifest.workers.count, "two workers have the same name")
}

private func isName(_ text: String) -> Bool {
  let isWord = { (character: Character) in character.isASCII && (character.isLetter || character.isNumber) }
  return (1...128).contains(text.count) && isWord(text[text.startIndex])
    && text.allSatisfy { isWord($0) || "._:/@+-".contains($0) }
}

private func check(_ policy: RetryPolicy) {
  demand(policy.attempts >= 1 && policy.delay <= policy.maxDelay && (1...1000).contains(policy.factor), "\(policy)")
}

private func check(_ command: Command, isText: Bool) {
  demand(command.arguments.first?.isEmpty == false, "a command without a program")
  demand(!isText || command.arguments.starts(with: ["/bin/sh", "-c"]), "a shell command without a shell")
  let texts = command.arguments + [command.directory].compactMap(\.self)
  demand(texts.allSatisfy { !$0.utf8.contains(0) }, "a NUL in a command")
  check(command.environment)
}

private func check(_ environment: [String: String]) {
  for variable in environment {
    demand(!variable.key.isEmpty && !variable.key.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "=") }, "\(variable)")
    demand(!variable.value.utf8.contains(0), "a NUL in a variable")
  }
}

/// Checks that every initializer is listed under its phase, after its dependencies.
private func checkReport(of manifest: Manifest) {
  let report = manifest.checkReport()
  demand(report.hasSuffix("\n"), "the report doesn't end its last line")
  let lines = report.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
  demand(lines.allSatisfy(isPlain), "the report isn't made of plain lines: \(report)")
  let declarations = Dictionary(
    uniqueKeysWithValues: manifest.initializers.map { ($0.declaration.name, $0.declaration) })
  var listed: [String: Set<String>] = [:]
  var section = ""
  // A command's program and arguments have a line of their own, which is indented further.
  for line in lines.dropFirst() where !line.hasPrefix("    ") {
    guard line.hasPrefix("  ") else {
      section = String(line.prefix { $0 != ":" })
      continue
    }
    let name = String(line.dropFirst(2).prefix { $0 != " " })
    guard let declaration = declarations[name], section != "processes" else {
      demand(section == "processes" && manifest.workers.contains { $0.name == name }, "the report names \(name)")
      continue
    }
    for dependency in declaration.dependencies {
      let isEarlier = section == "active" && declarations[dependency]?.priority == .appLaunch
      demand(isEarlier || listed[section]?.contains(dependency) == true, "\(name) is listed before \(dependency)")
    }
    demand(listed[section, default: []].insert(name).inserted, "the report names \(name) twice")
  }
  for (name, declaration) in declarations {
    demand(
      listed[declaration.priority == .appLaunch ? "launch" : "active"]?.contains(name) == true,
      "the report doesn't name \(name)")
  }
}
