internal import EventLoop
internal import Glibc
internal import InitCore
internal import InitDeclarations
internal import InitModel
internal import InitRunner
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// What is watched: an initializer or a process with `inputs`, or the files of the manifest.
enum Watched: Hashable {
  case manifest
  case named(String)
}

/// Runs initializers again, restarts processes, and reloads the manifest when the files on which they depend change: `initd --watch`.
///
/// An event only says where to look: what has changed is decided by the contents, so the order of events doesn't matter. If the kernel loses
/// events, because it has too many waiting, a change is found with the next event about the same initializer, process or manifest.
final class InputWatch {
  /// The maximum number of directories that are watched.
  static let mostDirectories = 10_000

  let shared: SupervisorContext
  private let reloads: Reloads
  private let processes: Processes
  private let directories: DirectoryWatches
  private let timer: Timer
  private let brake = Brake()
  private var turns = WatchTurns<Watched>()
  private var targets: [Watched: WatchedFiles.Target] = [:]
  /// The files as they were at the last turn of each; nil for what has none yet.
  private var known: [Watched: WatchedFiles] = [:]
  /// The directories that matter now, each with who is interested in which names.
  private var places: [String: [Watched: Set<InputNames>]] = [:]
  private var newest: [Watched: WatchedFiles] = [:]
  /// What the last reload has seen to.
  private var served: Set<String> = []
  /// Files with mistakes that a reload has named: a correction of them is a reason to reload again.
  private var mistaken: [String] = []
  private var isReading = false
  /// Whether the contents haven't been read yet.
  private var isFirstLook = true
  private var problemPace = LinePace()

  init(_ shared: SupervisorContext, reloads: Reloads, processes: Processes) {
    self.shared = shared
    self.reloads = reloads
    self.processes = processes
    timer = Timer(loop: shared.loop, name: "watch")
    directories = DirectoryWatches(loop: shared.loop)
    directories.onChange = { [weak self] in self?.recordChange(of: $1, in: $0) }
  }

  /// Watches from now on; finds the files, which may block, and reads their contents later.
  ///
  /// - Throws: why not all of them can be watched.
  func begin() throws(WatchFault) {
    targets = shared.configuration.watched
    for (thing, target) in targets {
      do throws(WatchedFiles.Problem) {
        let files = try WatchedFiles(of: target)
        (known[thing], newest[thing]) = (files, files)
      } catch {
        switch error.cause {
        case .tooMany, .tooLarge: throw .tooMany(error.pattern.description, of: thing, "\(error.cause)")
        case .none, .unreadable, .changed, .stopped: report(error, of: thing)
        }
      }
    }
    _ = try watchDirectories()
    reloads.onReload = { [weak self] in self?.follow($0, $1) }
    look(at: Set(targets.keys))
  }

  /// Watches nothing any more.
  func close() {
    brake.pull()
    timer.close()
    directories.close()
    reloads.onReload = { _, _ in }
  }

  // MARK: Changes

  private func recordChange(of name: String, in directory: String) {
    guard let interested = places[directory] else { return }
    let path = directory + "/" + name
    // The directory itself has changed, or is gone.
    let isItself = directory.hasSuffix("/" + name)
    lazy var isDirectory = places[path] != nil || FileIdentity(at: path)?.isDirectory == true
    for (thing, names) in interested where isItself || names.contains(where: { $0.contain(name) { isDirectory } }) {
      turns.recordChange(of: thing, at: shared.loop.now)
    }
    schedule()
  }

  private func schedule() {
    guard !isReading, let deadline = turns.deadline else { return timer.stop() }
    timer.start(at: deadline) { [weak self] in
      guard let self else { return }
      look(at: turns.takeQuiet(at: shared.loop.now))
      schedule()
    }
  }

  /// Reads the files of these again, and acts on what has changed.
  private func look(at things: Set<Watched>) {
    let asked = targets.filter { things.contains($0.key) }
    guard !asked.isEmpty, !shared.isEnding else { return }
    guard !isReading else { return recordChanges(of: asked.keys) }
    isReading = true
    shared.loop.performInThread { [known, brake] in
      asked.map { thing, target -> Look in
        let files = Result { () throws(WatchedFiles.Problem) in
          try WatchedFiles.reading(target, after: known[thing]) { brake.isPulled }
        }
        return Look(thing: thing, target: target, files: files)
      }
    } then: { [weak self] result in
      guard let self else { return }
      isReading = false
      switch result {
      case .success(let looks): handle(looks)
      case .failure(let error):
        warn("cannot look at files that have changed: \(error)")
        recordChanges(of: asked.keys)
        schedule()
      }
    }
  }

  private func recordChanges(of things: some Sequence<Watched>) {
    for thing in things { turns.recordChange(of: thing, at: shared.loop.now) }
  }

  /// What was found; no files if some were changed in the meantime.
  private struct Look: Sendable {
    let thing: Watched
    let target: WatchedFiles.Target
    let files: Result<WatchedFiles?, WatchedFiles.Problem>
  }

  private func handle(_ looks: [Look]) {
    guard !shared.isEnding else { return }
    let now = shared.loop.now
    defer { isFirstLook = false }
    var changes: [Watched: [String]] = [:]
    for look in looks where targets[look.thing] == look.target {
      let thing = look.thing
      switch look.files {
      case .failure(let problem): report(problem, of: thing)
      case .success(nil): turns.recordChange(of: thing, at: now)
      case .success(let files?):
        newest[thing] = files
        let differences = known[thing].map(files.differences) ?? []
        if differences.isEmpty {
          known[thing] = files
          continue
        }
        guard !isFirstLook, !turns.hasChanged(thing) else {
          // They aren't quiet.
          known[thing]?.takeContents(from: files)
          turns.recordChange(of: thing, at: now)
          continue
        }
        switch turns.decide(thing, at: now) {
        case .turn:
          known[thing] = files
          changes[thing] = differences
        case .later(let isNew): if isNew { reportLoop(of: thing, differences) }
        }
      }
    }
    do throws(WatchFault) {
      // What appeared in a new directory before it was watched is found by another look.
      if try watchDirectories() { recordChanges(of: looks.map(\.thing)) }
    } catch {
      warn("\(error)")
    }
    act(on: changes)
    schedule()
  }

  private func watchDirectories() throws(WatchFault) -> Bool {
    var places: [String: [Watched: Set<InputNames>]] = [:]
    var fault: WatchFault?
    // The smallest first: what is too large keeps nothing else from being watched.
    for (thing, files) in newest.sorted(by: { $0.value.places.count < $1.value.places.count }) {
      for (place, names) in files.places {
        guard places[place] != nil || places.count < Self.mostDirectories else {
          fault = .tooMany(
            files.patterns[place]?.description ?? place, of: thing,
            "there are more than \(Self.mostDirectories) directories")
          break
        }
        places[place, default: [:]][thing] = names
      }
    }
    self.places = places
    let hasNew: Bool
    do throws(SystemError) { hasNew = try directories.watch(places.keys) } catch { throw .refused(error) }
    if let fault { throw fault }
    return hasNew
  }

  // MARK: What follows

  private func act(on changes: [Watched: [String]]) {
    var named: [String: [String]] = [:]
    for case (.named(let name), let files) in changes { named[name] = files }
    guard let files = changes[.manifest] else { return runAgain(named) }
    shared.logger.info("\(Self.subject(files)) changed: the manifest is reloaded")
    reloads.reload(
      ReloadRequest(withDependents: !named.isEmpty), of: geteuid(), because: "\(Self.subject(files)) changed"
    ) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success:
        // It has seen to what has other work.
        for name in served { named[name] = nil }
      case .failure(let error):
        if case .findings(let findings) = error.detail { watchMistakes(in: Set(findings.map(\.file))) }
      }
      runAgain(named)
    }
  }

  /// Runs these again, each because of these files.
  private func runAgain(_ named: [String: [String]]) {
    guard !named.isEmpty, !shared.isEnding else { return }
    let initializers = named.keys.filter { !processes.keeps($0) && mustRun($0) }.sorted()
    let kept = named.keys.filter { processes.keeps($0) && processes.mayBeRestarted($0) }.sorted()
    // A process that depends on one of the initializers is restarted after it.
    let reached = processes.dependents(of: Set(initializers))
    let later = kept.filter(reached.contains)
    let inPass = later.filter(shared.isKnown)
    for name in initializers { tell(name, named[name], "runs again") }
    for name in kept { tell(name, named[name], "is restarted") }
    if !initializers.isEmpty {
      do throws(Refusal) {
        try shared.apply(.rerunRequested(initializers + inPass, withDependents: true))
      } catch {
        shared.logger.warning("cannot run \(NameList.shown(initializers)) again: \(error)")
      }
    }
    processes.restartAfterPass(later.filter { !inPass.contains($0) })
    processes.restartDependents(of: initializers)
    processes.restart(kept.filter { !later.contains($0) }, by: nil)
  }

  /// Whether an initializer has run, so it has to run again; otherwise it sees the files when its turn comes.
  private func mustRun(_ name: String) -> Bool {
    let (found, isActive) = shared.read { machine in
      (machine.initializer(named: name), machine.states.lifecycle == .active)
    }
    guard let found, found.declaration.priority == .appLaunch || isActive else { return false }
    switch found.status {
    case .complete, .failed, .running, .stopping, .cancelled: return true
    case .skipped: return found.skipReason != .requested && found.skipReason != .unselected
    case .idle, .waiting, .notRun: return false
    }
  }

  /// Watches the files of a manifest with mistakes, too, which the supervisor hasn't taken over.
  private func watchMistakes(in files: Set<String>) {
    let others = files.subtracting(shared.configuration.sourceFiles.paths).subtracting(mistaken)
    guard !others.isEmpty else { return }
    mistaken += others.sorted()
    guard let target = targets[.manifest]?.adding(others.map { InputPattern(file: $0) }) else { return }
    targets[.manifest] = target
    if let files = try? WatchedFiles(of: target) { known[.manifest]?.add(from: files) }
    recordChanges(of: [.manifest])
    schedule()
  }

  /// Takes over what a reload has changed: it has seen to what has these names, with the files as they were then.
  private func follow(_ changed: Set<String>, _ files: [Watched: WatchedFiles]) {
    let before = targets
    served = changed
    mistaken = []
    targets = shared.configuration.watched
    for thing in before.keys where targets[thing] == nil {
      (known[thing], newest[thing]) = (nil, nil)
      turns.forget(thing)
    }
    for (thing, target) in targets where before[thing] != target || changed.contains(thing.name) && thing != .manifest {
      guard let then = files[thing] else { continue }
      if thing == .manifest, known[thing] != nil {
        known[thing]?.add(from: then)
      } else {
        known[thing] = then.taking(known[thing])
      }
    }
    // Others may be interesting now.
    recordChanges(of: targets.keys.filter { before[$0] != targets[$0] || changed.contains($0.name) })
    schedule()
  }

  // MARK: Words

  private func tell(_ name: String, _ files: [String]?, _ effect: String) {
    shared.logger.info("\(Self.subject(files ?? [])) changed: \(name) \(effect)")
  }

  /// Returns the first file, and how many more there are.
  private static func subject(_ files: [String]) -> String {
    TerminalText.escape(NameList.files(files))
  }

  private func reportLoop(of thing: Watched, _ files: [String]) {
    let subject = Self.subject(files)
    let seconds = WatchTurns<Watched>.loopTime.words
    let done: String
    switch thing {
    case .manifest: done = "was reloaded"
    case .named(let name): done = processes.keeps(name) ? "was restarted" : "ran again"
    }
    shared.logger.warning(
      "\(subject) changed, but \(thing.name) \(done) \(WatchTurns<Watched>.mostTurns) times in \(seconds), so it waits until its inputs have been quiet for \(seconds); does it change them itself?"
    )
  }

  private func report(_ problem: WatchedFiles.Problem, of thing: Watched) {
    warn("cannot see whether \(thing.name) must run again: \(problem.cause)")
  }

  private func warn(_ line: String) {
    guard let more = problemPace.admits(line, at: shared.loop.now) else { return }
    shared.logger.warning("\(TerminalText.escape(line))\(more)")
  }
}

extension Watched {
  /// How messages call it.
  var name: String {
    switch self {
    case .manifest: "the manifest"
    case .named(let name): name
    }
  }
}

extension SupervisorConfiguration {
  /// What a watch looks at.
  var watched: [Watched: WatchedFiles.Target] {
    var watched: [Watched: WatchedFiles.Target] = [:]
    for declared in initializers {
      guard let freshness = declared.declaration.freshness, !freshness.inputs.isEmpty else { continue }
      watched[.named(declared.declaration.name)] = WatchedFiles.Target(freshness.inputs, in: freshness.directory)
    }
    for process in workers where !process.inputs.isEmpty {
      watched[.named(process.name)] = WatchedFiles.Target(process.inputs, in: process.inputsDirectory)
    }
    if !sourceFiles.paths.isEmpty {
      watched[.manifest] = WatchedFiles.Target(
        sourceFiles.paths.map { InputPattern(file: $0) }, in: sourceFiles.directory)
    }
    return watched
  }
}
