/// The colour of a name before the lines that a command has written.
public enum NameColor {
  /// Without red and yellow, which are for errors and warnings.
  private static let codes = [36, 32, 35, 34, 96, 92, 95, 94]

  /// Returns the colour's number in an escape sequence (SGR).
  ///
  /// The code is the same in every process; the hash of a `String` would differ.
  public static func code(of name: String) -> Int {
    codes[name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % codes.count]
  }
}
