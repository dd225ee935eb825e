import InitManifest
import Testing

@Suite struct ManifestTextTests {
  private func mistakes(in bytes: [UInt8]) -> String {
    do throws(ManifestErrors) {
      _ = try Manifest.parse(bytes, file: "f")
      return ""
    } catch {
      return error.description
    }
  }

  @Test("A manifest of the maximum size is read, and a larger one is refused")
  func size() {
    var bytes = Array("version: 1\n#".utf8)
    bytes += [UInt8](repeating: UInt8(ascii: "x"), count: Manifest.maximumBytes - bytes.count)
    #expect(mistakes(in: bytes) == "")
    bytes.append(UInt8(ascii: "x"))
    #expect(
      mistakes(in: bytes)
        == "f:1:1: the manifest is larger than 1 MiB, the maximum; move scripts into files of their own")
  }

  @Test("A byte order mark at the beginning is ignored")
  func mark() {
    #expect(mistakes(in: [0xEF, 0xBB, 0xBF] + Array("version: 1\n".utf8)) == "")
    #expect(
      mistakes(in: [0xEF, 0xBB, 0xBF] + Array("version: 2\n".utf8))
        == "f:1:10: version \"2\" is not known; write version: 1")
  }

  @Test("Every byte that isn't UTF-8 is reported at its position")
  func encoding() {
    let bytes = Array("version: 1\r\n# é ".utf8) + [0xE9, 0x20, 0xFF, 0x0A, 0xC3]
    #expect(
      mistakes(in: bytes) == """
        f:2:5: this is not UTF-8; save the file as UTF-8
        f:2:7: this is not UTF-8; save the file as UTF-8
        f:3:1: this is not UTF-8; save the file as UTF-8
        """)
  }

  @Test("UTF-16 is not UTF-8")
  func wide() {
    #expect(mistakes(in: [0xFF, 0xFE, 0x76, 0x00]).hasPrefix("f:1:1: this is not UTF-8; save the file as UTF-8"))
  }

  @Test("A character that YAML forbids is reported at its position")
  func controls() {
    #expect(
      mistakes(in: Array("version: 1\n# \u{7}\n#\u{FEFF}\n".utf8)) == """
        f:2:3: the character U+0007 is not allowed in YAML; remove it, or write it as an escape in double quotes
        f:3:2: the character U+FEFF is not allowed in YAML; remove it, or write it as an escape in double quotes
        """)
  }

  @Test("Lines are counted the same for every line ending", arguments: ["\n", "\r", "\r\n", "\u{85}", "\u{2028}"])
  func lineEnds(end: String) {
    #expect(
      mistakes(in: Array("version: 1\(end)concurrency: x\(end)#\u{7}".utf8))
        == "f:3:2: the character U+0007 is not allowed in YAML; remove it, or write it as an escape in double quotes")
    #expect(
      mistakes(in: Array("version: 1\(end)concurrency: 0\(end)".utf8))
        == "f:2:14: \"concurrency\" is too small: \"0\"; write a whole number from 1, e.g. concurrency: 4")
  }
}
