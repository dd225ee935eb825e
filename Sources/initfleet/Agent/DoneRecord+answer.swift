internal import Etcd
internal import Fleet
internal import InitJSON
internal import InitText
internal import InitWire

extension DoneRecord {
  /// The record of a completion.
  ///
  /// - Throws: that it can't be read.
  static func read(_ entry: EtcdEntry, of initializer: String) throws -> DoneRecord {
    guard let record = try? RawJSON(checking: entry.value).read(DoneRecord.self) else {
      throw OnceError(description: "the key \(entry.key) in etcd can't be read; delete it to run \(initializer) again")
    }
    return record
  }

  /// The answer to the claim of a host that has waited for it.
  var answer: ClaimResult { .done(output: output, message: "completed on \(host) at \(MomentText.print(time))") }
}
