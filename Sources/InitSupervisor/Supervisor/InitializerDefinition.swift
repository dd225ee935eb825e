internal import InitDeclarations

/// An initializer and the supervisor's settings that apply to it.
struct InitializerDefinition: Hashable {
  var initializer: DeclaredInitializer
  /// The release of an initializer that runs once for it; nil if the initializer isn't marked `once`.
  var release: String?
  /// The value of the variable of all commands that its condition names, if that differs.
  var conditionVariable: String?
  /// The process that the initializer starts, if that is its work (S32).
  var process: DeclaredWorker?

  /// Returns the keys: those of the process that it starts, those of an initializer, and those that depend on settings.
  static func keys(_ keys: DeclarationKeys) -> [DeclarationKey<InitializerDefinition>] {
    // If it started no process before, or starts none any more, it has another command.
    let ofProcess = keys.ofProcess.filter { $0.word != "dependencies" }.map { key in
      DeclarationKey<InitializerDefinition>(key.word, isWork: key.isWork, holdsFromNextCheck: key.holdsFromNextCheck) {
        guard var process = $0.process, let other = $1.process else { return }
        key.copy(&process, other)
        $0.process = process
      }
    }
    let own = keys.initializer.map { key in
      key.lifted(\InitializerDefinition.initializer) { old, new in
        switch key.word {
        case "command":
          guard (old.process == nil) != (new.process == nil) else { return }
          old.process = new.process
          old.initializer.isProcess = new.initializer.isProcess
        case "dependencies": if let process = new.process { old.process?.dependencies = process.dependencies }
        case "when": old.conditionVariable = new.conditionVariable
        case "once": old.release = new.release
        default: break
        }
      }
    }
    let release = DeclarationKey<InitializerDefinition>("release", isWork: true) {
      if $0.release != nil, $1.release != nil { $0.release = $1.release }
    }
    return ofProcess + [release] + own
  }
}

extension DeclarationKeys {
  /// The keys of kept processes: those of the manifest, and why it isn't started.
  var ofProcess: [DeclarationKey<DeclaredWorker>] {
    process + [DeclarationKey("only", isWork: true) { $0.exclusion = $1.exclusion }]
  }
}
