import InitManifest

/// The mistakes in a manifest, one line each; empty if there are none.
func mistakes(in text: String) -> String {
  do throws(ManifestErrors) {
    _ = try Manifest.parse(text, file: "init.yaml")
    return ""
  } catch {
    return error.description
  }
}

/// The mistakes in a manifest with `lines` as the body of one initializer `a` from line 4 on, and `b` before it.
func mistakes(inInitializer lines: String...) -> String {
  let body = lines.map { "    \($0)\n" }.joined()
  return mistakes(in: "version: 1\ninitializers:\n  b: { worker: true }\n  a:\n\(body)")
}
