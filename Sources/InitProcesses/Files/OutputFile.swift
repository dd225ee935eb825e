internal import Glibc
package import Platform

/// A file for a child's output: the child creates it, and it is read once and removed.
package struct OutputFile {
  /// The path.
  ///
  /// In a private directory, other users can't write it.
  package let path: String
  /// The directory that contains only this file, and is removed with it; nil if there is none.
  private let directory: String?
  /// The user that must own the file; nil if no other user can write it.
  private let owner: UInt32?

  /// Names an output file that doesn't exist yet.
  package init(path: String) {
    self.path = path
    directory = nil
    owner = nil
  }

  /// Names an output file in a directory of its own, which belongs to the child's user.
  init(in directory: String, of owner: UInt32) {
    path = directory + "/output"
    self.directory = directory
    self.owner = owner
  }

  /// Reads the contents; nil if the file doesn't exist.
  ///
  /// `limit` is the maximum size of the file in bytes. Throws why it can't be read. It is removed anyway.
  package func readAndRemove(limit: Int) throws(OutputFileError) -> [UInt8]? {
    let descriptor: Descriptor
    do throws(RegularFileError) {
      descriptor = try RegularFile.open(path)
    } catch {
      if case .system(let error) = error, error.errno == ENOENT {
        if directory != nil { remove() }
        return nil
      }
      remove()
      switch error {
      case .irregular: throw .notAFile
      case .system(let error): throw .system(error)
      }
    }
    defer { remove() }
    // A hard link could lead to a file that the owner of the link can't read.
    if let owner, FileIdentity(of: descriptor)?.user != owner { throw .notAFile }
    let bytes: [UInt8]
    do { bytes = try descriptor.contents(upTo: limit + 1, path) } catch { throw .system(error) }
    guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    return bytes.isEmpty ? nil : bytes
  }

  /// Removes the file, if it exists, even if it isn't a regular file.
  package func remove() { FileTree.remove(directory ?? path) }
}

extension PrivateDirectory {
  /// Returns the file for a run's output in this directory; nil if the directory can't be created.
  ///
  /// `user` is the user of the run, if it isn't ours: then the file is in a directory that belongs to that user.
  package func outputFile(of run: Int, for user: Accounts.User? = nil) -> OutputFile? {
    guard let user else { return (try? path()).map { OutputFile(path: "\($0)/output-\(run)") } }
    guard let own = (try? passablePath()).map({ "\($0)/run-\(run)" }), mkdir(own, 0o700) == 0 else { return nil }
    guard lchown(own, user.id, user.group) == 0 else {
      rmdir(own)
      return nil
    }
    return OutputFile(in: own, of: user.id)
  }
}

extension PrivateDirectory {
  /// Returns a file with a run's inputs in this directory; nil if the directory can't be created.
  ///
  /// - Throws: the reason why the file can't be written.
  package func inputFile(of run: Int, _ bytes: [UInt8]) throws(SystemError) -> InputFile? {
    guard let directory = try? path() else { return nil }
    return try InputFile(path: "\(directory)/inputs-\(run)", bytes)
  }
}

/// Why an output file can't be used.
package enum OutputFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A directory, a link or something else.
  case notAFile
  /// Larger than the limit.
  case tooLarge(limit: Int)
  /// The system refused.
  case system(SystemError)

  /// A text that says what is wrong, and what to do.
  package var description: String {
    switch self {
    case .notAFile: "it is not a regular file; write to the path in INITD_OUTPUT itself"
    case .tooLarge(let limit): "it has more than \(limit) bytes; write it to another file, and output its path"
    case .system(let error): "\(error)"
    }
  }
}
