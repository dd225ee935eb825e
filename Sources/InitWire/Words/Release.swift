/// This release of the project.
package enum Release {
  /// The version of all programs, which `make release` sets here and in the clients.
  package static let version = "0.1.0"

  #if arch(x86_64)
    private static let architecture = "x86_64"
  #elseif arch(arm64)
    private static let architecture = "aarch64"
  #else
    private static let architecture = "another architecture"
  #endif

  /// Returns the output of `--version`: the program's name and version, the commit, the protocol and the architecture.
  package static func line(of program: String, commit: String) -> String {
    "\(program) \(version) (commit \(commit), protocol \(HelloRequest.version), \(architecture))"
  }
}
