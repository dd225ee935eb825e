internal import Platform

/// A file with a password.
enum PasswordFile {
  private static let maximumBytes = 4096

  /// Reads the password, which is the only line.
  ///
  /// The path may be a link, as those of a container's secrets are.
  static func read(_ path: String) throws(PasswordFileError) -> String {
    func fault(_ why: String) -> PasswordFileError {
      PasswordFileError(description: "cannot use the password file \(path): \(why)")
    }
    let file: Descriptor
    do throws(RegularFileError) {
      file = try RegularFile.open(path, followsLink: true)
    } catch {
      switch error {
      case .irregular(let noun): throw fault("it is \(noun); give a regular file")
      case .system(let error): throw fault(error.reason)
      }
    }
    guard let mode = FileIdentity(of: file)?.mode, mode & 0o006 == 0 else {
      throw fault("other users can read or write it; change its mode (chmod o-rw)")
    }
    var bytes: [UInt8]
    do throws(SystemError) {
      bytes = try file.contents(upTo: maximumBytes + 1, path)
    } catch {
      throw fault(error.reason)
    }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    guard 1...maximumBytes ~= bytes.count, bytes.allSatisfy({ $0 >= 0x20 }),
      let password = String(validating: bytes, as: UTF8.self)
    else { throw fault("it must contain one line of text, the password") }
    return password
  }
}

/// Why a file can't be used as the password.
struct PasswordFileError: Error, Equatable, CustomStringConvertible {
  let description: String
}
