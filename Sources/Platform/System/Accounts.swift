internal import Glibc

/// Users and groups by name, from the system's files.
///
/// The C library isn't used: `initd` is a static program, which has no name services.
public enum Accounts {
  private static let users = "/etc/passwd"
  private static let groups = "/etc/group"

  /// Returns a user's number, by name or as a number.
  public static func user(_ name: String) -> UInt32? { UInt32(name) ?? number(of: name, in: users) }

  /// Returns a group's number, by name or as a number.
  public static func group(_ name: String) -> UInt32? { UInt32(name) ?? number(of: name, in: groups) }

  /// Returns the name of a user; `uid N` if the system's file has none.
  public static func name(ofUser number: UInt32) -> String {
    first(in: users) { UInt32($0[2]) == number ? String($0[0]) : nil } ?? "uid \(number)"
  }

  private static func number(of name: String, in file: String) -> UInt32? {
    first(in: file) { $0[0] == name ? UInt32($0[2]) : nil }
  }

  /// Returns what `read` finds in the fields of the first line in which it finds something.
  ///
  /// In both files the first field is the name, and the third is the number.
  private static func first<Found>(in file: String, _ read: ([Substring]) -> Found?) -> Found? {
    guard let stream = fopen(file, "re") else { return nil }
    defer { fclose(stream) }
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while getline(&line, &room, stream) > 0 {
      guard let line else { return nil }
      let fields = String(cString: line).split(separator: ":", omittingEmptySubsequences: false)
      if fields.count > 2, let found = read(fields) { return found }
    }
    return nil
  }
}
