extension ManifestManual {
  /// The manual as Markdown: `docs/manifest.md`.
  package static var markdown: String {
    var blocks = ["# \(title)"]
    blocks.append("<!-- Made by `initctl schema --format markdown` from the table in Sources/InitManifest/Keys. -->")
    blocks += introduction + [yaml(example), index]
    for section in ManifestSection.allCases {
      blocks += ["## \(section.title)", section.purpose]
      for key in section.keys {
        blocks += ["### `\(key.name)`", "(\(facts(of: key)))", key.meaning, yaml(key.example)]
      }
    }
    for (heading, paragraphs) in notes { blocks += ["## \(heading)"] + paragraphs }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static let title = "init.yaml: every key"

  private static func yaml(_ text: String) -> String { "```yaml\n\(text)\n```" }

  /// A table of all keys, each with a link to it.
  private static var index: String {
    var anchors = Anchors()
    _ = anchors.next(title)
    let rows = ManifestSection.allCases.map { section in
      let heading = "[\(section.title)](#\(anchors.next(section.title)))"
      let keys = section.keys.map { "[`\($0.name)`](#\(anchors.next($0.name)))" }
      return "| \(heading) | \(keys.joined(separator: " ")) |"
    }
    return (["| section | keys |", "| --- | --- |"] + rows).joined(separator: "\n")
  }
}

/// The names by which the headings of a page can be linked, in their order: those of GitHub.
private struct Anchors {
  private var counts: [String: Int] = [:]

  /// Returns the name of the next heading.
  mutating func next(_ heading: String) -> String {
    let kept = heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
    let name = String(kept.map { $0 == " " ? "-" : $0 })
    let count = counts[name, default: 0]
    counts[name] = count + 1
    return count == 0 ? name : "\(name)-\(count)"
  }
}
