internal import AppInitializers
internal import InitBridge
internal import InitCore
internal import InitWire
internal import Logging
internal import Platform

/// The state directory: remembers which launch initializers have completed since the system booted. A completion is written before
/// clients are notified of it, so that clients can rely on it.
///
/// Some completions aren't remembered: those of Swift objects and of workers' `perProcess` initializers, because their effect ends with the
/// process; those that are marked `once`, because the coordinator knows them, and their dependents; and those with a secret output, because secrets aren't written to disk and dependents may still need the output.
final class Memory: Part {
  private static let fileName = "launched"
  /// The maximum size of the file in bytes; a larger file isn't read.
  private static let limit = 64 << 20
  /// How many stale bytes, beyond the size of the current contents, are tolerated before compaction.
  private static let slack = 1 << 20

  /// Why the state file isn't written; nil if it is.
  var unwritten: String? { file?.unwritten }
  /// The initializers that don't fit into the state file.
  private(set) var unremembered: Set<String> = []

  let core: Core
  private var file: StateFile?
  private var record: LaunchRecord?
  /// The identity of each of the manifest's commands: if it differs from the record's, the command has changed.
  private var works: [String: String] = [:]

  /// The initializers that are marked `once`, and their direct and indirect dependents, which a new release changes too.
  private let once: Set<String>

  init(_ core: Core) {
    self.core = core
    let declared = core.configuration.initializers
    let names = declared.filter(\.isOnce).map(\.declaration.name)
    let dependencies = declared.map { ($0.declaration.name, $0.declaration.dependencies) }
    once =
      names.isEmpty ? [] : Self.reached(from: names, over: Dictionary(dependencies) { first, _ in first }).union(names)
  }

  /// Reads which initializers have completed before, and tells the machine.
  func recall() throws(JournalError) {
    guard let directory = configuration.stateDirectory else { return }
    guard let boot = BootID.read() else { throw .unknownBoot }
    let journal = try JournalFile(Self.fileName, in: directory, limit: Self.limit)
    var record = LaunchRecord(boot: boot)
    if let doubt = journal.doubt {
      try putAside(journal, because: "the state file is ignored: \(doubt)")
    } else if let contents = journal.contents {
      switch LaunchRecord.read(contents, boot: boot) {
      case .record(let found): record = found
      case .otherBoot:
        logger.info("the system was rebooted since \(journal.path) was written: all launch initializers run")
      case .damaged(let line): try putAside(journal, because: "the state file is damaged in line \(line)")
      }
    }
    works = Dictionary(
      configuration.initializers.filter { !once.contains($0.declaration.name) }.compactMap { declared in
        declared.command.map {
          (declared.declaration.name, "command \(Checksum($0.identity(in: configuration.declaredEnvironment)))")
        }
      }, uniquingKeysWith: { first, _ in first })
    forgetChanged(in: &record)
    do { try journal.replace(with: record.text) } catch { throw .system(error) }
    file = StateFile(
      core, journal, name: "the state file",
      consequence: "after a restart some launch initializers may run again",
      contents: { [unowned self] in self.record?.text ?? [] })
    self.record = record
    tellManager(of: record.entries)
  }

  /// Forgets initializers that have changed, and their direct and indirect dependents, because these ran with the results of the old ones.
  private func forgetChanged(in record: inout LaunchRecord) {
    let entries = record.entries
    let changed = entries.filter { $0.work != work(of: $0.name) }.map(\.name)
    guard !changed.isEmpty else { return }
    let declared = core.read { $0.initializers.map(\.declaration) }
    var dependencies = Dictionary(entries.map { ($0.name, $0.dependencies ?? []) }) { first, _ in first }
    for declaration in declared { dependencies[declaration.name] = declaration.dependencies }
    let stale = Self.reached(from: changed, over: dependencies)
    let dependents = record.names.filter { stale.contains($0) && !changed.contains($0) }
    for name in changed + dependents { _ = record.forget(name) }
    let known = Set(declared.map(\.name))
    let again = changed.filter(known.contains)
    if !again.isEmpty {
      logger.info(
        "these initializers changed since they completed, and run again: \(Warnings.shown(again))",
        metadata: .event(.forgotten))
    }
    if !dependents.isEmpty {
      logger.info(
        "these initializers run again because they depend on changed ones: \(Warnings.shown(dependents))",
        metadata: .event(.forgotten))
    }
  }

  /// The direct and indirect dependents of these.
  private static func reached(from changed: [String], over dependencies: [String: [String]]) -> Set<String> {
    var dependents: [String: [String]] = [:]
    for (name, needed) in dependencies { for each in needed { dependents[each, default: []].append(name) } }
    var reached: Set<String> = []
    var next = changed
    while let name = next.popLast() {
      for dependent in dependents[name] ?? [] where reached.insert(dependent).inserted { next.append(dependent) }
    }
    return reached
  }

  private func putAside(_ journal: JournalFile, because why: String) throws(JournalError) {
    let aside: String
    do { aside = try journal.putAside() } catch { throw .system(error) }
    logger.warning("\(why); it is renamed to \(aside), and all launch initializers run")
  }

  private func tellManager(of entries: [LaunchRecord.Entry]) {
    let names = entries.map(\.name)
    guard !names.isEmpty else { return }
    let outputs = entries.reduce(into: [String: RemoteOutput]()) { outputs, entry in
      outputs[entry.name] = entry.output.flatMap { try? RunOutput(Array($0.utf8)) }.map(RemoteOutput.init)
    }
    logger.info("these initializers have already completed: \(Warnings.shown(names))", metadata: .event(.remembered))
    core.manager.assumeIsolated { $0.remember(names, outputs: outputs) }
  }

  /// The identity of an initializer's work; nil if it isn't remembered.
  private func work(of name: String) -> String? {
    if once.contains(name) { return nil }
    return works[name] ?? (core.read { $0.initializer(named: name)?.provider } == .inProcess ? nil : "worker")
  }

  /// A run has ended. Called in the same step, before clients are notified of the new states.
  func remember(_ run: RunRecord) {
    guard file != nil, run.phase == .launch, run.outcome == .complete else { return }
    guard let entry = entry(for: run) else { return forget([run.initializer]) }
    guard var record else { return }
    let line = record.note(entry)
    guard record.size <= Self.limit else {
      logger.error(
        "cannot record that \(entry.name) is complete: the state file would exceed 64 MiB; after a restart \(entry.name) runs again"
      )
      // The record has the output of an earlier run, which is obsolete.
      forget([entry.name])
      unremembered.insert(entry.name)
      return
    }
    self.record = record
    unremembered.remove(entry.name)
    save(line)
  }

  private func entry(for run: RunRecord) -> LaunchRecord.Entry? {
    let name = run.initializer
    guard let work = work(of: name), let declaration = core.read({ $0.initializer(named: name)?.declaration }),
      !declaration.isPerProcess
    else { return nil }
    var entry = LaunchRecord.Entry(name: name, work: work, dependencies: declaration.dependencies)
    switch core.manager.assumeIsolated({ $0.output(ofEnding: run.run) }) {
    case nil: return entry
    case let remote as RemoteOutput where !remote.isSecret:
      entry.output = String(decoding: remote.output.value.bytes, as: UTF8.self)
      return entry
    default: return nil
    }
  }

  /// Its stop command runs: its work is undone, and must run again after a restart.
  func noteStop(of name: String) {
    logger.info("stopping \(name)")
    forget([name])
  }

  /// These were unregistered, or can't be remembered.
  func forget(_ names: [String]) {
    for name in names {
      unremembered.remove(name)
      guard let line = record?.forget(name), !save(line), let file, !file.isRemoved, !file.rewrite() else { continue }
      // The file can't be updated, but may still say that it is complete. Without a file all launch initializers run again, which is safe.
      file.remove()
      logger.error(
        "the state file is removed, because it still lists \(name) as complete: after a restart all launch initializers run"
      )
    }
  }

  /// Closes the file, because the next supervisor may need it.
  func close() {
    file?.close()
    file = nil
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

extension Command {
  /// The command's identity: its arguments, environment and directory, each ended by a zero byte, which none of them contains.
  fileprivate func identity(in common: [String: String]) -> [UInt8] {
    let variables = environment.merging(common) { own, _ in own }.sorted { $0.key < $1.key }.map {
      "\($0.key)=\($0.value)"
    }
    let texts = arguments + ["\u{1}"] + variables + ["\u{1}"] + [directory ?? ""]
    return texts.flatMap { Array($0.utf8) + [0] }
  }
}
