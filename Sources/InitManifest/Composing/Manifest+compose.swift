internal import InitText

extension Manifest {
  /// Reads the files of a manifest and their includes, and makes one manifest of them.
  ///
  /// Each call reads every file again, e.g. for a reload. Throws all mistakes at once, by file and position; or that a file
  /// that the caller named can't be read.
  package static func compose(
    _ files: ManifestFiles, for purpose: Purpose = .supervisor, reading: @escaping ManifestFiles.Reading
  ) throws(ManifestFiles.Fault) -> Manifest {
    var named: [(path: String, contents: ManifestFiles.Contents)] = []
    for path in files.paths {
      do throws(ManifestFiles.Unreadable) {
        named.append((path == "-" ? "<stdin>" : path, try reading(path)))
      } catch {
        throw .unreadable(error)
      }
    }
    let manifest: Manifest
    do throws(ManifestErrors) {
      manifest = try compose(named, files, for: purpose, reading: reading)
    } catch {
      throw .mistakes(error)
    }
    for profile in files.profiles where !manifest.profiles.contains(profile) {
      let known = manifest.profiles.sorted()
      let meant = Suggestion.nearest(to: profile, among: known).map { "did you mean \(quoted($0))?" }
      throw .unknownProfile(
        profile, remedy: meant ?? (known.isEmpty ? "nothing has profiles" : "use one of \(list(known.map(escaped)))"))
    }
    return manifest
  }

  /// Makes a manifest of these files and of their includes, which `reading` reads.
  static func compose(
    _ named: [(path: String, contents: ManifestFiles.Contents)], _ files: ManifestFiles, for purpose: Purpose,
    reading: @escaping ManifestFiles.Reading
  ) throws(ManifestErrors) -> Manifest {
    var composer = ManifestComposer(files, for: purpose, reading: reading)
    guard let tree = composer.tree(of: named) else { throw composer.reader.findings.sorted() }
    var manifest = composer.reader.manifest(from: composer.located(tree))
    guard composer.reader.findings.isEmpty else { throw composer.reader.findings.sorted() }
    manifest.paths = named.map(\.path)
    manifest.files = composer.reader.findings.files
    if files.resolves { manifest.resolved = composer.resolved(tree) }
    return manifest
  }
}
