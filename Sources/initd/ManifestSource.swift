import InitCore
import InitDeclarations
import InitManifest
import InitModel
import InitSupervisor
import InitText
import InitWire

/// The manifest as the source of a supervisor's configuration: at the start, and again for a reload.
struct ManifestSource: ConfigurationSource {
  /// The manifest's files.
  let files: ManifestFiles
  /// All settings that the manifest doesn't contain.
  var base: SupervisorConfiguration
  /// The option that overrides the manifest's `concurrency`.
  let concurrency: Int?
  /// Whether an option makes passes keep going, even if the manifest doesn't.
  let keepsGoing: Bool
  /// The option that overrides the manifest's `activate`.
  let activates: Bool?

  var keys: DeclarationKeys { Manifest.keys }

  var name: String { files.paths.joined(separator: ", ") }

  /// Returns the base with the settings of a manifest.
  func configuration(with manifest: Manifest?) -> SupervisorConfiguration {
    var configuration = base
    if let manifest { configuration.apply(manifest) }
    if let concurrency { configuration.machine.concurrency = concurrency }
    if keepsGoing { configuration.machine.keepsGoing = true }
    if let activates { configuration.activatesAtStart = activates }
    configuration.selectProcesses()
    return configuration
  }

  /// Returns the names of `--only` and `--skip` that a manifest doesn't declare, each with its option and what to do: they are more often
  /// mistyped than registered by a worker.
  func unknownNames(in manifest: Manifest) -> [(option: String, name: String, remedy: String)] {
    let names =
      manifest.initializers.map(\.declaration.name) + manifest.workers.filter { $0.policy.ready == nil }.map(\.name)
    let known = Set(names)
    return [("only", base.machine.only), ("skip", base.machine.skipped)].flatMap { option, chosen in
      chosen.subtracting(known).sorted().map { name in
        let meant = Suggestion.nearest(to: name, among: names).map { "did you mean \"\($0)\"?" }
        return (option, name, meant ?? "initd --check lists them")
      }
    }
  }

  func read() throws(ConfigurationFault) -> (SupervisorConfiguration, warnings: [ConfigurationChanges.Finding]) {
    let manifest: Manifest
    do throws(ManifestFile.Fault) {
      manifest = try ManifestFile.read(files, limit: base.limits.initializers)
    } catch {
      switch error {
      case .unreadable(let why): throw .unreadable(why)
      case .bad(let errors): throw .invalid(errors.findings.map { ConfigurationChanges.Finding($0, .error) })
      case .unknownProfile(let why):
        throw .invalid([
          ConfigurationChanges.Finding(
            file: files.paths[0], line: 1, column: 1, severity: .error, message: why, suggestion: nil)
        ])
      }
    }
    let refused = StrictCheck.refusedUsers(of: manifest)
    guard refused.isEmpty else { throw .invalid(refused.map { ConfigurationChanges.Finding($0, .error) }) }
    let unknown = unknownNames(in: manifest)
    guard unknown.isEmpty else {
      throw .invalid(
        unknown.map { option, name, _ in
          ConfigurationChanges.Finding(
            file: files.paths[0], line: 1, column: 1, severity: .error,
            message:
              "initd was started with --\(option) \(name), and no initializer or process is named \"\(name)\" any more",
            suggestion: "declare it, or restart initd without --\(option) \(name)")
        })
    }
    var configuration = configuration(with: manifest)
    configuration.source = self
    return (configuration, manifest.warnings.map { ConfigurationChanges.Finding($0, .warning) })
  }
}

extension ConfigurationChanges.Finding {
  /// Describes a finding in a manifest.
  init(_ finding: Finding, _ severity: Severity) {
    self.init(
      file: finding.file, line: finding.line, column: finding.column, severity: severity, message: finding.problem,
      suggestion: finding.remedy)
  }
}
