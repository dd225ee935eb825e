extension ManifestManual {
  /// The manual as Markdown: `docs/manifest.md`.
  package static var markdown: String {
    var blocks = ["# init.yaml: every key"]
    blocks.append("<!-- Made by `initctl schema --format markdown` from the table in Sources/InitManifest/Keys. -->")
    blocks += introduction + [yaml(example)]
    for section in ManifestSection.allCases {
      blocks += ["## \(section.title)", section.purpose]
      for key in section.keys {
        blocks += ["### `\(key.name)`", "(\(facts(of: key)))", key.meaning, yaml(key.example)]
      }
    }
    for (heading, paragraphs) in notes { blocks += ["## \(heading)"] + paragraphs }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private static func yaml(_ text: String) -> String { "```yaml\n\(text)\n```" }
}
