internal import Glibc
package import InitCore
internal import Platform

/// The files that match some patterns at one time, their contents, and the directories in which a change shows: a value.
///
/// All functions but ``differences(from:)`` block.
package struct WatchedFiles: Sendable {
  /// What is watched.
  package struct Target: Hashable, Sendable {
    let patterns: [InputPattern]
    let directory: String

    /// Watches the files that match these patterns; relative ones start at the directory.
    package init(_ patterns: [InputPattern], in directory: String) {
      self.patterns = patterns
      self.directory = directory
    }

    /// Returns the target with further patterns.
    package func adding(_ more: [InputPattern]) -> Target { Target(patterns + more, in: directory) }
  }

  /// Why files can't be watched.
  package struct Problem: Error, Equatable {
    /// The pattern, and what is wrong with it.
    package let pattern: InputPattern
    package let cause: InputFiles.Problem
  }

  private struct File: Sendable {
    let version: FileIdentity.Version?
    /// The hash of the contents: empty if they can't be read, nil if they weren't read yet.
    var digest: [UInt8]?

    func isSame(as other: File?) -> Bool {
      guard let other else { return false }
      return version == other.version || digest != nil && digest == other.digest
    }
  }

  private var files: [String: File] = [:]
  /// The absolute paths of directories, each with the names that matter in it.
  package private(set) var places: [String: Set<InputNames>] = [:]
  /// The pattern that needs each directory.
  package private(set) var patterns: [String: InputPattern] = [:]

  /// Finds the files and the directories, and reads no contents.
  ///
  /// `isStopped` is called repeatedly, and returns whether to give up.
  package init(of target: Target, isStopped: @escaping () -> Bool = { false }) throws(Problem) {
    for pattern in target.patterns {
      do throws(InputFiles.Problem) {
        let found = try InputFiles(watching: pattern, in: target.directory, isStopped: isStopped)
        for path in found.paths { addFile(path, at: found.located(path)) }
        places.merge(found.places) { $0.union($1) }
        for place in found.places.keys { patterns[place] = patterns[place] ?? pattern }
      } catch {
        throw Problem(pattern: pattern, cause: error)
      }
    }
  }

  private mutating func addFile(_ path: String, at location: String) {
    files[path] = File(version: FileIdentity(behind: location)?.version)
    // What a link leads to changes elsewhere.
    guard FileIdentity(at: location)?.isLink == true, let real = realpath(location, nil) else { return }
    defer { free(real) }
    guard let target = String(validatingCString: real) else { return }
    places[FilePath.directory(of: target), default: []].insert(.name(FilePath.name(of: target)))
  }

  /// Finds the files, and reads the contents of those that aren't the same as before; nil if something was changed in the meantime.
  package static func reading(
    _ target: Target, after earlier: WatchedFiles?, isStopped: @escaping () -> Bool
  ) throws(Problem) -> WatchedFiles? {
    var now = try WatchedFiles(of: target, isStopped: isStopped)
    var size = 0
    for (path, file) in now.files {
      if let before = earlier?.files[path], before.version == file.version, before.digest != nil {
        now.files[path]?.digest = before.digest
        continue
      }
      let location = path.hasPrefix("/") ? path : target.directory + "/" + path
      var contents = SHA256()
      do throws(StableFile.Failure) {
        try StableFile.read(location) { bytes in
          size += bytes.count
          contents.update(bytes)
          return size <= InputFiles.mostBytes && !isStopped()
        }
        // The contents must be those of the file that was found.
        guard FileIdentity(behind: location)?.version == file.version else { return nil }
        now.files[path]?.digest = contents.digest
      } catch {
        switch error {
        case .changed: return nil
        case .stopped where isStopped(): return nil
        case .stopped:
          throw Problem(pattern: target.patterns[0], cause: .tooLarge)
        case .unopened, .unread: now.files[path]?.digest = []
        }
      }
    }
    return now
  }

  /// Takes the contents of the files that are still the same.
  package mutating func takeContents(from other: WatchedFiles) {
    for (path, file) in files where file.digest == nil && other.files[path]?.version == file.version {
      files[path] = other.files[path]
    }
  }

  /// Adds the files that only the other one has.
  package mutating func add(from other: WatchedFiles) { files.merge(other.files) { own, _ in own } }

  /// Returns the same files with the contents that are known of them.
  package func taking(_ other: WatchedFiles?) -> WatchedFiles {
    var copy = self
    if let other { copy.takeContents(from: other) }
    return copy
  }

  /// Returns the paths of the files that were added, removed or changed since then, in the order of their bytes.
  package func differences(from earlier: WatchedFiles) -> [String] {
    Set(files.keys).union(earlier.files.keys).filter {
      if let file = files[$0] { !file.isSame(as: earlier.files[$0]) } else { true }
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
