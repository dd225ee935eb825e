internal import Glibc
package import Platform

/// Watches a set of directories, each as the one that is at its path: one that is removed and made again is another one.
package final class DirectoryWatches {
  private struct Watch {
    let identity: FileIdentity
    let watch: FileWatch
  }

  private let loop: Loop
  /// Called with a directory and the name of a file in it that may have changed, or with the directory's own name.
  package var onChange: (_ directory: String, _ name: String) -> Void = { _, _ in }
  private var watches: [String: Watch] = [:]

  /// Watches nothing yet.
  package init(loop: Loop) { self.loop = loop }

  /// Watches those of these directories that exist, and no others.
  ///
  /// - Returns: whether some weren't watched before.
  /// - Throws: why the first of them can't be watched; the others are.
  package func watch(_ directories: some Collection<String>) throws(SystemError) -> Bool {
    var next: [String: Watch] = [:]
    var failure: SystemError?
    var hasNew = false
    for path in directories {
      guard let identity = FileIdentity(behind: path), identity.isDirectory else { continue }
      if let known = watches[path], known.identity.isSame(as: identity) {
        next[path] = known
        continue
      }
      do throws(SystemError) {
        let watch = try FileWatch(loop: loop, path: path) { [weak self] name in self?.handle(name, in: path) }
        next[path] = Watch(identity: identity, watch: watch)
        hasNew = true
      } catch {
        // What can't be read can't be watched: usually it is above what matters.
        if !error.isAbsence, error.errno != EACCES { failure = failure ?? error }
      }
    }
    for (path, watch) in watches where next[path]?.watch !== watch.watch { watch.watch.close() }
    watches = next
    if let failure { throw failure }
    return hasNew
  }

  private func handle(_ name: String, in path: String) {
    // The name can be the directory's own. It may have been removed, and the kernel tells nothing about a new directory at the same path,
    // which may even have the same inode number.
    if path.hasSuffix("/" + name) { watches.removeValue(forKey: path)?.watch.close() }
    onChange(path, name)
  }

  /// Watches nothing any more.
  package func close() {
    for watch in watches.values { watch.watch.close() }
    watches = [:]
  }
}
