import InitManifest

/// Returns the mistakes in a manifest, one line each; empty if there are none.
func mistakes(in text: String) -> String {
  do throws(ManifestErrors) {
    _ = try Manifest.parse(text, file: "init.yaml")
    return ""
  } catch {
    return error.description
  }
}

/// Returns the mistakes in a manifest with `lines` as the body of one initializer `a` from line 4 on, and `b` before it.
func mistakes(inInitializer lines: String...) -> String {
  let body = lines.map { "    \($0)\n" }.joined()
  return mistakes(in: "version: 1\ninitializers:\n  b: { worker: true }\n  a:\n\(body)")
}

/// Returns a line for the shell, as a command's arguments.
func shell(_ line: String) -> [String] { ["/bin/sh", "-c", line] }

/// Composes a manifest of files, whose texts are `texts` by their paths.
///
/// The directory `conf` is at `/etc/conf`, and the others accordingly.
func compose(
  _ paths: [String], texts: [String: String], variables: [String: String] = [:], profiles: [String] = []
) throws(ManifestFiles.Fault) -> Manifest {
  try Manifest.compose(ManifestFiles(paths, variables: variables, profiles: profiles)) {
    path throws(ManifestFiles.Unreadable) in
    guard let text = texts[path] else { throw ManifestFiles.Unreadable("cannot read \(path): no such file") }
    let directory = path.hasPrefix("/") ? path : "/etc/" + path
    let end = directory.lastIndex(of: "/") ?? directory.startIndex
    return ManifestFiles.Contents(Array(text.utf8), in: String(directory[..<end]))
  }
}

/// Returns the mistakes in a manifest of files; empty if there are none.
func mistakes(
  _ paths: String..., texts: [String: String], variables: [String: String] = [:], profiles: [String] = []
) -> String {
  do throws(ManifestFiles.Fault) {
    _ = try compose(paths, texts: texts, variables: variables, profiles: profiles)
    return ""
  } catch {
    switch error {
    case .unreadable(let unreadable): return unreadable.why
    case .mistakes(let errors): return errors.description
    case .unknownProfile(let name, let remedy): return "unknown profile \(name); \(remedy)"
    }
  }
}
