import InitCore
import InitManifest
import InitSupervisor
import InitText
import InitWords
import Platform

/// Reads the files of a manifest, and applies it to a configuration.
enum ManifestFile {
  /// Why a manifest can't be used.
  enum Fault: Error {
    /// The file can't be read, and why.
    case unreadable(String)
    /// The files have mistakes.
    case bad(ManifestErrors)
    /// A selected profile that no entry has, and the remedy.
    case unknownProfile(String)
  }

  /// Reads and checks a manifest: its files, and all files that they name.
  ///
  /// `acceptsInput` is true if `-` means standard input. `limit` says how many initializers it may declare.
  static func read(
    _ files: ManifestFiles, for purpose: Manifest.Purpose = .supervisor, acceptsInput: Bool = false, limit: Int
  ) throws(Fault) -> Manifest {
    do throws(ManifestFiles.Fault) {
      let manifest = try Manifest.compose(files, for: purpose) { path throws(ManifestFiles.Unreadable) in
        let bytes = acceptsInput && path == "-" ? try bytesOfInput() : try bytes(of: path)
        return ManifestFiles.Contents(bytes, in: Path.directory(of: path))
      }
      guard manifest.initializers.count <= limit else {
        throw .mistakes(
          ManifestErrors(findings: [
            manifest.finding(
              at: manifest.initializers[limit].position,
              problem: "there are \(manifest.initializers.count) initializers; the limit is \(limit)",
              remedy: "remove some, or raise the limit with --limit initializers=N")
          ]))
      }
      return manifest
    } catch {
      switch error {
      case .unreadable(let unreadable): throw .unreadable(unreadable.why)
      case .mistakes(let errors): throw .bad(errors)
      case .unknownProfile(let name, let remedy):
        throw .unknownProfile("unknown profile \(TerminalText.quote(name)): no initializer or worker has it; \(remedy)")
      }
    }
  }

  private static func bytesOfInput() throws(ManifestFiles.Unreadable) -> [UInt8] {
    do throws(SystemError) {
      return try Descriptor(owning: 0).contents(upTo: Manifest.maximumBytes + 1, "standard input")
    } catch {
      throw ManifestFiles.Unreadable("cannot read standard input: \(error.reason)")
    }
  }

  private static func bytes(of path: String) throws(ManifestFiles.Unreadable) -> [UInt8] {
    do throws(RegularFileError) {
      let file = try RegularFile.open(path, followsLink: true)
      do { return try file.contents(upTo: Manifest.maximumBytes + 1, path) } catch { throw .system(error) }
    } catch {
      switch error {
      case .irregular(let noun):
        throw ManifestFiles.Unreadable("cannot read \(path): it is \(noun); a manifest must be a regular file")
      case .system(let error): throw ManifestFiles.Unreadable("cannot read \(path): \(error.reason)")
      }
    }
  }
}

extension SupervisorConfiguration {
  /// Applies the manifest.
  ///
  /// Relative paths are relative to the manifest's directory, which is also the default directory of commands.
  mutating func apply(_ manifest: Manifest) {
    machine.concurrency = manifest.concurrency
    machine.keepsGoing = manifest.keepsGoing
    machine.groups = manifest.groups
    machine.registrationTimeout = manifest.registrationTimeout
    machine.cancelGrace = manifest.cancelGrace
    machine.stopTimeout = manifest.stopTimeout
    release = release ?? manifest.release
    let directory = Path.directory(of: manifest.file)
    initializers = manifest.initializers.map { initializer in
      var command: Command?
      var probe: Probe?
      switch initializer.provider {
      case .worker, .process: break
      case .waitFor(let target): probe = target.located(in: directory)
      case .command(let written): command = Command(written, in: directory, manifest.environment)
      }
      var declared = DeclaredInitializer(
        initializer.declaration, command: command, probe: probe, isProcess: initializer.provider == .process,
        isSecret: initializer.isSecret, isOnce: initializer.isOnce)
      declared.condition = initializer.condition?.located(in: directory)
      declared.declaration.freshness?.directory = directory
      return declared
    }
    workers = manifest.workers.map { worker in
      var declared = DeclaredWorker(
        worker.name, command: Command(worker.command, in: directory, manifest.environment),
        restart: RestartPolicy(worker.restart),
        backoff: worker.backoff)
      declared.dependencies = worker.dependencies
      declared.policy = worker.policy
      declared.policy.ready = worker.policy.ready?.located(in: directory)
      return declared
    }
    for variable in manifest.environment { environment[variable.name] = variable.value }
    declaredEnvironment = Dictionary(manifest.environment.map { ($0.name, $0.value) }) { $1 }
  }
}

extension InitSupervisor.Command {
  /// Creates a command in a manifest's directory; `common` are the variables of all commands.
  init(_ command: Manifest.Command, in directory: String, _ common: [Manifest.Variable] = []) {
    let environment = Dictionary(command.environment.map { ($0.name, $0.value) }) { _, last in last }
    self.init(
      command.program.located(in: directory), environment: environment,
      directory: Path.join(directory, command.workingDirectory ?? ""), stop: command.stop?.located(in: directory))
    settings = command.settings
    if let name = settings.user, let user = try? Accounts.find(name) {
      // Without an entry of its own, the supervisor's HOME and USER would be another user's.
      let login = user.name ?? "\(user.id)"
      for (name, value) in [("HOME", user.home ?? "/"), ("USER", login), ("LOGNAME", login)]
      where environment[name] == nil && !common.contains(where: { $0.name == name }) {
        self.environment[name] = value
      }
    }
  }
}

extension Manifest.Program {
  /// Returns the arguments, with the program's path if that is relative to a directory.
  func located(in directory: String) -> [String] {
    guard !isShell, let program = arguments.first, program.contains("/") else { return arguments }
    return [Path.join(directory, program)] + arguments.dropFirst()
  }
}

extension Readiness {
  /// Returns the same readiness, with its path made relative to a directory.
  fileprivate func located(in directory: String) -> Readiness {
    switch self {
    case .probe(let probe, let ofOwner): .probe(probe.located(in: directory), ofOwner: ofOwner)
    case .notification: .notification
    }
  }
}

extension Probe {
  /// Returns the probe with a path that is relative to a directory.
  fileprivate func located(in directory: String) -> Probe {
    var probe = self
    switch target {
    case .tcp, .http: break
    case .command(let arguments) where arguments.first?.contains("/") == true:
      probe.target = .command([Path.join(directory, arguments[0])] + arguments.dropFirst())
    case .command: break
    case .unix(let path): probe.target = .unix(Path.join(directory, path))
    case .path(let path): probe.target = .path(Path.join(directory, path))
    }
    return probe
  }
}

extension Condition {
  /// Returns the condition with paths that are relative to a directory.
  fileprivate func located(in directory: String) -> Condition {
    var condition = self
    condition.path = path.map { Path.join(directory, $0) }
    condition.missing = missing.map { Path.join(directory, $0) }
    return condition
  }
}

extension RestartPolicy {
  fileprivate init(_ restart: Manifest.Restart) {
    switch restart {
    case .onFailure: self = .onFailure
    case .always: self = .always
    case .never: self = .never
    }
  }
}

/// Paths as text.
enum Path {
  /// Returns a path relative to `directory`.
  static func join(_ directory: String, _ path: String) -> String {
    if path.isEmpty { return directory }
    if path.hasPrefix("/") { return path }
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// Returns the absolute path of a file's directory.
  static func directory(of file: String) -> String {
    let absolute = WorkingDirectory.absolute(file)
    guard let slash = absolute.lastIndex(of: "/"), slash != absolute.startIndex else { return "/" }
    return String(absolute[..<slash])
  }
}
