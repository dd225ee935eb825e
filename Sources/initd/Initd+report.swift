import CommandLineOptions
internal import InitDeclarations
import InitManifest
import InitModel
import InitSupervisor
import InitText
import InitWire
import Platform

extension Initd {
  /// Checks a manifest, and prints the order of its initializers.
  func report(_ paths: [String]) throws {
    let manifest = try manifest(paths, acceptsInput: true)
    if isStrict {
      let findings = StrictCheck.findings(in: manifest)
      if !findings.isEmpty {
        try report(findings, .error)
        throw ProgramStatus.badManifest
      }
    } else {
      try report(manifest.warnings, .warning)
    }
    if let resolved = manifest.resolved { return try StandardStream.output.write(Array(resolved.utf8)) }
    if json, !manifest.warnings.isEmpty { return }
    if json || format == .json { return try StandardStream.output.write(JSONLine.line(manifest.shape)) }
    let directory = Path.directory(of: manifest.file)
    let report = manifest.checkReport { Path.locate(program: $0.arguments, in: directory) }
    try StandardStream.output.write(Array(report.utf8))
  }

  /// Prints findings: on standard error, or as JSON on standard output.
  func report(_ findings: [Finding], _ severity: ConfigurationChanges.Finding.Severity) throws {
    for finding in findings {
      if json {
        try StandardStream.output.write(JSONLine.line(ConfigurationChanges.Finding(finding, severity)))
      } else {
        StandardStream.error.say(severity == .error ? finding.description : finding.asWarning)
      }
    }
  }

  /// Checks a manifest of a worker, and prints it for `initctl worker`.
  func reportWorker(_ path: String) throws {
    let manifest = try manifest([path], for: .worker, acceptsInput: true)
    try report(manifest.warnings, .warning)
    try StandardStream.output.write(JSONLine.line(WorkerManifest(manifest)))
  }

  /// Prints the manual of the keys with a name.
  func reportKey(_ name: String) throws {
    let text = ManifestManual.markdown(ofKey: name)
    guard !text.isEmpty else {
      let meant = Suggestion.nearest(to: name, among: ManifestManual.keyNames).map { "did you mean \($0)?" }
      throw UsageError(
        "no key is named \(TerminalText.quote(name)); \(meant ?? "initctl schema --format markdown has all keys")")
    }
    try StandardStream.output.write(Array(text.utf8))
  }

  /// Prints the manual of manifests, or their schema.
  func reportSchema(_ format: ManualFormat) throws {
    let text =
      switch format {
      case .json: ManifestSchema.json
      case .part: ManifestSchema.jsonOfParts
      case .man: ManifestManual.roff(version: Release.version)
      case .markdown: ManifestManual.markdown
      }
    try StandardStream.output.write(Array(text.utf8))
  }
}
