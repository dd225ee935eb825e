internal import CommandLineOptions
internal import Glibc
internal import Platform

/// The destination of a command's result: standard output, or the file of `--output`.
struct ResultOutput {
  /// The file; nil for standard output.
  let file: String?

  /// Writes the whole result.
  ///
  /// An existing file is overwritten.
  ///
  /// - Throws: `SystemError` for standard output; for a file, the exit status after the reason was printed.
  func write(_ bytes: [UInt8]) throws {
    guard let file else { return try Console.write(bytes) }
    let descriptor = Descriptor(owning: open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
    guard descriptor.number >= 0 else { try fail(file) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
      if count >= 0 { written += count } else if errno != EINTR { try fail(file) }
    }
    // Some file systems report a full disk only here.
    if close(descriptor.release()) != 0 { try fail(file) }
  }

  private func fail(_ file: String) throws -> Never {
    let reason = SystemError.reason(of: errno)
    Console.complain("cannot write \(file): \(reason); give another file with --output")
    throw ProgramStatus.failure
  }
}
