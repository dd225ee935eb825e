internal import AppInitializers
internal import InitBridge
internal import InitCore
internal import InitWire
internal import Logging
internal import Platform

/// What outlives this process, where there is a state directory: which launch initializers have completed since the system's start. Whoever was
/// told that one is complete can rely on it: it is in the file before.
///
/// Not remembered is what lives in a process (Swift objects, and what a worker declares `perProcess`), and what handed over a secret: no
/// secret is written down, and its dependents may still need it.
final class Memory: Part {
  private static let file = "launched"
  /// How large the file may become, in bytes: of what is larger no more is read.
  private static let limit = 64 << 20
  /// How much of the file may be what was overtaken, in bytes, beyond as much as holds.
  private static let slack = 1 << 20

  /// Why the state file can't be written, if it can't.
  private(set) var unwritten: String?
  /// The initializers for which the state file has no room.
  private(set) var unremembered: Set<String> = []

  let core: Core
  private var journal: JournalFile?
  private var record: LaunchRecord?
  /// What each command of the manifest does, as the record tells one from another.
  private var works: [String: String] = [:]

  init(_ core: Core) { self.core = core }

  /// Reads what has completed before, and tells the machine.
  func recall() throws(JournalError) {
    guard let directory = configuration.stateDirectory else { return }
    guard let boot = BootID.read() else { throw .unknownBoot }
    let journal = try JournalFile(Self.file, in: directory, limit: Self.limit)
    var record = LaunchRecord(boot: boot)
    if let doubt = journal.doubt {
      try putAside(journal, because: "the state file is not believed: \(doubt)")
    } else if let contents = journal.contents {
      switch LaunchRecord.read(contents, boot: boot) {
      case .record(let found): record = found
      case .otherBoot: logger.info("the system was started since \(journal.path) was written: all of launch runs")
      case .damaged(let line): try putAside(journal, because: "the state file is damaged, in line \(line)")
      }
    }
    works = Dictionary(
      configuration.initializers.compactMap { declared in
        declared.command.map {
          (declared.declaration.name, "command \(Checksum($0.identity(in: configuration.declaredEnvironment)))")
        }
      }, uniquingKeysWith: { first, _ in first })
    forgetChanged(in: &record)
    do { try journal.replace(with: record.text) } catch { throw .system(error) }
    self.journal = journal
    self.record = record
    tellManager(of: record.entries)
  }

  /// Forgets what isn't what it was, and what depends on that, directly or through others: it ran with what the other one had done.
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
        "changed since completion, and run again: \(Warnings.shown(again))", metadata: .event(.forgotten))
    }
    if !dependents.isEmpty {
      logger.info(
        "run again because they depend on what changed: \(Warnings.shown(dependents))", metadata: .event(.forgotten))
    }
  }

  /// All that depends on one of these, directly or through others.
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
    logger.warning("\(why): it is put aside as \(aside), and all of launch runs")
  }

  private func tellManager(of entries: [LaunchRecord.Entry]) {
    let names = entries.map(\.name)
    guard !names.isEmpty else { return }
    let outputs = entries.reduce(into: [String: RemoteOutput]()) { outputs, entry in
      outputs[entry.name] = entry.output.flatMap { try? RunOutput(Array($0.utf8)) }.map(RemoteOutput.init)
    }
    logger.info("complete since before: \(Warnings.shown(names))", metadata: .event(.remembered))
    core.manager.assumeIsolated { $0.remember(names, outputs: outputs) }
  }

  /// What an initializer of that name stands for now; nil for what isn't remembered.
  private func work(of name: String) -> String? {
    works[name] ?? (core.read { $0.initializer(named: name)?.provider } == .inProcess ? nil : "worker")
  }

  /// A run has ended; in the step in which it did, and before the states that follow from it are told.
  func remember(_ run: RunRecord) {
    guard journal != nil, run.phase == .launch, run.outcome == .complete else { return }
    guard let entry = entry(for: run) else { return forget([run.initializer]) }
    guard var record else { return }
    let line = record.note(entry)
    guard record.size <= Self.limit else {
      logger.error(
        "cannot remember that \(entry.name) is complete: the state file would have more than 64 MiB; after a restart it runs again"
      )
      // What it handed over before isn't what it has handed over now.
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

  /// Its `stop` runs: what it has done is undone, and has to be done again after a restart.
  func noteStop(of name: String) {
    logger.info("stopping \(name)")
    forget([name])
  }

  /// These were taken away, or can't be remembered.
  func forget(_ names: [String]) {
    for name in names {
      unremembered.remove(name)
      guard let line = record?.forget(name), !save(line) else { continue }
      // A file that can't be written says that it is complete; none says less than is so, and nothing that isn't.
      journal?.remove()
      logger.error(
        "the state file is removed, because it said that \(name) is complete: after a restart all of launch runs")
    }
  }

  /// Tries once more to write what couldn't be written, as there may be room again, and gives the file back: the next supervisor may want it.
  func close() {
    if unwritten != nil { rewrite() }
    journal = nil
  }

  /// Writes a line down, or, where that fails or most of the file has been overtaken, all there is.
  ///
  /// - Returns: whether it is written.
  @discardableResult
  private func save(_ line: [UInt8]) -> Bool {
    guard let journal, let record else { return false }
    let most = min(2 * record.size + Self.slack, Self.limit)
    if journal.size + line.count <= most, (try? journal.append(line)) != nil { return true }
    return rewrite()
  }

  @discardableResult
  private func rewrite() -> Bool {
    guard let journal, let record else { return false }
    do throws(SystemError) {
      try journal.replace(with: record.text)
      if unwritten != nil { logger.info("the state file \(journal.path) is written again") }
      unwritten = nil
      return true
    } catch {
      let why = "the state file is not written: \(error); after a restart some of launch may run again"
      unwritten = why
      logger.error("\(why)")
      return false
    }
  }
}

extension Command {
  /// What tells it from another: its arguments, environment and directory, each ended by a zero byte, which none of them has.
  fileprivate func identity(in common: [String: String]) -> [UInt8] {
    let variables = environment.merging(common) { own, _ in own }.sorted { $0.key < $1.key }.map {
      "\($0.key)=\($0.value)"
    }
    let texts = arguments + ["\u{1}"] + variables + ["\u{1}"] + [directory ?? ""]
    return texts.flatMap { Array($0.utf8) + [0] }
  }
}
