import InitWords
import TestSupport
import Testing

@testable import InitCore

@Suite("Registry")
struct RegistryTests {
  @Test("After random additions and removals it has the numbers of an array", arguments: 0..<20)
  func againstArray(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var registry = Registry()
    var model = [String]()
    if generator.happens(50) { registry.reserveCapacity(10) }
    for _ in 0..<300 {
      let name = "n\(Int.random(in: 0..<200, using: &generator))"
      if generator.happens(95) {
        let isNew = registry.add(entry(name))
        #expect(isNew == !model.contains(name))
        if !model.contains(name) { model.append(name) }
      } else {
        let gone = Set(model.filter { _ in generator.happens(30) })
        registry.remove(gone)
        model.removeAll { gone.contains($0) }
      }
      #expect(registry.indexes.map { registry.name(at: $0) } == model)
      #expect(registry.entries.map(\.declaration.name) == model)
    }
    for name in (0..<200).map({ "n\($0)" }) {
      #expect(registry.index(of: name) == model.firstIndex(of: name).map { InitializerIndex($0) })
      #expect(registry[name]?.declaration.name == (model.contains(name) ? name : nil))
    }
  }

  @Test("An index is used again only if the name still has it")
  func formerIndex() {
    var registry = Registry()
    for name in ["a", "b", "c"] { _ = registry.add(entry(name)) }
    registry.remove(["a"])
    #expect(registry.index(of: "b", formerly: 1) == 0)
    #expect(registry.index(of: "c", formerly: 2) == 1)
    #expect(registry.index(of: "a", formerly: 0) == nil)
  }

  private func entry(_ name: String) -> Entry {
    Entry(declaration: Declaration(name), kind: .command, provider: .resident, isFixed: true)
  }
}
