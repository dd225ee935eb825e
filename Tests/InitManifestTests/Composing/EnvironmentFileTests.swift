import Testing

@testable import InitManifest

@Suite struct EnvironmentFileTests {
  /// Reads the variables of a file, one a line, and its mistakes.
  private func read(_ bytes: [UInt8]) -> (variables: [String], mistakes: [String]) {
    var findings = Findings(files: [".env"])
    let file = EnvironmentFile(bytes, file: 0, &findings)
    return (
      file.variables.map { "\($0.key.text ?? "")=\($0.value.text ?? "")" },
      findings.sorted().findings.map(\.description)
    )
  }

  private func read(_ text: String) -> (variables: [String], mistakes: [String]) { read(Array(text.utf8)) }

  @Test(
    "Values are read as other tools read them",
    arguments: [
      ("A=b", "A=b"), ("A=", "A="), (" A = b c \t", "A=b c"), ("export A=b", "A=b"), ("export=b", "export=b"),
      ("A=b # c", "A=b"),
      ("A=b#c", "A=b#c"), ("A=#c", "A="), ("A='b # c' # d", "A=b # c"),
      ("A=\"b\\n\\\"c\\\\ \\$D \\x\"", "A=b\n\"c\\ $D \\x"),
      ("A='b\\n\n$C'", "A=b\\n\n$C"), ("A=${B}", "A=${B}"), ("A=b=c", "A=b=c"), ("A=b'c'", "A=b'c'"),
      ("A=b\r\n", "A=b"),
      ("\u{FEFF}A=é", "A=é"), ("A.b-C_1=x", "A.b-C_1=x"),
    ])
  func values(text: String, variable: String) {
    let (variables, mistakes) = read(text)
    #expect(variables == [variable])
    #expect(mistakes == [])
  }

  @Test("Comments and empty lines are ignored, and the order is kept")
  func lines() {
    #expect(read("# x\n\n  \t\nB=1\n #A=2\nA=3\r\n").variables == ["B=1", "A=3"])
    #expect(read("").variables == [])
  }

  @Test("Mistakes are reported at their positions, without a value")
  func wrong() {
    #expect(
      read("secret\nA=1\n 1B=secret\n=secret\nexport  C D=secret\nE='x' secret\n\n F=\"secret\nG=1").mistakes == [
        ".env:1:1: this line is not a variable; write NAME=value, or # before a comment",
        ".env:3:2: \"1B\" cannot be the name of a variable; write letters, digits and _, beginning with a letter or _",
        ".env:4:1: \"\" cannot be the name of a variable; write letters, digits and _, beginning with a letter or _",
        ".env:5:9: this line is not a variable; write NAME=value, or # before a comment",
        ".env:6:7: text follows the closing quote; put the whole value in quotes",
        ".env:8:4: the quote that begins here has no end; close the quote",
      ])
    #expect(read([0x41, 0x3D, 0xFF]).mistakes == [".env:1:1: this is not UTF-8; save the file as UTF-8"])
    #expect(
      read([UInt8](repeating: 0x23, count: Manifest.maximumBytes + 1)).mistakes
        == [".env:1:1: the file is larger than 1 MiB, the maximum; remove what isn't a variable"])
  }
}
