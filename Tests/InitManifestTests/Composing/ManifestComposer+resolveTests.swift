import InitCore
import InitDeclarations
import Testing

@testable import InitManifest

@Suite struct ManifestComposerResolveTests {
  private func resolved(
    _ paths: [String], texts: [String: String], variables: [String: String] = [:], profiles: [String] = []
  ) throws -> (manifest: Manifest, text: String) {
    var files = ManifestFiles(paths, variables: variables, profiles: profiles)
    files.resolves = true
    let manifest = try Manifest.compose(files) { path throws(ManifestFiles.Unreadable) in
      guard let text = texts[path] else { throw ManifestFiles.Unreadable("cannot read \(path)") }
      return ManifestFiles.Contents(Array(text.utf8), in: "/etc")
    }
    return (manifest, try #require(manifest.resolved))
  }

  @Test("The whole manifest has neither references nor defaults, and all of its paths are absolute")
  func whole() throws {
    let (_, text) = try resolved(
      ["a", "b"],
      texts: [
        "a": """
        version: 1
        defaults: { timeout: 1m }
        environmentFile: [env]
        environment: { A: "${X}", B: '$${Y}' }
        initializers:
          one: { command: [./one, "1", two words], retry: { attempts: 2 }, environment: { C: "" } }
          two: { command: "echo ${A}\\n\\tx\\n", dependencies: [one], workingDirectory: "${X}" }
          dev: { command: x, profiles: [dev] }
          not: { worker: true, profiles: [test] }
        workers:
          w: { command: [w, ./x] }
        """,
        "b": "include: [c]\ninitializers: { one: { timeout: null } }\n", "c": "concurrency: 3\n", "env": "E='${E}'\n",
      ], variables: ["X": "sub/dir"], profiles: ["dev"])
    #expect(
      text == #"""
        version: 1
        environment:
          E: "$${E}"
          A: "sub/dir"
          B: "$${Y}"
        initializers:
          one:
            command: ["/etc/./one", "1", "two words"]
            retry:
              attempts: 2
            environment:
              C: ""
            workingDirectory: "/etc"
          two:
            command: |
              echo ${A}
              \#tx
            dependencies: [one]
            workingDirectory: "/etc/sub/dir"
            timeout: 1m
          dev:
            command: x
            timeout: 1m
            workingDirectory: "/etc"
        workers:
          w:
            command: [w, ./x]
            workingDirectory: "/etc"
        concurrency: 3

        """#)
  }

  @Test("The whole manifest, when it is read, is the same, for any text")
  func roundTrip() throws {
    let words = [
      "", "x", "null", "~", "- x", "a: b", "# no", "é", "\u{1F600}", "a\nb", "a\nb\n", "\n", " a\nb", "a\n\nb\n\n",
      "a \nb", "\tx",
      "a\tb\nc", "'", "\"", "\\", "\\n", "${A}", "$${A}", "true", "1", "0x1", "\u{85}", "\u{2028}", "\r\n", "%x", "@x",
      "<<", "*a", "&a",
      "a\n  b\nc", "---", "...\nx", "\u{FEFF}x", "\u{9B}[2J", "-", "-1",
    ]
    let values = words.enumerated().map { index, word in
      "V\(index): \"" + word.unicodeScalars.map { "\\U" + hex($0) }.joined() + "\""
    }.joined(separator: ", ")
    let list = words.filter { !$0.isEmpty }.map { "\"" + $0.unicodeScalars.map { "\\U" + hex($0) }.joined() + "\"" }
    let source = """
      version: 1
      initializers:
        a: { command: [/x, \(list.joined(separator: ", "))], description: "1", environment: { \(values) } }
        b: { command: "\\U00000061\\U0000000A b", retry: { factor: 1.5 }, optional: true }
      """.replacing("\\U00000024\\U0000007b", with: "\\U00000024\\U00000024\\U0000007b")
    let (manifest, text) = try resolved(["a"], texts: ["a": source])
    let again = try resolved(["b"], texts: ["b": text])
    #expect(again.text == text)
    for (first, second) in zip(manifest.initializers, again.manifest.initializers) {
      #expect(first.declaration == second.declaration)
      #expect(first.description == second.description)
      #expect(first.command?.arguments == second.command?.arguments)
      #expect(first.texts == second.texts)
      #expect(first.command?.environment == second.command?.environment)
    }
    #expect(again.manifest.initializers.map(\.declaration.name) == ["a", "b"])
  }

  private func hex(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
