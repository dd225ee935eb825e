internal import AppInitializers
package import InitCore
internal import InitJSON
internal import InitLog
package import InitModel
internal import InitText
internal import InitWire
package import InitWords
internal import Logging
internal import Platform
internal import WireConversions

/// The state directory: remembers which launch initializers have completed since the system booted.
///
/// A completion is written before clients are notified of it, so clients can rely on the record.
///
/// Some completions aren't remembered. The effect of Swift objects and of `perProcess` initializers ends with the process. The coordinator
/// knows the completions of `once` initializers, and decides about their dependents. Secrets aren't written to disk, so initializers with a
/// secret output have no record. For these initializers, and for those that failed, were cancelled or stopped, the reason is recorded, so
/// the next supervisor can say why they run again. An initializer also runs again if the next run of a dependency will replace the output
/// it got.
package final class LaunchJournal {
  private static let fileName = "launched"
  /// The maximum size of the file in bytes; a larger file isn't read.
  private static let limit = 64 << 20
  /// The maximum number of stale bytes, beyond the size of the current contents, before compaction.
  private static let slack = 1 << 20

  /// Why the state file isn't written; nil if it is written.
  var unwritten: String? { file?.unwritten ?? ever?.unwritten }
  /// The initializers that don't fit into the state file.
  private(set) var unremembered: Set<String> = []
  /// The damage of the state file at the start; nil if there was none.
  private(set) var damage: String?

  private let context: RecordsContext
  private var file: StateFile?
  /// What is done once, over restarts of the system.
  private var ever: EverRecord?
  private var record: LaunchRecord?
  private var declared: RecordedDeclarations
  /// The recorded completions that are stale.
  private var stale: Set<String> = []
  /// The reasons why initializers that haven't completed since the start run again.
  private var again: [String: Initializer.Again] = [:]
  /// The files of inputs as they were read last, and as they were read for the last completion.
  private var inputs: [String: (now: InputDigests?, completed: InputDigests?)] = [:]
  /// The runs that began with a definition that has changed since.
  private var outdated: Set<RunID> = []

  /// The initializers that are marked `once`.
  private var once: Set<String> = []
  /// The direct and indirect dependents of `once` initializers, which a new release also changes, each with the dependency that connects
  /// it.
  private var afterOnce: [String: String] = [:]

  init(_ context: RecordsContext, _ declared: RecordedDeclarations) {
    self.context = context
    self.declared = declared
    readOnce()
  }

  private func readOnce() {
    once = Set(declared.once)
    afterOnce = Recollection.dependents(of: declared.once, over: declared.dependencies)
  }

  /// Reads which initializers have completed before, and passes them to the machine.
  ///
  /// `interrupted` are the launch initializers that ran when the supervisor before this one ended.
  func recall(interrupted: Set<String> = []) throws(JournalError) {
    guard let directory = context.settings.stateDirectory else {
      return warnOfOnce("without a state directory; start initd with --state-directory DIR")
    }
    guard let boot = BootID.read() else { throw .unknownBoot }
    let journal = try JournalFile(Self.fileName, in: directory, limit: Self.limit)
    var record = LaunchRecord(boot: boot)
    var isSameBoot = true
    if let doubt = journal.doubt {
      try putAside(journal, because: "the state file is ignored: \(doubt)")
    } else if let contents = journal.contents {
      switch LaunchRecord.read(contents, boot: boot) {
      case .record(let found): record = found
      case .otherBoot:
        isSameBoot = false
        context.logger.info(
          "the system was rebooted since \(journal.path) was written: all launch initializers run, but what is done once"
        )
      case .damaged(let line): try putAside(journal, because: "the state file is damaged in line \(line)")
      }
    }
    let ever = try EverRecord(context, in: directory)
    for entry in ever.recall() where isEver(entry.name) && record.entry(named: entry.name) == nil {
      _ = record.add(entry)
    }
    self.ever = ever
    if ever.isInMemory { warnOfOnce("after a restart of the system, because \(directory) is in memory") }
    let present = context.manager.read { $0.initializers }.map { ($0.declaration.name, self.present($0)) }
    let recollection = Recollection(
      record.entries, present: Dictionary(present) { first, _ in first }, interrupted: isSameBoot ? interrupted : [])
    record = LaunchRecord(boot: boot)
    for entry in recollection.complete + recollection.checked + recollection.notes { _ = record.add(entry) }
    self.record = record
    file = StateFile(
      context, journal, name: "the state file",
      consequence: "after a restart some launch initializers may run again",
      contents: { [unowned self] in self.record?.text ?? [] })
    again = recollection.again
    // The supervisor before this one may have been killed before it could record them.
    for entry in recollection.checked where isEver(entry.name) && !ever.contains(entry.name) { ever.record(entry) }
    for line in recollection.lines {
      context.logger.info(
        "\(line.text)",
        metadata: .event(.forgotten, initializer: line.initializer, reason: line.reason.rawValue))
    }
    notifyManager(of: recollection.complete, checked: recollection.checked)
    warnOfPollingLoops()
  }

  /// Whether an initializer is done once, over restarts of the system (S37).
  private func isEver(_ name: String) -> Bool {
    context.manager.read { $0.initializer(named: name)?.declaration.freshness?.isEver } == true
  }

  /// Warns that what is to be done once has no effect.
  private func warnOfOnce(_ condition: String) {
    let names = context.manager.read { $0.initializers.filter { $0.declaration.freshness?.isEver == true } }
      .map(\.declaration.name)
    guard !names.isEmpty else { return }
    context.logger.warning("once: ever of \(NameList.shown(names)) has no effect \(condition)")
  }

  /// Takes what the new configuration declares.
  func reload(_ declared: RecordedDeclarations) {
    self.declared = declared
    readOnce()
  }

  /// Returns the runs in flight of these initializers.
  package func runs(of names: [String]) -> [RunID] {
    guard file != nil else { return [] }
    return context.manager.read { machine in
      names.compactMap { machine.initializer(named: $0)?.run }.filter { $0.duration == nil }.map(\.id)
    }
  }

  /// Records that initializers have other work now, so they aren't complete, even if the given runs of the previous work complete.
  package func recordChange(of names: [String], outdating runs: [RunID]) {
    guard file != nil else { return }
    outdated.formUnion(runs)
    for name in names where record?.entry(named: name) != nil { recordIncomplete(name, .changed) }
  }

  /// Removes the outputs of initializers that are secret from now on.
  package func recordSecrecy(of names: [String]) {
    let written = names.filter { record?.entry(named: $0)?.output != nil }
    guard !written.isEmpty else { return }
    for name in written { recordIncomplete(name, .secret) }
    // The lines before still have the outputs.
    if let file, !file.isRemoved, !file.rewrite() { file.remove() }
  }

  /// Warns of launch commands that only poll until something is up.
  private func warnOfPollingLoops() {
    let names = declared.pollingLaunches
    guard !names.isEmpty else { return }
    context.logger.warning(
      "these launch commands wait in a loop: \(NameList.shown(names)); after a restart they don't run again; give each that waits for something to be up perProcess: true"
    )
  }

  /// Describes an initializer as it is declared now.
  private func present(_ snapshot: InitializerSnapshot) -> Recollection.Present {
    let declaration = snapshot.declaration
    let again: Initializer.Again? =
      if once.contains(declaration.name) {
        Initializer.Again(.once)
      } else if let cause = afterOnce[declaration.name] {
        Initializer.Again(.dependency, of: cause)
      } else if declaration.isPerProcess {
        Initializer.Again(.perProcess)
      } else if snapshot.provider == .waitFor || snapshot.provider == .process || declaration.hasUnless {
        Initializer.Again(.checked)
      } else {
        snapshot.provider == .inProcess ? Initializer.Again(.inProcess) : nil
      }
    return Recollection.Present(
      work: work(of: declaration.name), again: again, dependencies: declaration.dependencies,
      mayBeFresh: declaration.freshness != nil, isEver: declaration.freshness?.isEver == true)
  }

  /// Returns the identity of an initializer's work: if it differs, the definition has changed.
  package func work(of name: String) -> String { declared.works[name] ?? Recollection.worker }

  /// Explains why an initializer runs that has completed before, and isn't fresh (S30).
  package func explain(_ name: String, _ verdict: FreshnessVerdict, in phase: Phase) {
    let reason: AgainReason
    var message: String?
    switch verdict {
    case .fresh, .notCompleted: return
    case .changed:
      reason = .inputs
      message = describeChange(of: name)
    case .unreadable:
      reason = .inputs
      message = "its inputs couldn't be compared with those when it completed"
    case .stale where changedFiles(of: name)?.isEmpty == false:
      reason = .inputs
      message = describeChange(of: name)
    case .stale: reason = .stale
    case .expired: reason = .expired
    }
    var shape = Initializer.Again(reason)
    if let message { shape.message = message }
    if phase == .launch, record?.entry(named: name)?.isComplete == true { again[name] = shape }
    context.logger.info(
      "\(name) runs again: \(shape.message)",
      metadata: .event(.forgotten, initializer: name, reason: reason.rawValue))
  }

  /// Records the files of an initializer's inputs, when they have been read.
  package func readInputs(of name: String, _ digests: InputDigests) { inputs[name, default: (nil, nil)].now = digests }

  /// Returns the files of an initializer's inputs that have changed since it completed; nil if that isn't known.
  private func changedFiles(of name: String) -> [String]? {
    inputs[name]?.completed.flatMap { completed in inputs[name]?.now?.differences(from: completed) }
  }

  /// Returns the files of an initializer's inputs that differ from those when it completed; nil if that isn't known.
  package func changedFiles(of name: String, now: InputDigests) -> [String]? {
    inputs[name]?.completed.flatMap { now.differences(from: $0) }
  }

  /// Returns what has changed since an initializer completed, after its name and "runs again because".
  private func describeChange(of name: String) -> String {
    guard let files = changedFiles(of: name) else {
      return "its inputs, or an output that it takes, have changed since it completed"
    }
    switch files.count {
    case 0: return "an output that it takes has changed since it completed"
    case 1: return "its input \(files[0]) has changed since it completed"
    default: return "its inputs have changed since it completed: \(files.count) files, e.g. \(files[0])"
    }
  }

  /// Returns the shape of an initializer with the reason why it runs again, until it is complete.
  package func explained(_ shape: Initializer) -> Initializer {
    guard !again.isEmpty, shape.status != .complete, let reason = again[shape.name] else { return shape }
    var shape = shape
    shape.again = reason
    return shape
  }

  private func putAside(_ journal: JournalFile, because why: String) throws(JournalError) {
    let aside: String
    do { aside = try journal.putAside() } catch { throw .system(error) }
    let damage = "\(why); it is renamed to \(aside), and all launch initializers run"
    context.logger.warning("\(damage)")
    self.damage = damage
  }

  private func notifyManager(of complete: [LaunchRecord.Entry], checked: [LaunchRecord.Entry]) {
    let entries = complete + checked
    guard !entries.isEmpty else { return }
    let outputs = entries.reduce(into: [String: RemoteOutput]()) { outputs, entry in
      outputs[entry.name] = entry.output.flatMap { try? RunOutput(Array($0.utf8)) }.map(RemoteOutput.init)
    }
    log(remembered: complete.map(\.name), checked: checked.map(\.name))
    stale = Set(entries.lazy.filter { $0.stale == true }.map(\.name))
    for entry in checked { inputs[entry.name] = (nil, entry.inputs.map(InputDigests.init)) }
    let fingerprints = checked.reduce(into: [String: Fingerprint]()) { $0[$1.name] = $1.known }
    context.manager.use { [stale] in
      $0.remember(entries.map(\.name), stale: stale, fingerprints: fingerprints, outputs: outputs)
    }
  }

  private func log(remembered names: [String], checked: [String]) {
    if !names.isEmpty {
      let count =
        names.count == 1
        ? "1 launch initializer completed before and doesn't run again"
        : "\(names.count) launch initializers completed before and don't run again"
      context.logger.info(
        "\(count): \(NameList.shown(names)); perProcess: true makes one run at each start",
        metadata: .event(.remembered))
    }
    if !checked.isEmpty {
      let count =
        checked.count == 1
        ? "1 launch initializer completed before, and runs again unless it is fresh"
        : "\(checked.count) launch initializers completed before, and run again unless they are fresh"
      context.logger.info("\(count): \(NameList.shown(checked))")
    }
  }

  /// Records that an initializer which has completed runs again, or whether it is stale (S26).
  func handle(_ snapshot: InitializerSnapshot) {
    guard file != nil else { return }
    let name = snapshot.declaration.name
    switch snapshot.status {
    case .running where snapshot.run?.phase == .active && snapshot.declaration.freshness != nil:
      // This run may change the result of the run in launch, so the initializer is no longer known to be fresh.
      guard var entry = record?.entry(named: name), entry.known != nil else { return }
      entry.fingerprint = nil
      entry.completed = nil
      if let line = record?.add(entry) { save(line, of: name, wasComplete: true) }
    case .running where snapshot.run?.phase == .launch:
      ever?.drop(name)
      guard record?.entry(named: name)?.isComplete == true else { return }
      stale.remove(name)
      recordIncomplete(name, .interrupted)
    case .complete where snapshot.isStale != stale.contains(name),
      .skipped where snapshot.skipReason == .fresh && snapshot.isStale != stale.contains(name):
      guard var entry = record?.entry(named: name), entry.isComplete else { return }
      if snapshot.isStale { stale.insert(name) } else { stale.remove(name) }
      entry.stale = snapshot.isStale ? true : nil
      if let line = record?.add(entry) { save(line) }
    case .idle, .waiting, .running, .stopping, .complete, .failed, .cancelled, .notRun, .skipped: break
    }
  }

  /// Records how a run has ended.
  ///
  /// This is called in the same step, before clients are notified of the new states.
  func remember(_ run: RunRecord) {
    if run.outcome == .complete, let read = inputs[run.initializer] { inputs[run.initializer] = (read.now, read.now) }
    guard file != nil, run.phase == .launch, let outcome = run.outcome else { return }
    let isOutdated = outdated.remove(run.run) != nil
    switch outcome {
    case .complete where isOutdated: recordIncomplete(run.initializer, .changed)
    case .complete: complete(run)
    case .failed: if run.nextAttempt == nil { recordIncomplete(run.initializer, .failed) }
    case .cancelled: recordIncomplete(run.initializer, .cancelled)
    }
  }

  private func complete(_ run: RunRecord) {
    again[run.initializer] = nil
    guard let entry = entry(for: run) else { return forget([run.initializer]) }
    guard entry.isComplete else { return add(entry) }
    guard let line = record?.add(entry), let size = record?.size else { return }
    guard size <= Self.limit else {
      context.logger.error(
        "cannot record that \(entry.name) is complete: the state file would exceed 64 MiB; after a restart \(entry.name) runs again"
      )
      // The file has the output of an earlier run, which is obsolete.
      add(LaunchRecord.Entry(name: entry.name, again: .unrecorded, gave: entry.gaveOutput))
      unremembered.insert(entry.name)
      return
    }
    unremembered.remove(entry.name)
    save(line)
    if isEver(entry.name) { ever?.record(entry) }
  }

  private func entry(for run: RunRecord) -> LaunchRecord.Entry? {
    let name = run.initializer
    guard let snapshot = context.manager.read({ $0.initializer(named: name) }) else { return nil }
    let now = present(snapshot)
    let output = context.manager.use { $0.output(ofEnding: run.run) }
    if let again = now.again?.reason.known {
      return LaunchRecord.Entry(name: name, again: again, of: now.again?.initializer, gave: output != nil)
    }
    var entry = LaunchRecord.Entry(name: name, work: now.work, dependencies: now.dependencies)
    if let fingerprint = context.manager.read({ $0.fingerprint(of: name) }) {
      entry.fingerprint = fingerprint.digest
      entry.inputs = inputs[name]?.completed?.lines
      entry.completed = Int(fingerprint.moment / .milliseconds(1))
    }
    switch output {
    case nil: return entry
    case let remote as RemoteOutput where !remote.isSecret:
      entry.output = String(decoding: remote.output.value.bytes, as: UTF8.self)
      return entry
    default: return LaunchRecord.Entry(name: name, again: .secret, gave: true)
    }
  }

  /// Records that an initializer's stop command runs: its work is undone, and must run again after a restart.
  package func recordStop(of name: String) {
    context.logger.info("stopping \(name)")
    recordIncomplete(name, .stopped)
  }

  /// Records that an initializer isn't complete.
  ///
  /// The dependents may have got the initializer's earlier output.
  private func recordIncomplete(_ name: String, _ reason: AgainReason) {
    ever?.drop(name)
    guard file != nil, context.manager.isKnown(name) else { return forget([name]) }
    add(LaunchRecord.Entry(name: name, again: reason, gave: record?.entry(named: name)?.gaveOutput == true))
  }

  private func add(_ entry: LaunchRecord.Entry) {
    let wasComplete = record?.entry(named: entry.name)?.isComplete == true
    guard let line = record?.add(entry), let size = record?.size else { return }
    guard size <= Self.limit else { return forget([entry.name]) }
    save(line, of: entry.name, wasComplete: wasComplete)
  }

  /// Forgets initializers that were unregistered, or can't be remembered.
  package func forget(_ names: [String]) {
    for name in names {
      ever?.drop(name)
      unremembered.remove(name)
      stale.remove(name)
      inputs[name] = nil
      again[name] = nil
      guard let line = record?.forget(name) else { continue }
      save(line, of: name, wasComplete: true)
    }
  }

  /// Appends a line which says that an initializer isn't complete.
  ///
  /// `wasComplete` is true if the file may still say that the initializer is complete.
  private func save(_ line: [UInt8], of name: String, wasComplete: Bool) {
    guard !save(line), wasComplete, let file, !file.isRemoved, !file.rewrite() else { return }
    // The file can't be updated. Without a file all launch initializers run again, which is safe.
    file.remove()
    context.logger.error(
      "the state file is removed, because it still lists \(name) as complete: after a restart all launch initializers run"
    )
  }

  /// Closes the file, because the next supervisor may need it.
  func close() {
    file?.close()
    file = nil
    ever?.close()
    ever = nil
  }

  /// Appends a line.
  ///
  /// - Returns: whether the line was written.
  @discardableResult
  private func save(_ line: [UInt8]) -> Bool {
    guard let file, let record else { return false }
    return file.append(line, within: min(2 * record.size + Self.slack, Self.limit))
  }
}
