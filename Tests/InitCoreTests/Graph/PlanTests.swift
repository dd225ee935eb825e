import TestSupport
import Testing

@testable import InitCore

@Suite("Plan")
struct PlanTests {
  private func plan(_ declarations: [Declaration], isFault: Bool = true) -> Plan {
    let byName = Dictionary(grouping: declarations, by: \.name)
    return Plan(roots: declarations.map(\.name)) { name in
      guard let found = byName[name] else { return .undeclared(isFault: isFault) }
      return .declared(found[0], isDuplicated: found.count > 1)
    }
  }

  @Test("S6: roots as listed, each preceded by its dependencies in the order it lists them")
  func order() {
    let plan = plan([launch("a", "c", "b"), launch("b", "d"), launch("c"), launch("d")])
    #expect(plan.items.map(\.name) == ["c", "d", "b", "a"])
    #expect(plan.items.indices.map { Array(plan.dependencies[PlanIndex($0)]) } == [[], [], [1], [0, 2]])
    #expect(plan.items.indices.map { Array(plan.dependents[PlanIndex($0)]) } == [[3], [2], [3], []])
    #expect(plan.items.map { plan.index(of: $0.name) } == [0, 1, 2, 3] && plan.index(of: "e") == nil)
    #expect(plan.fault == nil)
  }

  @Test("S6: the order is that of a plain recursive depth-first walk", arguments: 0..<200)
  func againstRecursion(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...30, using: &generator)
    var declarations = (0..<count).map { index in
      Declaration("n\(index)", dependencies: (0..<index).filter { _ in generator.happens(20) }.map { "n\($0)" })
    }
    declarations.shuffle(using: &generator)
    let byName = Dictionary(uniqueKeysWithValues: declarations.map { ($0.name, $0) })
    var order: [String] = []
    func visit(_ name: String) {
      guard !order.contains(name) else { return }
      byName[name]?.dependencies.forEach(visit)
      order.append(name)
    }
    declarations.map(\.name).forEach(visit)
    #expect(plan(declarations).items.map(\.name) == order)
  }

  @Test(
    "S2: a cycle is reported completely and in order, from its entry point",
    arguments: [
      ([launch("a", "a")], ["a", "a"]),
      ([launch("x", "b"), launch("b", "c"), launch("c", "d"), launch("d", "b")], ["b", "c", "d", "b"]),
      ([launch("a", "b"), launch("b", "a")], ["a", "b", "a"]),
    ])
  func cycle(declarations: [Declaration], cycle: [String]) {
    let plan = plan(declarations)
    #expect(plan.fault == .circularDependency(cycle))
    #expect(plan.items.count == declarations.count)
  }

  @Test("S5: the first fault is reported: a missing dependency, or a duplicate")
  func faults() {
    #expect(
      plan([launch("a", "b"), launch("b", "gone")]).fault == .missingDependency(initializer: "b", dependency: "gone"))
    #expect(plan([launch("a", "gone")], isFault: false).fault == nil)
    #expect(plan([launch("a"), launch("b"), launch("b")]).fault == .duplicateInitializer("b"))
    #expect(plan([launch("a", "gone", "a")]).fault == .missingDependency(initializer: "a", dependency: "gone"))
  }

  @Test("S20: a name that a worker may still register is an item without a declaration, before its dependents")
  func undeclared() {
    let plan = plan([launch("a", "gone")], isFault: false)
    #expect(plan.items.map(\.name) == ["gone", "a"])
    #expect(plan.items[0].declaration == nil)
    #expect(Array(plan.dependencies[1]) == [0])
  }

  @Test("S4: satisfied initializers aren't items; one that failed elsewhere is an item that can't run")
  func satisfied() {
    let failure = Failure.duplicateInitializer("f")
    let plan = Plan(roots: ["a"]) { name in
      switch name {
      case "a": .declared(launch("a", "done", "f"), isDuplicated: false)
      case "done": .satisfied
      default: .failed(launch("f").optional(), failure)
      }
    }
    #expect(plan.items.map(\.name) == ["f", "a"])
    #expect(plan.items[0].failure == failure)
    #expect(Array(plan.dependencies[1]) == [0])
  }

  @Test("S8: an item is needed if something that isn't optional depends on it, near or far")
  func needed() {
    let plan = plan([
      launch("a").optional(), launch("b", "a").optional(), launch("c", "b"), launch("x").optional(),
      launch("y", "x").optional(),
    ])
    #expect(plan.items.filter(\.isNeeded).map(\.name) == ["a", "b"])
  }

  @Test("Each name is looked up once, and each dependency followed once: planning is linear")
  func linear() {
    let count = 2_000
    var lookups = 0
    let names = (0..<count).map { "n\($0)" }
    let plan = Plan(roots: names) { name in
      lookups += 1
      let index = Int(name.dropFirst())!
      return .declared(Declaration(name, dependencies: Array(names[0..<min(index, 20)])), isDuplicated: false)
    }
    #expect(lookups == count)
    #expect(plan.items.count == count)
  }

  @Test("A chain of 100,000 needs no recursion, even if it is a cycle, or if each link is a cycle")
  func chain() {
    let count = 100_000
    let names = (0..<count).map { "n\($0)" }
    let chain = Plan(roots: [names[0]]) { name in
      let index = Int(name.dropFirst())!
      let next = index + 1 < count ? [names[index + 1]] : []
      return .declared(Declaration(name, dependencies: next), isDuplicated: false)
    }
    #expect(chain.items.count == count)
    #expect(chain.items.first?.name == "n99999")
    #expect(chain.items.last?.name == "n0")
    let cyclic = Plan(roots: [names[0]]) { name in
      let index = Int(name.dropFirst())!
      return .declared(Declaration(name, dependencies: [names[(index + 1) % count], names[0]]), isDuplicated: false)
    }
    #expect(cyclic.items.count == count)
    guard case .circularDependency(let cycle)? = cyclic.fault else {
      Issue.record("no cycle was found")
      return
    }
    #expect(cycle == ["n0", "n1", "n0"] || cycle.count == count + 1)
  }

  @Test("A star of 100,000 can be planned: all depend on one, or one depends on all")
  func star() {
    let count = 100_000
    let names = (0..<count).map { "n\($0)" }
    let plan = Plan(roots: names + ["all"]) { name in
      let dependencies = name == "hub" ? [] : name == "all" ? names : ["hub"]
      return .declared(Declaration(name, dependencies: dependencies), isDuplicated: false)
    }
    #expect(plan.items.count == count + 2)
    #expect(plan.dependents[0].count == count)
    #expect(plan.dependencies[PlanIndex(count + 1)].count == count)
  }
}
