import Testing

@testable import InitRecords

@Suite("S30: which input files have changed")
struct InputDigestsTests {
  private func digests(_ files: [String: String]) -> InputDigests {
    var digests = InputDigests()
    for (path, contents) in files { digests.add(path, hash: "\(contents)00000000") }
    return digests
  }

  @Test("Added, removed and changed files differ, in order; the recorded lines say the same")
  func differences() {
    let before = digests(["same": "1", "b changed": "1", "gone": "1"])
    let after = digests(["same": "1", "b changed": "2", "a new": "1"])
    #expect(after.differences(from: before) == ["a new", "b changed", "gone"])
    #expect(after.differences(from: InputDigests(before.lines ?? [])) == ["a new", "b changed", "gone"])
    #expect(before.differences(from: before) == [])
  }

  @Test("Nothing is known of no files, of too many, and of paths that are too long together")
  func bounds() {
    let one = digests(["a": "1"])
    #expect(one.differences(from: InputDigests()) == nil)
    let many = (0...InputDigests.most).map { ("\($0)", "") }
    #expect(digests(Dictionary(uniqueKeysWithValues: many.dropLast())).lines?.count == InputDigests.most)
    #expect(digests(Dictionary(uniqueKeysWithValues: many)).lines == nil)
    #expect(one.differences(from: digests([String(repeating: "x", count: InputDigests.mostBytes): ""])) == nil)
  }
}
