import InitCore
import InitDeclarations
import InitManifest
import InitModel
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
    let digests = Digests()
    do throws(ManifestFiles.Fault) {
      var manifest = try Manifest.compose(files, for: purpose) { path throws(ManifestFiles.Unreadable) in
        let bytes = acceptsInput && path == "-" ? try bytesOfInput() : try bytes(of: path)
        digests.add(bytes, of: path)
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
      manifest.digests = digests.byPath
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

  /// The hashes of the files that were read.
  private final class Digests {
    private(set) var byPath: [String: String] = [:]

    func add(_ bytes: [UInt8], of path: String) {
      var hash = SHA256()
      hash.update(Array(SourceFiles.key.utf8) + bytes)
      byPath[path] = hash.hexDigest
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
    let given = release
    for key in Manifest.keysOfSettings where manifest.given.contains(key.word) {
      key.copy(&settings, manifest.settings)
    }
    release = given ?? release
    let directory = Path.directory(of: manifest.file)
    sourceFiles.paths = manifest.files.filter { $0 != "<stdin>" }
    sourceFiles.directory = WorkingDirectory.current ?? ""
    sourceFiles.manifest = manifest.paths.map(WorkingDirectory.absolute)
    sourceFiles.sources = manifest.digests.sorted { $0.key < $1.key }.map {
      Status.Source(path: WorkingDirectory.absolute($0), digest: $1)
    }
    initializers = manifest.initializers.map { initializer in
      var declared = initializer.declared
      declared.command = declared.command?.located(in: directory, manifest.settings.environment)
      declared.probe = declared.probe?.located(in: directory)
      declared.condition = declared.condition?.located(in: directory)
      declared.unless?.arguments = Path.locate(program: initializer.unless?.arguments ?? [], in: directory)
      declared.declaration.freshness?.directory = directory
      return declared
    }
    workers = manifest.workers.map { worker in
      var declared = worker.declared
      declared.command = declared.command.located(in: directory, manifest.settings.environment)
      declared.inputsDirectory = directory
      declared.policy.ready = declared.policy.ready?.located(in: directory)
      if case .probe(let probe, let ofOwner)? = declared.policy.healthy?.check {
        declared.policy.healthy?.check = .probe(probe.located(in: directory), ofOwner: ofOwner)
      }
      return declared
    }
  }
}

extension Command {
  /// Returns the command of a manifest in this directory, with the variables of its user; `common` are the variables of all commands.
  func located(in directory: String, _ common: [String: String] = [:]) -> Command {
    var command = self
    command.environment = selected(from: common).merging(environment) { $1 }
    command.arguments = Path.locate(program: arguments, in: directory)
    command.stop = stop.map { Path.locate(program: $0, in: directory) }
    command.directory = Path.join(directory, self.directory ?? "")
    if let name = settings.user, let user = try? Accounts.find(name) {
      // Without an entry of its own, the supervisor's HOME and USER would be another user's.
      let login = user.name ?? "\(user.id)"
      for (name, value) in [("HOME", user.home ?? "/"), ("USER", login), ("LOGNAME", login)]
      where command.environment[name] == nil {
        command.environment[name] = value
      }
    }
    return command
  }
}

extension Readiness {
  /// Returns the same readiness, with its path made relative to a directory.
  fileprivate func located(in directory: String) -> Readiness {
    switch self {
    case .probe(let probe, let ofOwner): .probe(probe.located(in: directory), ofOwner: ofOwner)
    case .started, .notification, .line: self
    }
  }
}

extension Probe {
  /// Returns the probe with a path that is relative to a directory.
  fileprivate func located(in directory: String) -> Probe {
    var probe = self
    switch target {
    case .tcp, .http, .later: break
    case .command(let arguments): probe.target = .command(Path.locate(program: arguments, in: directory))
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

/// Paths as text.
enum Path {
  /// Returns a path relative to `directory`.
  static func join(_ directory: String, _ path: String) -> String {
    if path.isEmpty { return directory }
    if path.hasPrefix("/") { return path }
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }

  /// Returns the arguments, with the program's path if that is relative to a directory.
  static func locate(program arguments: [String], in directory: String) -> [String] {
    guard let program = arguments.first, program.contains("/") else { return arguments }
    return [join(directory, program)] + arguments.dropFirst()
  }

  /// Returns the absolute path of a file's directory.
  static func directory(of file: String) -> String {
    FilePath.directory(of: WorkingDirectory.absolute(file))
  }
}

extension Manifest {
  /// Returns whether it has a process of this name whose readiness is probed from outside.
  func probes(_ name: String) -> Bool {
    workers.contains { if case .probe? = $0.policy.ready { $0.name == name } else { false } }
  }
}
