import InitManifest
import InitWire
import Platform

extension Initd {
  /// Checks a manifest, and prints what will run.
  func report(_ path: String) throws {
    let manifest = try manifest([path])
    warn(of: manifest)
    switch format {
    case .json: try StandardStream.output.write(JSONLine.line(manifest.shape))
    case .text, nil: try StandardStream.output.write(Array(manifest.checkReport().utf8))
    }
  }

  /// Checks a manifest of a worker, and prints it for `initctl worker`.
  func reportWorker(_ path: String) throws {
    let manifest = try manifest([path], for: .worker, acceptsInput: true)
    warn(of: manifest)
    try StandardStream.output.write(JSONLine.line(WorkerManifestShape(manifest)))
  }

  /// Prints the manual of manifests, or their schema.
  func reportSchema(_ format: ManualFormat) throws {
    let text =
      switch format {
      case .json: ManifestSchema.json
      case .man: ManifestManual.roff(version: Release.version)
      case .markdown: ManifestManual.markdown
      }
    try StandardStream.output.write(Array(text.utf8))
  }

  /// Prints what is valid but probably not meant, on standard error.
  private func warn(of manifest: Manifest) {
    for warning in manifest.warnings { StandardStream.error.say(warning.asWarning) }
  }
}
