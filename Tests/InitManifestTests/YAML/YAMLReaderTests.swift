import InitCore
import InitDeclarations
import Testing

@testable import InitManifest

@Suite struct YAMLReaderTests {
  @Test("A text without a document is an empty manifest", arguments: ["", "\n\n", "# only a comment\n"])
  func empty(text: String) {
    #expect(mistakes(in: text) == "init.yaml:1:1: the manifest is empty; write version: 1 and initializers")
  }

  @Test("A reference within braces or brackets needs quotes, which is the only mistake that is reported")
  func referenceWithoutQuotes() {
    let remedy = "put quotes around a value with ${…} that stands within { } or [ ]"
    #expect(
      mistakes(in: "version: 1\nenvironment: { A: b:${C} }\ninitializers: {}\n")
        == "init.yaml:2:22: this is not YAML: did not find expected ',' or '}' while parsing a flow mapping from 2:14; \(remedy)"
    )
    #expect(
      mistakes(in: "version: 1\ninitializers: { a: { command: [b, ${C}] } }\n")
        == "init.yaml:2:36: this is not YAML: did not find expected ',' or ']' while parsing a flow sequence from 2:31; \(remedy)"
    )
  }

  @Test("Tags are refused at their positions, and reading continues")
  func refused() {
    #expect(
      mistakes(
        in: """
          version: 1
          environment: { A: !!str 1 }
          initializers:
            b: { command: x, dependencies: [c] }
          concurrency: !number 0
          """) == """
          init.yaml:2:19: tags are not supported: "!!str"; remove it
          init.yaml:4:35: unknown dependency "c"; declare it under initializers, or remove it here
          init.yaml:5:14: tags are not supported: "!number"; remove it
          init.yaml:5:14: "concurrency" is too small: "0"; write a whole number from 1, e.g. concurrency: 4
          """)
  }

  @Test("An alias stands for the value of the last anchor of its name above it")
  func aliases() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      environment: &env { A: &a "1", B: *a }
      initializers:
        a: { command: &run [x, *a], environment: *env, retry: &retry { attempts: 2 } }
        b: { command: *run, retry: *retry, description: &a "2" }
        c: { command: [*a] }
        d: &d { command: y }
        e: *d
      """, file: "init.yaml")
    #expect(manifest.settings.environment == ["A": "1", "B": "1"])
    #expect(manifest.initializers[0].command?.environment == manifest.settings.environment)
    #expect(
      manifest.initializers.map { $0.command?.arguments } == [["x", "1"], ["x", "1"], ["2"], shell("y"), shell("y")])
    #expect(manifest.initializers[1].declaration.retry.attempts == 2)
  }

  @Test("A merge key adds the keys that a mapping doesn't have itself; of several mappings, the first one wins")
  func mergeKeys() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      initializers:
        a: &a { command: x, timeout: 1s, optional: true }
        b: { timeout: 2s, <<: *a }
        c: { <<: [&t { timeout: 3s }, *a], command: y }
        <<: { d: { command: z }, a: { command: never } }
      """, file: "init.yaml")
    #expect(manifest.initializers.map(\.declaration.name) == ["a", "b", "c", "d"])
    #expect(manifest.initializers.map { $0.command?.arguments } == [shell("x"), shell("x"), shell("y"), shell("z")])
    #expect(manifest.initializers.map(\.declaration.timeout) == [.seconds(1), .seconds(2), .seconds(3), nil])
    #expect(manifest.initializers.map(\.declaration.isOptional) == [true, true, true, false])
  }

  @Test(
    "Mistakes in anchors, aliases and merge keys are reported at their positions, and a mistake of an anchor's value once"
  )
  func wrongAliases() {
    #expect(
      mistakes(
        in: """
          version: 1
          environment: &common { A: [] }
          initializers:
            a: { command: x, environment: *comon, retry: &r { attempts: *r, delay: 1y } }
            b: { command: x, environment: *common, <<: 5, retry: *r }
            c: { <<: *nothing, dependencies: [b] }
          """) == """
          init.yaml:2:27: the variable "A" is a list, not text; write a word or a quoted text
          init.yaml:4:33: the alias "*comon" has no anchor above it; did you mean "*common"?
          init.yaml:4:63: the alias "*r" is inside of its own anchor; write the value out here
          init.yaml:4:74: "delay": "1y" is not a duration; write e.g. 500ms, 30s, 2m or 1h, or a number of seconds
          init.yaml:5:46: a merge key takes mappings, but this is text; write <<: *ANCHOR
          init.yaml:6:12: the alias "*nothing" has no anchor above it; write &nothing before the value that it stands for
          """)
  }

  @Test("Aliases of aliases are bounded: by the values that they stand for, and by the levels")
  func laughs() {
    func text(_ levels: Int, width: Int) -> String {
      let alias = (0..<levels).map { level in
        "&l\(level) [" + [String](repeating: level == 0 ? "x" : "*l\(level - 1)", count: width).joined(separator: ", ")
          + "]"
      }
      return "version: 1\nconcurrency:\n" + alias.map { "- \($0)\n" }.joined()
    }
    let list = "init.yaml:3:1: \"concurrency\" is a list, not a whole number; write concurrency: 4"
    #expect(mistakes(in: text(5, width: 10)) == list)
    #expect(
      mistakes(in: text(9, width: 10)) == """
        \(list)
        init.yaml:8:23: the aliases of this file stand for more than 500000 values; use fewer aliases, or shorter values
        """)
    #expect(mistakes(in: text(14, width: 1)) == list)
    #expect(
      mistakes(in: text(15, width: 1)) == """
        \(list)
        init.yaml:17:9: the value of the alias "*l13" is nested more than 16 levels deep here; use fewer levels
        """)
  }

  @Test("A second document is refused")
  func documents() {
    #expect(mistakes(in: "---\nversion: 1\n...\n") == "")
    #expect(
      mistakes(in: "version: 1\n---\nversion: 1\n")
        == "init.yaml:2:1: a second document begins here; keep one document")
  }

  @Test("Nesting that is too deep is refused, even if it is very deep", arguments: [17, 5000, 500_000])
  func deep(depth: Int) {
    #expect(
      mistakes(in: "version: 1\nconcurrency: " + String(repeating: "[", count: depth)) == """
        init.yaml:2:14: "concurrency" is a list, not a whole number; write concurrency: 4
        init.yaml:2:29: this is nested more than 16 levels deep; use fewer levels
        """)
  }

  @Test("A key is a scalar")
  func keys() {
    #expect(
      mistakes(in: "version: 1\n? [a]\n: b\n? { c: d }\n") == """
        init.yaml:2:3: a key cannot be a list; write a word
        init.yaml:4:3: a key cannot be a mapping; write a word
        """)
  }

  @Test("After a syntax error, keys aren't reported as missing, but earlier mistakes are reported")
  func cutShort() {
    #expect(
      mistakes(
        in: """
          concurrency: two
          initializers:
            a: { worker: true, dependencies: [later], timeout: 5x }
            b: { worker: true, dependencies: [c] }
            c: { worker: true, dependencies: [b] }
            d:
              description: [
          """) == """
          init.yaml:1:14: "concurrency" is not a whole number: "two"; write a whole number from 1, e.g. concurrency: 4
          init.yaml:3:54: "timeout": "5x" is not a duration; write e.g. 500ms, 30s, 2m or 1h, or a number of seconds
          init.yaml:4:37: circular dependency b -> c -> b; remove one of these dependencies
          init.yaml:7:18: "description" is a list, not text; write description: what it is for
          init.yaml:7:19: this is not YAML: did not find expected node content while parsing a flow node; write the value, and close what is open
          """)
  }

  @Test("A syntax error after the document leaves its end unknown too")
  func behind() {
    #expect(
      mistakes(in: "initializers:\n  a: { worker: true, dependencies: [b] }\n...\nb\n") == """
        init.yaml:4:1: this is not YAML: did not find expected <document start>; \
        keep to one mapping, and check the indentation
        """)
  }
}
