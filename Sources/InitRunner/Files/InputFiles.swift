package import InitCore
package import Platform

/// The files that match an initializer's `inputs`, and their contents (S30).
///
/// The files are in the order of their paths' bytes. A directory means all files in it and in its subdirectories. Links to
/// directories in it aren't followed, and only regular files count. All functions block.
package struct InputFiles {
  /// The maximum number of files in the inputs of one initializer.
  package static let mostFiles = 10_000
  /// The maximum number of names that are read in directories to find them.
  package static let mostNames = 100_000
  /// The maximum size of all files together, in bytes.
  package static let mostBytes = 1 << 30
  /// The maximum depth of directories in an input.
  private static let mostDepth = 64

  /// Why the inputs can't be compared; the text follows the name of the initializer and a colon.
  package enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file doesn't exist, or no file matches.
    case none(String)
    /// The file can't be read, for this reason.
    case unreadable(String, String)
    /// The file was changed while it was read.
    case changed(String)
    /// There are too many files.
    case tooMany
    /// The files are too large together.
    case tooLarge
    /// The supervisor ends.
    case stopped

    /// Says what is wrong.
    package var description: String {
      switch self {
      case .none(let pattern): "no file matches its input \(pattern)"
      case .unreadable(let path, let reason): "cannot read its input \(path): \(reason)"
      case .changed(let path): "its input \(path) was changed while it was read"
      case .tooMany: "its inputs are more than \(InputFiles.mostFiles) files, or in directories that are too large"
      case .tooLarge: "its inputs are larger than 1 GiB in total"
      case .stopped: "the supervisor ends"
      }
    }
  }

  private let directory: String
  private let isStopped: () -> Bool
  private var found: Set<String> = []
  private var names = 0
  /// Whether files that editors keep while they work aren't looked at.
  private var isWatch = false
  /// The directories in which files were looked for, whether they exist or not, each with the names that matter in it.
  package private(set) var places: [String: Set<InputNames>] = [:]

  /// Finds the files of all inputs.
  ///
  /// `isStopped` is called repeatedly, and returns whether to give up. Throws if an input has no file.
  package init(_ freshness: Freshness, isStopped: @escaping () -> Bool = { false }) throws(Problem) {
    directory = freshness.directory
    self.isStopped = isStopped
    for input in freshness.inputs {
      guard try expand(input.components[...], at: input.isAbsolute ? "/" : "") else { throw .none(input.description) }
    }
  }

  /// Finds the files that match a pattern now, if any, and where others would be found; what can't be read counts as absent.
  ///
  /// `isStopped` is called repeatedly, and returns whether to give up.
  package init(watching pattern: InputPattern, in directory: String, isStopped: @escaping () -> Bool) throws(Problem) {
    self.directory = directory
    self.isStopped = isStopped
    isWatch = true
    _ = try expand(pattern.components[...], at: pattern.isAbsolute ? "/" : "")
  }

  /// The paths of the files; relative paths start at the manifest's directory.
  package var paths: [String] { found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

  /// Adds the path and the hash of the contents of each file to a hash, and returns them.
  @discardableResult
  package func hash(into hash: inout SHA256) throws(Problem) -> [(path: String, contents: SHA256)] {
    var files: [(path: String, contents: SHA256)] = []
    let paths = paths
    // Reading a gigabyte takes seconds, so files that are too large aren't read at all.
    let known = paths.reduce(0) { $0 + (FileIdentity(behind: located($1))?.size ?? 0) }
    guard known <= Self.mostBytes else { throw .tooLarge }
    var size = 0
    for path in paths {
      var contents = SHA256()
      do {
        try StableFile.read(located(path)) { bytes in
          size += bytes.count
          contents.update(bytes)
          return size <= Self.mostBytes && !isStopped()
        }
      } catch {
        switch error {
        case .changed: throw .changed(path)
        case .unread(let error), .unopened(.system(let error)): throw .unreadable(path, error.reason)
        case .unopened(.irregular(let noun)): throw .unreadable(path, "it is \(noun)")
        case .stopped: throw size > Self.mostBytes ? .tooLarge : .stopped
        }
      }
      hash.update(path)
      hash.update(contents.digest)
      files.append((path, contents))
    }
    return files
  }

  /// Returns the path at which a file is found.
  package func located(_ path: String) -> String {
    path.hasPrefix("/") || directory.isEmpty ? path : path.isEmpty ? directory : directory + "/" + path
  }

  private mutating func note(_ names: InputNames, in directory: String) {
    places[located(directory), default: []].insert(names)
  }

  /// Finds the files of a pattern's components from a directory on.
  ///
  /// - Returns: whether there is any.
  private mutating func expand(_ components: ArraySlice<InputPattern.Component>, at directory: String) throws(Problem)
    -> Bool
  {
    guard let first = components.first else { return try add(directory) }
    let rest = components.dropFirst()
    var isFound = false
    switch first {
    case .name(let name):
      note(.name(name), in: directory)
      return try expand(rest, at: Self.join(directory, name))
    case .names(let pattern):
      note(.matching(pattern), in: directory)
      for name in try list(directory) where pattern.matches(name) {
        if try expand(rest, at: Self.join(directory, name)) { isFound = true }
      }
    case .directories:
      note(.directories, in: directory)
      isFound = try expand(rest, at: directory)
      // The names in the subdirectories of a directory were found with it.
      if rest.isEmpty { return isFound }
      for name in try list(directory) where !name.hasPrefix(".") {
        let path = Self.join(directory, name)
        guard FileIdentity(at: located(path))?.isDirectory == true else { continue }
        if try expand(components, at: path) { isFound = true }
      }
    }
    return isFound
  }

  /// Adds a file, or all files of a directory.
  ///
  /// - Returns: whether the file exists.
  private mutating func add(_ path: String) throws(Problem) -> Bool {
    let location = located(path)
    guard let identity = FileIdentity(behind: location.isEmpty ? "." : location) else {
      let error = SystemError.last("stat", path)
      if error.isAbsence || isWatch { return false }
      throw .unreadable(path, error.reason)
    }
    if identity.isDirectory {
      try addAll(in: path, depth: 0)
    } else if identity.isRegular {
      try insert(path)
    } else if !isWatch {
      throw .unreadable(path, "it is \(identity.noun)")
    }
    return true
  }

  private mutating func addAll(in directory: String, depth: Int) throws(Problem) {
    guard depth < Self.mostDepth else { throw .tooMany }
    note(.all, in: directory)
    for name in try list(directory) {
      let path = Self.join(directory, name)
      guard !isWatch || !InputNames.isOfEditor(name), let identity = FileIdentity(at: located(path)) else { continue }
      if identity.isDirectory {
        try addAll(in: path, depth: depth + 1)
      } else if identity.isRegular || FileIdentity(behind: located(path))?.isRegular == true {
        try insert(path)
      }
    }
  }

  private mutating func insert(_ path: String) throws(Problem) {
    found.insert(path)
    if found.count > Self.mostFiles { throw .tooMany }
  }

  /// Returns the names in a directory; empty if it doesn't exist.
  private mutating func list(_ path: String) throws(Problem) -> [String] {
    if isStopped() { throw .stopped }
    let location = located(path)
    let found: [String]
    do {
      found = try Directory.names(in: location.isEmpty ? "." : location, atMost: Self.mostNames - names)
    } catch {
      if error.isAbsence || isWatch { return [] }
      throw .unreadable(path.isEmpty ? "." : path, error.reason)
    }
    names += found.count
    guard names <= Self.mostNames else { throw .tooMany }
    return found
  }

  private static func join(_ directory: String, _ name: String) -> String {
    directory.isEmpty ? name : directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
