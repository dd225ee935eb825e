internal import Glibc
public import InitWords

/// Users and groups by name, from the system's files.
///
/// The C library isn't used: `initd` is a static program, which has no name services.
public enum Accounts {
  private static let users = "/etc/passwd"
  private static let groups = "/etc/group"

  /// Returns a user's number, by name or as a number.
  public static func user(_ name: String) -> UInt32? { number(name) ?? number(of: name, in: users) }

  /// Returns a group's number, by name or as a number.
  public static func group(_ name: String) -> UInt32? { number(name) ?? number(of: name, in: groups) }

  /// Returns the name of a user; `uid N` if the system's file has none.
  public static func name(ofUser number: UInt32) -> String {
    first(in: users) { UInt32($0[2]) == number ? String($0[0]) : nil } ?? "uid \(number)"
  }

  /// A user of a process: its numbers.
  public struct User: Hashable, Sendable {
    /// The user's number.
    public let id: UInt32
    /// The group's number.
    public let group: UInt32
    /// The supplementary groups: the user's own group, and the groups of the group file that list the user.
    public let groups: [UInt32]
    /// The name; nil if the system's file has no such user.
    public let name: String?
    /// The home directory; nil if the system's file has no such user.
    public let home: String?
  }

  /// The reason why a user can't be used, and what to do.
  public struct UnknownUser: Error, Hashable, Sendable {
    /// The problem.
    public let problem: String
    /// The remedy.
    public let remedy: String
  }

  /// The maximum number of supplementary groups (NGROUPS_MAX).
  private static let mostGroups = 65_536

  /// Returns the numbers of a user and a group, and the user's supplementary groups.
  public static func find(_ name: ProcessSettings.UserName) throws(UnknownUser) -> User {
    let number = Self.number(name.user)
    let known = first(in: users) { fields -> [String]? in
      guard fields.count > 6, fields[0] == name.user || (number != nil && UInt32(fields[2]) == number) else {
        return nil
      }
      return fields.map { String($0) }
    }
    guard let id = known.flatMap({ UInt32($0[2]) }) ?? number, id != .max else {
      throw UnknownUser(problem: "there is no user \(name.user) in \(users)", remedy: "create it, or correct user")
    }
    let own = known.flatMap { UInt32($0[3]) }
    guard let group = try name.group.map(number(ofGroup:)) ?? own else {
      throw UnknownUser(
        problem: "the user \(name.user) has no group, because \(users) doesn't have it",
        remedy: "write a group too, e.g. user: \(name.user):\(name.user)")
    }
    var all: Set<UInt32> = [group]
    if let own { all.insert(own) }
    if let login = known?[0] {
      _ = first(in: groups) { fields -> Never? in
        let members = fields.count > 3 ? fields[3].split { $0 == "," || $0 == "\n" } : []
        if members.contains(where: { $0 == login }), let number = UInt32(fields[2]) { all.insert(number) }
        return nil
      }
    }
    return User(
      id: id, group: group, groups: Array(all.sorted().prefix(mostGroups)), name: known?[0], home: known?[5])
  }

  /// Returns the number that a text consists of; nil if it is a name, as `+5` is.
  private static func number(_ text: String) -> UInt32? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt32(text) : nil
  }

  private static func number(ofGroup word: String) throws(UnknownUser) -> UInt32 {
    guard let number = group(word), number != .max else {
      throw UnknownUser(problem: "there is no group \(word) in \(groups)", remedy: "create it, or correct user")
    }
    return number
  }

  private static func number(of name: String, in file: String) -> UInt32? {
    first(in: file) { $0[0] == name ? UInt32($0[2]) : nil }
  }

  /// Returns the first result that `read` finds in the fields of a line.
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
