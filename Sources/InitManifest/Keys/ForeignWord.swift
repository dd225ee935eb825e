/// Words of other tools, and of other sections of the manifest, and the keys that mean the same here.
enum ForeignWord {
  /// Returns the keys among `keys` that a word of another tool means; none if the word isn't known.
  static func keys(for word: String, among keys: [String]) -> [String] {
    meanings[folded(word), default: []].filter(keys.contains)
  }

  /// Returns the one of `words` that a value in another tool's file means; `nil` if the value isn't known.
  static func choice(for value: String, among words: [String]) -> String? {
    choices[folded(value)].flatMap { words.contains($0) ? $0 : nil }
  }

  private static let choices = ["unlessstopped": "always", "no": "never", "unexpected": "onFailure"]

  /// Returns the word without case, dashes and underscores: `depends_on`, `dependsOn` and `depends-on` are the same word.
  private static func folded(_ word: String) -> String {
    word.lowercased().filter { $0 != "-" && $0 != "_" }
  }

  private static let meanings: [String: [String]] = [
    "dependson": ["dependencies"], "requires": ["dependencies"], "needs": ["dependencies"], "depends": ["dependencies"],
    "wants": ["after"], "waitsfor": ["after"],
    "workdir": ["workingDirectory"], "cwd": ["workingDirectory"], "directory": ["workingDirectory"],
    "dir": ["workingDirectory"],
    "env": ["environment"],
    "envfile": ["environmentFile"],
    "stage": ["phase"],
    "retries": ["retry"], "restart": ["retry"],
    "healthcheck": ["waitFor", "ready", "healthy"], "readinessprobe": ["waitFor", "ready"],
    "readyhttp": ["ready"], "readyport": ["ready"], "readycmd": ["ready"], "readyoutput": ["ready"],
    "startsecs": ["ready"],
    "livenessprobe": ["healthy"], "watchdogsec": ["healthy"],
    "retry": ["restart", "backoff"], "backoff": ["retry"],
    "waitfor": ["ready"], "ready": ["waitFor"],
    "stopgraceperiod": ["stopTimeout"], "stopwaitsecs": ["stopTimeout"], "killdelay": ["stopTimeout"],
    "watch": ["inputs"], "execifmodified": ["inputs"],
    "status": ["unless"], "condition": ["when"],
    "entrypoint": ["command"], "exec": ["command"], "run": ["command"], "script": ["command"],
    "services": ["processes"], "daemons": ["processes"], "tasks": ["initializers"],
  ]
}
