internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire
internal import Platform

/// Files from which the supervisor has read its manifest, and that have other contents now.
enum ManifestChange {
  /// The greatest file of a manifest, in bytes.
  private static let mostBytes = 1 << 20

  /// Returns the paths of the files whose contents differ from those that were read; those that this user can't read count as unchanged.
  ///
  /// `key` is that of the answer to hello; without it nothing is known.
  static func files(_ status: Status, key: String?) -> [String] {
    guard let key else { return [] }
    return (status.sources ?? []).filter { source in
      guard let file = try? RegularFile.open(source.path, followsLink: true) else {
        return FileIdentity(behind: source.path) == nil
          && FileIdentity(behind: FilePath.directory(of: source.path)) != nil
      }
      guard let bytes = try? file.contents(upTo: mostBytes + 1, source.path) else { return false }
      var hash = SHA256()
      hash.update(Array(key.utf8) + bytes)
      return hash.hexDigest != source.digest
    }.map(\.path)
  }

  /// Says on standard error which files have changed, and what to do.
  static func complain(_ status: Status, of client: Client) async {
    let changed = files(status, key: await client.hello?.sourceKey)
    guard !changed.isEmpty else { return }
    let files = NameList.files(changed.map(FilePath.name))
    Console.complain("\(files) \(changed.count > 1 ? "have" : "has") changed: initctl reload")
  }

  /// Asks a supervisor, and says on standard error what has changed.
  static func complain(on client: Client) async {
    if let status = try? await client.status() { await complain(status, of: client) }
  }
}
