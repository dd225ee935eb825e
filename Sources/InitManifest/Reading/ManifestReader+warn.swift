internal import InitCore
internal import InitDeclarations
internal import InitText
internal import InitWords

extension ManifestReader {
  /// Warns about valid but probably unintended initializers: an active one that launch also runs, and pauses between attempts that are
  /// longer than the attempts may be.
  mutating func warn(of initializers: [Manifest.Entry<DeclaredInitializer>]) {
    for initializer in initializers { warnOfPauses(of: initializer) }
    let active = Set(initializers.filter { $0.declaration.priority == .appActive }.map(\.declaration.name))
    guard !active.isEmpty else { return }
    let launched = Set(Plan(of: .launch, initializers.map(\.declaration)).items.map(\.name))
    var told: Set<String> = []
    for initializer in initializers where launched.contains(initializer.declaration.name) {
      let dependencies = initializer.names(.dependencies)
      for (name, position) in dependencies where active.contains(name) && told.insert(name).inserted {
        warnings.add(
          position,
          "\(quoted(name)) has the phase active, but also runs in launch: \(quoted(initializer.declaration.name)) depends on it",
          "write phase: launch for it, or remove this dependency")
      }
    }
  }

  private mutating func warnOfPauses(of initializer: Manifest.Entry<DeclaredInitializer>) {
    let retry = initializer.declaration.retry
    let name = initializer.declaration.name
    guard let timeout = initializer.declaration.timeout, retry.attempts > 1 else { return }
    var pause = retry.delay
    for _ in 2..<min(retry.attempts, 64) where pause < retry.maxDelay {
      pause = min(retry.maxDelay, pause * retry.factor)
    }
    guard timeout < pause else { return }
    warnings.add(
      initializer.position,
      "the pauses between the attempts of \(quoted(name)) grow to \(DurationText.print(pause)), longer than its timeout of \(DurationText.print(timeout)), which is for each attempt",
      "write a longer timeout, or a shorter maxDelay")
  }
}
