import Testing

@testable import InitManifest

@Suite struct CheckDependenciesTests {
  /// Returns the mistakes in a manifest of workers' initializers with these dependencies, in order, from line 3 on.
  private func mistakes(_ graph: KeyValuePairs<String, [String]>) -> String {
    let lines = graph.map { name, dependencies in
      "  \(name): { worker: true, dependencies: [\(dependencies.joined(separator: ", "))] }\n"
    }
    return InitManifestTests.mistakes(in: "version: 1\ninitializers:\n" + lines.joined())
  }

  @Test("S5: an undeclared dependency is reported, with the nearest declared name if there is one")
  func missing() {
    #expect(
      mistakes(["migrate": [], "fetch": ["migrat", "toggles"]]) == """
        init.yaml:4:41: unknown dependency "migrat"; did you mean "migrate"?
        init.yaml:4:49: unknown dependency "toggles"; declare it under initializers, or remove it here
        """)
  }

  @Test("An initializer isn't suggested to itself")
  func itself() {
    #expect(
      mistakes(["migrate": ["migrat"]])
        == "init.yaml:3:43: unknown dependency \"migrat\"; declare it under initializers, or remove it here"
    )
  }

  @Test("An initializer with an invalid declaration still counts as declared")
  func wrongDeclaration() {
    #expect(
      InitManifestTests.mistakes(in: "version: 1\ninitializers:\n  a: 1\n  b: { worker: true, dependencies: [a] }\n")
        == "init.yaml:3:6: initializer \"a\" is text, not a mapping; write { command: [PROGRAM, ARGUMENT] }")
  }

  @Test("S25: two dependencies with the same environment variable are reported at the second one")
  func sharedVariables() {
    #expect(
      mistakes([
        "a-b": [], "a.b": [], "a-b.json": [], "fine": ["a-b"], "x": ["a-b", "a.b"], "y": ["a-b.json", "a-b", "a.b"],
      ]) == """
        init.yaml:7:42: the dependencies "a-b" and "a.b" share the variable INITD_INPUT_A_B; rename one of them
        init.yaml:8:47: the dependencies "a-b.json" and "a-b" share the variable INITD_INPUT_A_B_JSON; rename one of them
        """)
  }

  @Test("S5: a cycle is reported completely, at the first initializer's dependency on the next")
  func cycle() {
    #expect(
      mistakes(["z": [], "a": ["z", "b"], "b": ["c"], "c": ["a"]])
        == "init.yaml:4:40: circular dependency a -> b -> c -> a; remove one of these dependencies")
    #expect(
      mistakes(["a": ["a"]]) == "init.yaml:3:37: circular dependency a -> a; remove one of these dependencies")
  }

  @Test("A cycle with dependents outside of it is reported from its entry point")
  func entered() {
    #expect(
      mistakes(["x": ["b"], "a": ["b"], "b": ["a"]])
        == "init.yaml:5:37: circular dependency b -> a -> b; remove one of these dependencies")
  }

  @Test("Each of several cycles is reported once")
  func cycles() {
    #expect(
      mistakes(["a": ["b", "c"], "b": ["a"], "c": ["a", "d"], "d": ["e"], "e": ["d"]]) == """
        init.yaml:3:37: circular dependency a -> b -> a; remove one of these dependencies
        init.yaml:3:40: circular dependency a -> c -> a; remove one of these dependencies
        init.yaml:6:37: circular dependency d -> e -> d; remove one of these dependencies
        """)
  }

  @Test("Two paths to the same initializer aren't a cycle")
  func diamond() {
    #expect(mistakes(["a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []]) == "")
  }

  @Test("A long chain is read; if it is closed, it is one cycle")
  func long() {
    let count = 15_000
    let chain = (0..<count).map { "  i\($0): { worker: true, dependencies: [i\($0 + 1)] }\n" }.joined()
    let open = "version: 1\ninitializers:\n" + chain
    #expect(InitManifestTests.mistakes(in: open + "  i\(count): { worker: true }\n") == "")
    let told = InitManifestTests.mistakes(in: open + "  i\(count): { worker: true, dependencies: [i0] }\n")
    #expect(told.hasPrefix("init.yaml:3:38: circular dependency i0 -> i1 -> i2 -> "))
    #expect(told.hasSuffix(" -> i\(count) -> i0; remove one of these dependencies"))
    #expect(told.split(separator: "\n").count == 1)
  }

  @Test("The number of reported cycles is bounded")
  func tangle() {
    let count = 2000
    let lines = (0..<count).map { "  i\($0): { worker: true, dependencies: [i\($0 + 1), i0] }\n" }.joined()
    let told = InitManifestTests.mistakes(
      in: "version: 1\ninitializers:\n\(lines)  i\(count): { worker: true, dependencies: [i0] }\n")
    let names = told.split(separator: "\n").map { $0.split(separator: " -> ").count }
    #expect(names.count > 1)
    #expect(names.reduce(0, +) <= 10_000)
  }
}
