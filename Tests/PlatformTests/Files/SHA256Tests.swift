import Testing

@testable import Platform

/// The vectors of NIST for FIPS 180-4.
@Suite("SHA-256")
struct SHA256Tests {
  private func hash(_ text: String, by size: Int = .max) -> String {
    var hash = SHA256()
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      hash.update(Array(bytes.prefix(size)))
      bytes = bytes.dropFirst(size)
    }
    return hash.hexDigest
  }

  @Test("The examples of the standard have their hashes")
  func examples() {
    #expect(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      hash(
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
      ) == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1")
    #expect(
      hash(String(repeating: "a", count: 1_000_000), by: 65_536)
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  @Test("The hash doesn't depend on the pieces in which bytes come")
  func pieces() {
    let text = String(repeating: "0123456789", count: 30)
    let whole = hash(text)
    for size in [1, 3, 55, 56, 63, 64, 65, 128, 299] { #expect(hash(text, by: size) == whole) }
    // Lengths around the end of a block, at which the padding needs another block.
    #expect(
      hash(String(repeating: "a", count: 55)) == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318")
    #expect(
      hash(String(repeating: "a", count: 56)) == "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a")
    #expect(
      hash(String(repeating: "a", count: 64)) == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
  }

  @Test("Two texts never have the same bytes as two others")
  func texts() {
    var one = SHA256()
    var other = SHA256()
    one.update("ab")
    one.update("c")
    other.update("a")
    other.update("bc")
    #expect(one.digest != other.digest)
  }
}
