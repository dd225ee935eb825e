import InitManifest
import InitWire
import Platform

extension Initd {
  /// Checks a manifest, and prints what will run.
  func report(_ path: String) throws {
    let manifest = try manifest(path)
    switch format {
    case .json: try StandardStream.output.write(JSONLine.line(manifest.shape))
    case .text, nil: try StandardStream.output.write(Array(manifest.checkReport().utf8))
    }
  }

  /// Checks a manifest of a worker, and prints it for `initctl worker`.
  func reportWorker(_ path: String) throws {
    try StandardStream.output.write(JSONLine.line(WorkerManifestShape(try manifest(path, for: .worker))))
  }
}
