extension ManifestManual {
  /// Returns the manual as a page of `man`: `init.yaml(5)`; `version` is that of the programs.
  package static func roff(version: String) -> String {
    var lines = [
      ".TH INIT.YAML 5 \"\" \"init.yaml \(version)\" \"AppInitializers\"", ".SH NAME",
      "init.yaml \\- the manifest of initd", ".SH DESCRIPTION",
    ]
    for paragraph in introduction { lines += [".PP", text(paragraph)] }
    lines += block(example)
    for chapter in chapters {
      lines += [".SH \(chapter.section.title.uppercased())", text(chapter.section.purpose)]
      for key in chapter.keys {
        lines += [".TP", ".B \(plain(key.name))", text("(\(facts(of: key)))"), ".IP", text(key.meaning)]
        lines += [".RS"] + block(key.example) + [".RE"]
      }
      if !chapter.shared.isEmpty {
        lines += [".PP", text(sentence(about: chapter.shared.map { "`\($0.key.name)` (\($0.section.title))" }))]
      }
    }
    for (heading, paragraphs) in notes {
      lines.append(".SH \(heading.uppercased())")
      for paragraph in paragraphs { lines += [".PP", text(paragraph)] }
    }
    lines += [".SH SEE ALSO", ".BR initd (1),", ".BR initctl (1)"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns an example, whose lines stay as they are.
  private static func block(_ example: String) -> [String] {
    [".PP", ".EX"] + example.split(separator: "\n", omittingEmptySubsequences: false).map { plain(String($0)) } + [
      ".EE"
    ]
  }

  /// Returns a paragraph: text between backticks is bold, text between asterisks is underlined, and of a link only its text remains.
  private static func text(_ markdown: String) -> String {
    var result = ""
    var rest = markdown[...]
    var isBold = false
    var isUnderlined = false
    while let character = rest.popFirst() {
      switch character {
      case "`":
        isBold.toggle()
        result += isBold ? "\\fB" : "\\fR"
      case "*" where !isBold:
        isUnderlined.toggle()
        result += isUnderlined ? "\\fI" : "\\fR"
      case "[" where !isBold && rest.firstIndex(of: "]").map({ rest[rest.index(after: $0)...].first == "(" }) == true:
        let (label, target) = link(&rest)
        result += label + (target.hasPrefix("#") ? "" : " (\(target))")
      default: result += plain(String(character))
      }
    }
    // A line that begins with a point or an apostrophe would be a request.
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }

  /// Takes the rest of a link after its bracket.
  private static func link(_ rest: inout Substring) -> (label: String, target: String) {
    let label = rest.prefix { $0 != "]" }
    let target = rest[label.endIndex...].dropFirst(2).prefix { $0 != ")" }
    rest = rest[target.endIndex...].dropFirst()
    return (plain(String(label)), plain(String(target)))
  }

  /// Returns a text whose characters have no meaning for roff.
  private static func plain(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }
}
