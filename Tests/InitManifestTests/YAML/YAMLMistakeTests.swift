import Testing

@testable import InitManifest

@Suite struct YAMLMistakeTests {
  /// The last mistake in a manifest that begins with its version.
  private func mistake(_ text: String) -> String {
    String(mistakes(in: "version: 1\n" + text).split(separator: "\n").last ?? "")
  }

  @Test("A tab in the indentation is reported as a tab")
  func tab() {
    let remedy = "indent with spaces, never with a tab"
    #expect(
      mistake("initializers:\n\ta: b\n")
        == "init.yaml:3:1: this is not YAML: found character that cannot start any token; \(remedy)")
    #expect(
      mistake("\tconcurrency: 1\n") == """
        init.yaml:2:1: this is not YAML: found a tab character that violates indentation \
        while scanning a plain scalar from 1:10; \(remedy)
        """)
  }

  @Test("A word that begins with a reserved character must be quoted", arguments: ["@x", "`x", "%x"])
  func reserved(word: String) {
    #expect(
      mistake("concurrency: \(word)\n") == """
        init.yaml:2:14: this is not YAML: found character that cannot start any token; \
        put quotes around the word that begins here
        """)
  }

  @Test("An unclosed list is reported at its beginning")
  func openList() {
    #expect(
      mistake("initializers:\n  a:\n    command: [x, y\n  b:\n    command: z\n") == """
        init.yaml:5:4: this is not YAML: did not find expected ',' or ']' while parsing a flow sequence from 4:14; \
        close the list with ], and put a comma between its elements
        """)
  }

  @Test("An unclosed mapping is reported at its beginning")
  func openMapping() {
    #expect(
      mistake("initializers:\n  a: { worker: true\n  b: 1\n") == """
        init.yaml:4:4: this is not YAML: did not find expected ',' or '}' while parsing a flow mapping from 3:6; \
        close the mapping with }, and put a comma between its entries
        """)
  }

  @Test("An unclosed quote is reported at its beginning")
  func openQuote() {
    #expect(
      mistake("initializers:\n  a:\n    command: \"x\n  b:\n    worker: true\n") == """
        init.yaml:4:14: this is not YAML: found unexpected end of stream while scanning a quoted scalar; close the quote
        """)
  }

  @Test("A key without a colon is reported at its position")
  func noColon() {
    #expect(
      mistake("concurrency\nenvironment: {}\n") == """
        init.yaml:2:1: this is not YAML: could not find expected ':' while scanning a simple key; \
        write a key as in name: value
        """)
  }

  @Test("A colon within a value must be quoted")
  func colon() {
    #expect(
      mistake("initializers: a: b\n") == """
        init.yaml:2:16: this is not YAML: mapping values are not allowed in this context; \
        check the indentation, and quote a value that has a colon and a space in it
        """)
  }

  @Test("Wrong indentation is reported as wrong indentation")
  func column() {
    #expect(
      mistake("initializers:\n    a: { worker: true }\n  b: { worker: true }\n") == """
        init.yaml:4:3: this is not YAML: did not find expected key while parsing a block mapping from 1:1; \
        start all keys of a mapping in the same column, and check that the line above is complete
        """)
  }

  @Test("A list on the line of its key must begin on its own line")
  func listOnLine() {
    #expect(
      mistake("initializers: - a\n") == """
        init.yaml:2:15: this is not YAML: block sequence entries are not allowed in this context; \
        begin it on a line of its own, indented under its key
        """)
  }

  @Test("An unknown escape is reported at its position")
  func unknownEscape() {
    #expect(
      mistake("concurrency: \"\\q\"\n") == """
        init.yaml:2:15: this is not YAML: found unknown escape character while parsing a quoted scalar from 2:14; \
        write \\\\ for a backslash, or use single quotes
        """)
  }

  @Test("Another version of YAML is refused")
  func version() {
    #expect(
      mistakes(in: "%YAML 2.0\n---\nversion: 1\n")
        == "init.yaml:1:1: this is not YAML: found incompatible YAML document; remove the %YAML line")
  }
}
