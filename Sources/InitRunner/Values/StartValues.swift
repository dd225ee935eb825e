internal import AppInitializers
internal import InitCore
package import InitDeclarations
package import InitJSON
internal import InitProcesses
internal import InitWire
internal import InitWords
package import Logging
internal import WireConversions

/// The values that a program gets when it starts: outputs of initializers, as JSON (S25, S35).
///
/// Everything that the supervisor starts gets its values here: commands and their stops, processes and their checks, and the app. A request
/// for an environment gets the same.
package struct StartValues {
  /// The outputs, by the names of their initializers.
  package let outputs: [String: RawJSON]
  /// The initializers whose outputs are secret.
  private let secret: Set<String>
  private let ports: Ports
  /// The references that the program's texts have.
  private let references: [ValueReference]

  /// Takes the outputs that can be passed on to a program.
  ///
  /// A Swift value that isn't `Encodable` can be passed only to Swift objects. If an `Encodable` value can't be encoded, the log says so.
  package init(
    _ outputs: [String: any Sendable], _ ports: Ports = Ports(), _ references: [ValueReference] = [],
    for program: String,
    limit: Int, logger: Logger
  ) {
    var found: [String: RawJSON] = [:]
    var secret: Set<String> = []
    for (name, value) in outputs {
      do {
        let output = try RunOutput(passingOn: value, limit: limit)
        found[name] = output?.value
        if output?.isSecret == true { secret.insert(name) }
      } catch {
        // The encoding error could contain the secret.
        let reason = value is any AnySecret ? "it can't be written as JSON" : "\(error)"
        logger.warning("cannot pass the output of \(name) to \(program): \(reason)")
      }
    }
    self.outputs = found
    self.ports = ports
    self.references = references
    self.secret = secret
  }

  /// Returns the environment variables with the outputs of these dependencies.
  ///
  /// - Throws: the cause, if no variable can hold one of them.
  func variables(of dependencies: [String]) throws(Cause) -> [EnvironmentBlock.Variable] {
    let wanted = Set(dependencies)
    let inputs = InputVariables(outputs.filter { wanted.contains($0.key) })
    if let fault = inputs.fault { throw .error(message: fault) }
    return inputs.variables
  }

  // MARK: References (S35)

  /// Returns a text with the values of its references; in a path, an absolute value replaces what stands before it.
  ///
  /// - Throws: the cause, if a value isn't there.
  func text(_ text: String, isPath: Bool = false) throws(Cause) -> String {
    guard ValueReference.mayBe(in: text) else { return text }
    var result = ""
    for part in ValueReference.parts(of: text) {
      switch part {
      case .text(let text): result += text
      case .value(let reference):
        let value = try value(of: reference)
        result = isPath && value.hasPrefix("/") && result.hasSuffix("/") ? value : result + value
      }
    }
    return result
  }

  /// Returns a command with the values of its references.
  ///
  /// - Throws: the cause, if a value isn't there.
  func command(_ declared: Command) throws(Cause) -> Command {
    guard declared.mayRefer else { return declared }
    var command = declared
    command.arguments = try words(declared.arguments)
    command.stop = try declared.stop.map { (stop) throws(Cause) in try words(stop) }
    command.directory = try declared.directory.map { (path) throws(Cause) in try text(path, isPath: true) }
    for (name, value) in declared.environment where ValueReference.mayBe(in: value) {
      command.environment[name] = try text(value)
    }
    return command
  }

  /// Returns the variables whose values are all there.
  func known(in environment: [String: String]) -> [String: String] {
    environment.compactMapValues { try? text($0) }
  }

  private func words(_ words: [String]) throws(Cause) -> [String] {
    var words = words
    for (index, word) in words.enumerated() where ValueReference.mayBe(in: word) {
      words[index] = try text(word, isPath: index == 0)
    }
    return words
  }

  /// Returns a probe with the values of its references; secret ones aren't shown in its messages.
  ///
  /// - Throws: the cause, if a value isn't there, or no target can be made of it.
  func probe(_ declared: Probe) throws(Cause) -> Probe {
    var probe = declared
    let written = "\(declared.target)"
    if ValueReference.all(in: written).contains(where: isSecret) { probe.written = written }
    switch declared.target {
    case .tcp, .http: break
    case .unix(let path): probe.target = .unix(try text(path, isPath: true))
    case .path(let path): probe.target = .path(try text(path, isPath: true))
    case .command(let arguments): probe.target = .command(try words(arguments))
    case .later(let text, let statuses):
      let value = try self.text(text)
      do throws(Endpoint.Mistake) {
        if let statuses {
          var page = try HTTPTarget.parse(value)
          page.statuses = statuses
          probe.target = .http(page)
        } else {
          probe.target = .tcp(try Endpoint.parse(value))
        }
      } catch {
        let problem = probe.written == nil ? error.problem : "the value is neither a port nor a URL"
        throw .error(message: "cannot wait for \(written): \(problem)")
      }
    }
    return probe
  }

  /// Returns a message in which the references stand for the secret values of the program's texts.
  func hidingSecrets(in message: String) -> String {
    references.filter(isSecret).reduce(message) { message, reference in
      guard let value = try? value(of: reference), !value.isEmpty else { return message }
      return message.replacing(each: value, by: "\(reference)")
    }
  }

  private func isSecret(_ reference: ValueReference) -> Bool {
    if case .output(let name, _) = reference { secret.contains(name) } else { false }
  }

  private func value(of reference: ValueReference) throws(Cause) -> String {
    switch reference {
    case .output(let name, let pointer):
      guard let output = outputs[name] else { throw .error(message: "\(name) has no output") }
      guard let part = output.part(at: pointer) else {
        throw .error(message: "the output of \(name) has no \(pointer)")
      }
      let text = part.string ?? String(decoding: part.bytes, as: UTF8.self)
      guard !text.utf8.contains(0) else { throw .error(message: "the output of \(name) has a NUL") }
      return text
    case .port(let name): return "\(try ports.number(of: name))"
    }
  }
}

extension RawJSON {
  /// Returns the part of the value at a JSON Pointer; `nil` if there is none.
  fileprivate func part(at pointer: String) -> RawJSON? {
    var part = self
    for step in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let key = String(step).replacing(each: "~1", by: "/").replacing(each: "~0", by: "~")
      guard let next = part.child(key) else { return nil }
      part = next
    }
    return part
  }

  /// Returns the member of an object, or the element of an array, with this key.
  private func child(_ key: String) -> RawJSON? {
    guard kind == .array else { return self[key] }
    guard let index = Int(key), "\(index)" == key, index >= 0 else { return nil }
    return values.dropFirst(index).first { _ in true }
  }
}

extension String {
  /// Returns this text with another one in each place of a text that isn't empty.
  fileprivate func replacing(each text: String, by other: String) -> String {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let first = rest.first {
      let isPlace = rest.starts(with: text.utf8)
      if isPlace { bytes += other.utf8 } else { bytes.append(first) }
      rest = rest.dropFirst(isPlace ? text.utf8.count : 1)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension RunnerContext {
  /// Returns these outputs, and the last ones of the initializers in these references, as the values of a program.
  func values(
    _ outputs: [String: any Sendable], of references: [ValueReference] = [], for program: String
  ) -> StartValues {
    let others = references.compactMap(\.initializer).filter { outputs[$0] == nil }
    let all = others.isEmpty ? outputs : outputs.merging(manager.use { $0.outputs(of: others) }) { first, _ in first }
    return StartValues(all, ports, references, for: program, limit: settings.limits.outputBytes, logger: logger)
  }

  /// Returns the last outputs of these initializers, and of those in these references, as the values of a program that isn't a run.
  func lastValues(of initializers: [String], _ references: [ValueReference] = [], for program: String) -> StartValues {
    values(manager.use { $0.outputs(of: initializers) }, of: references, for: program)
  }
}
