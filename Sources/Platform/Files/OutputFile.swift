internal import Glibc

/// A file for a child's output: the child creates it, and it is read once and removed.
package struct OutputFile {
  /// The path.
  ///
  /// In a private directory, other users can't write it.
  package let path: String

  /// Names an output file that doesn't exist yet.
  package init(path: String) { self.path = path }

  /// Reads the contents; nil if the file doesn't exist.
  ///
  /// `limit` is its maximum size in bytes. Throws why it can't be read. It is removed anyway.
  package func readAndRemove(limit: Int) throws(OutputFileError) -> [UInt8]? {
    let descriptor: Descriptor
    do throws(RegularFileError) {
      descriptor = try RegularFile.open(path)
    } catch {
      if case .system(let error) = error, error.errno == ENOENT { return nil }
      remove()
      switch error {
      case .irregular: throw .notAFile
      case .system(let error): throw .system(error)
      }
    }
    defer { remove() }
    let bytes: [UInt8]
    do { bytes = try descriptor.contents(upTo: limit + 1, path) } catch { throw .system(error) }
    guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
    return bytes.isEmpty ? nil : bytes
  }

  /// Removes it, if it exists, even if it isn't a regular file.
  package func remove() { FileTree.remove(path) }
}

extension PrivateDirectory {
  /// Returns the file for a run's output in this directory; nil if the directory can't be created.
  package func outputFile(of run: Int) -> OutputFile? { (try? path()).map { OutputFile(path: "\($0)/output-\(run)") } }
}

extension PrivateDirectory {
  /// Returns a file with a run's inputs in this directory; nil if the directory can't be created.
  ///
  /// - Throws: why it can't be written.
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

  /// What is wrong, and what to do.
  package var description: String {
    switch self {
    case .notAFile: "it is not a regular file; write to the path in INITD_OUTPUT itself"
    case .tooLarge(let limit): "it has more than \(limit) bytes; write it to another file, and output its path"
    case .system(let error): "\(error)"
    }
  }
}
