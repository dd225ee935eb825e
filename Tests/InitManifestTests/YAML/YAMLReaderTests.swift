import Testing

@testable import InitManifest

@Suite struct YAMLReaderTests {
  @Test("A text without a document is an empty manifest", arguments: ["", "\n\n", "# only a comment\n"])
  func empty(text: String) {
    #expect(mistakes(in: text) == "init.yaml:1:1: the manifest is empty; write version: 1 and initializers")
  }

  @Test("Aliases, anchors, merge keys and tags are refused at their positions, and reading continues")
  func refused() {
    #expect(
      mistakes(
        in: """
          version: 1
          environment: &common { A: !!str 1 }
          initializers:
            a: { command: x, environment: *common }
            b: { command: x, environment: { <<: *common }, dependencies: [c] }
          concurrency: !number 0
          """) == """
          init.yaml:2:14: anchors are not supported: "&common"; remove it
          init.yaml:2:27: tags are not supported: "!!str"; remove it
          init.yaml:4:33: aliases are not supported: "*common"; write the value out here
          init.yaml:5:35: merge keys are not supported; write the keys out here
          init.yaml:5:39: aliases are not supported: "*common"; write the value out here
          init.yaml:5:65: unknown dependency "c"; declare it under initializers, or remove it here
          init.yaml:6:14: tags are not supported: "!number"; remove it
          init.yaml:6:14: "concurrency" is too small: "0"; write a whole number from 1, e.g. concurrency: 4
          """)
  }

  @Test("Keys that a merge key may contain aren't reported as missing")
  func merged() {
    #expect(
      mistakes(in: "version: 1\ninitializers:\n  <<: *more\n  a: { <<: *base, dependencies: [b] }\n") == """
        init.yaml:3:3: merge keys are not supported; write the keys out here
        init.yaml:3:7: aliases are not supported: "*more"; write the value out here
        init.yaml:4:8: merge keys are not supported; write the keys out here
        init.yaml:4:12: aliases are not supported: "*base"; write the value out here
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
