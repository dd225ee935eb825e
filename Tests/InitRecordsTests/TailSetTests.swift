import InitModel
import InitWire
import Testing

@testable import InitRecords

@Suite("TailSet")
struct TailSetTests {
  private func add(_ texts: [String], of name: String, to set: inout TailSet) {
    for text in texts {
      let shape = LogLine(time: 1, initializer: name, run: 1, stream: .stdout, line: text)
      set.append(TailSet.Line(number: 0, shape: shape), to: name, run: 1)
    }
  }

  private func lines(of name: String, in set: TailSet) -> [String] { set[name]?.lines.map(\.shape.line) ?? [] }

  /// The size of a tail with so many lines of one byte.
  private func size(_ lines: Int) -> Int { TailSet.bytesOfTail + lines * (TailSet.bytesOfLine + 1) }

  @Test("Beyond the bound of all together, the largest gives up its oldest lines, however new it is")
  func largest() {
    var set = TailSet(limit: 3 * size(2) + size(4))
    for name in ["a", "b", "c"] { add(["1", "2"], of: name, to: &set) }
    for number in 0...1000 { add(["\(number % 10)"], of: "d", to: &set) }
    #expect(["a", "b", "c"].allSatisfy { lines(of: $0, in: set) == ["1", "2"] })
    #expect((2...4).contains(lines(of: "d", in: set).count) && lines(of: "d", in: set).last == "0")
  }

  @Test("Up to the bound nothing is displaced")
  func edge() {
    var set = TailSet(limit: size(3))
    add(["1", "2", "3"], of: "a", to: &set)
    #expect(lines(of: "a", in: set) == ["1", "2", "3"])
    add(["4"], of: "a", to: &set)
    #expect(lines(of: "a", in: set) == ["3", "4"])
  }

  @Test("A tail without lines takes memory too: beyond the bound it is removed")
  func empty() {
    var set = TailSet(limit: 2 * TailSet.bytesOfTail)
    for name in ["a", "b", "c"] { set.set(TailSet.Tail(run: 1), of: name) }
    #expect(set.names.count == 2)
    add(["1"], of: "d", to: &set)
    #expect(lines(of: "d", in: set) == [])
    #expect(set.lines(of: nil).isEmpty)
  }

  @Test("A removed tail leaves its room to others")
  func removed() {
    var set = TailSet(limit: size(2))
    for _ in 1...9 {
      add(["1", "2"], of: "a", to: &set)
      let tail = set.remove("a")
      let nothing = set.remove("a")
      #expect(tail?.lines.count == 2 && nothing == nil)
    }
    set.set(TailSet.Tail(run: 2), of: "a")
    #expect(set["a"]?.run == 2)
    add(["1", "2"], of: "a", to: &set)
    #expect(lines(of: "a", in: set) == ["1", "2"])
  }
}
