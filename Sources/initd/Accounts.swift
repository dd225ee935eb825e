import Glibc

/// Users and groups by name, from the system's files.
///
/// The C library isn't used: `initd` is a static program, which has no name services.
enum Accounts {
  /// Returns a user's number, by name or as a number.
  static func user(_ name: String) -> UInt32? { UInt32(name) ?? number(of: name, in: "/etc/passwd") }

  /// Returns a group's number, by name or as a number.
  static func group(_ name: String) -> UInt32? { UInt32(name) ?? number(of: name, in: "/etc/group") }

  /// Returns the number of a name.
  ///
  /// In both files the first field is the name, and the third is the number.
  private static func number(of name: String, in file: String) -> UInt32? {
    guard let stream = fopen(file, "re") else { return nil }
    defer { fclose(stream) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, stream) > 0 {
      guard let line else { return nil }
      let fields = String(cString: line).split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > 2, fields[0] == name { return UInt32(fields[2]) }
    }
    return nil
  }
}
