internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitJSON
internal import InitRecords
internal import InitRunner
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform
internal import WireConversions

/// Reads what the work of initializers depends on if they may be fresh (S30), without blocking the loop.
final class Fingerprints {
  let shared: SupervisorContext
  private let launches: LaunchJournal
  /// Added to the hashes of secrets, so a hash in the state directory can't be used to guess a secret.
  private let salt = (0..<SHA256.size).map { _ in UInt8.random(in: .min ... .max) }
  private let brake = Brake()
  /// How many are being read.
  private var reading = 0
  /// Called when nothing is being read any more.
  var onIdle: (() -> Void)?

  init(_ shared: SupervisorContext, launches: LaunchJournal) {
    self.shared = shared
    self.launches = launches
  }

  /// Whether no read is in progress.
  var isIdle: Bool { reading == 0 }

  /// Ends reading, for the supervisor's end.
  func close() { brake.pull() }

  /// Reads what an initializer's work depends on now, and passes it to `then`; passes nil if the initializer is never fresh or the read
  /// fails.
  func read(_ check: ConditionCheck, then: @escaping (Fingerprint?) -> Void) {
    guard let declaration = shared.read({ $0.initializer(named: check.initializer)?.declaration }),
      let freshness = declaration.freshness
    else { return then(nil) }
    // Before the files are read: a later moment would make it fresh for too long.
    let moment = BootClock.now
    let hash = hash(of: declaration, check.phase)
    guard !freshness.inputs.isEmpty else { return then(Fingerprint(hash.hexDigest, at: moment)) }
    reading += 1
    shared.loop.performInThread { [brake] in
      Result { () throws(InputFiles.Problem) in
        var hash = hash
        let files = try InputFiles(freshness) { brake.isPulled }.hash(into: &hash)
        return (hash.hexDigest, InputDigests(files))
      }
    } then: { [weak self] result in
      guard let self else { return }
      reading -= 1
      switch result {
      case .success(.success(let (digest, digests))):
        launches.readInputs(of: check.initializer, digests)
        then(Fingerprint(digest, at: moment))
      case .success(.failure(let problem)):
        report(check.initializer, "\(problem)")
        then(nil)
      case .failure(let error):
        report(check.initializer, "\(error)")
        then(nil)
      }
      if isIdle { onIdle?() }
    }
  }

  /// Returns a hash of an initializer's definition and of the outputs that it gets.
  private func hash(of declaration: Declaration, _ phase: Phase) -> SHA256 {
    var hash = SHA256()
    hash.update(launches.work(of: declaration.name))
    let inputs = shared.manager.assumeIsolated { $0.inputs(of: declaration.name, in: phase) }
    let referred = referred(by: declaration)
    let others = referred.isEmpty ? [:] : shared.manager.assumeIsolated { $0.outputs(of: referred) }
    for name in declaration.dependencies + referred {
      hash.update(name)
      // A value that is only for Swift objects isn't part of the fingerprint.
      guard let value = inputs[name] ?? others[name], let output = try? RunOutput(passingOn: value) else {
        hash.update("")
        continue
      }
      if output.isSecret { hash.update(salt) }
      hash.update(String(decoding: output.value.bytes, as: UTF8.self))
    }
    return hash
  }

  /// Returns the initializers above its dependencies whose outputs its command refers to (S35).
  private func referred(by declaration: Declaration) -> [String] {
    let declared = shared.configuration.initializers.first { $0.declaration.name == declaration.name }
    let names = (declared?.command?.references ?? []).compactMap(\.initializer)
    return Set(names).subtracting(declaration.dependencies).sorted()
  }

  private func report(_ name: String, _ problem: String) {
    guard !brake.isPulled else { return }
    shared.logger.warning("cannot tell whether \(name) is fresh: \(problem); it runs")
  }
}

extension InputDigests {
  /// Keeps the hashes of the contents of these files.
  init(_ files: [(path: String, contents: SHA256)]) {
    self.init()
    for file in files { add(file.path, hash: file.contents.hexDigest) }
  }
}
