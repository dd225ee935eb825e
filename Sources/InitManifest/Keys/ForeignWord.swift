/// Words of other tools, and of other sections of the manifest, and the keys that mean the same here.
enum ForeignWord {
  /// Returns the keys among `keys` that a word of another tool means; none if the word isn't known.
  static func keys(for word: String, among keys: [String]) -> [String] {
    meanings[folded(word), default: []].filter(keys.contains)
  }

  /// Returns the word without case, dashes and underscores: `depends_on`, `dependsOn` and `depends-on` are the same word.
  private static func folded(_ word: String) -> String {
    word.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  private static let meanings: [String: [String]] = [
    "dependson": ["dependencies"], "requires": ["dependencies"], "needs": ["dependencies"],
    "workdir": ["workingDirectory"], "cwd": ["workingDirectory"], "directory": ["workingDirectory"],
    "env": ["environment"],
    "envfile": ["environmentFile"],
    "stage": ["phase"],
    "retries": ["retry"], "restart": ["retry"],
    "healthcheck": ["waitFor", "ready"], "readinessprobe": ["waitFor", "ready"],
    "retry": ["restart", "backoff"], "backoff": ["retry"],
    "waitfor": ["ready"], "ready": ["waitFor"],
    "entrypoint": ["command"], "exec": ["command"], "run": ["command"], "script": ["command"],
  ]
}
