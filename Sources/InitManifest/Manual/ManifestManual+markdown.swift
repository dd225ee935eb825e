extension ManifestManual {
  /// The manual as Markdown: `docs/manifest.md`.
  package static var markdown: String {
    var blocks = ["# \(title)"]
    blocks.append("<!-- Made by `initctl schema --format markdown` from the table in Sources/InitManifest/Keys. -->")
    blocks += introduction + [yaml(example), index]
    for chapter in chapters {
      blocks += ["## \(chapter.section.title)", chapter.section.purpose]
      blocks += chapter.keys.flatMap { ["### `\($0.name)`"] + description(of: $0) }
      if !chapter.shared.isEmpty { blocks.append(sentence(about: chapter.shared.map { link(to: $0.key) })) }
    }
    for (heading, paragraphs) in notes { blocks += ["## \(heading)"] + paragraphs }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// Returns the descriptions of the keys with a name, each with its section; empty if there is none.
  package static func markdown(ofKey name: String) -> String {
    let blocks = chapters.flatMap { chapter in
      chapter.keys.filter { $0.name == name }.flatMap { key in
        let others = chapters.filter { $0.shared.contains { isShared($0, key, of: chapter) } }.map(\.section.title)
        return ["## `\(name)`: \(([chapter.section.title] + others).joined(separator: ", "))"] + description(of: key)
      }
    }
    return blocks.isEmpty ? "" : blocks.joined(separator: "\n\n") + "\n"
  }

  private static func isShared(
    _ shared: (key: ManifestKey, section: ManifestSection), _ key: ManifestKey, of chapter: Chapter
  ) -> Bool { shared.key.name == key.name && shared.section == chapter.section }

  private static func description(of key: ManifestKey) -> [String] {
    ["(\(facts(of: key)))", key.meaning, yaml(key.example)]
  }

  /// Returns a sentence that lists the keys that are described elsewhere.
  static func sentence(about keys: [String]) -> String { "It also has these keys: \(keys.joined(separator: ", "))." }

  private static let title = "init.yaml: every key"

  private static func yaml(_ text: String) -> String { "```yaml\n\(text)\n```" }

  /// A table of all keys, each with a link to it.
  private static var index: String {
    let rows = chapters.map { chapter in
      let keys = chapter.section.keys.map { link(to: $0) }
      return
        "| [\(chapter.section.title)](#\(anchors.sections[chapter.section] ?? "")) | \(keys.joined(separator: " ")) |"
    }
    return (["| section | keys |", "| --- | --- |"] + rows).joined(separator: "\n")
  }

  private static func link(to key: ManifestKey) -> String {
    let found = anchors.keys.first { isSame($0.key, key) }
    return "[`\(key.name)`](#\(found?.anchor ?? ""))"
  }

  /// The names by which the sections and keys of the page can be linked.
  private static let anchors: (sections: [ManifestSection: String], keys: [(key: ManifestKey, anchor: String)]) = {
    var anchors = Anchors()
    _ = anchors.next(title)
    var sections: [ManifestSection: String] = [:]
    var keys: [(key: ManifestKey, anchor: String)] = []
    for chapter in chapters {
      sections[chapter.section] = anchors.next(chapter.section.title)
      for key in chapter.keys { keys.append((key, anchors.next(key.name))) }
    }
    return (sections, keys)
  }()
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
