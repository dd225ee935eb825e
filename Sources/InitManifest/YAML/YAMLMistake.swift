import CLibyaml

/// A libyaml error, with libyaml's text and our remedy.
struct YAMLMistake: Error, Hashable {
  let position: Position
  let problem: String
  let remedy: String

  /// Describes the mistake in a file that `parser` stopped at.
  init(_ parser: yaml_parser_t, in file: Int) {
    let words = parser.problem.map { String(cString: $0) } ?? "it cannot be read"
    let context = parser.context.map { String(cString: $0) } ?? ""
    let isPlaced = parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR
    let noticed = Position(isPlaced ? parser.problem_mark : parser.mark, in: file)
    let begun = isPlaced && !context.isEmpty ? Position(parser.context_mark, in: file) : noticed
    position = Self.isAtItsBeginning(words, context: context) ? begun : noticed
    let saysMore = !context.isEmpty && context != "while scanning for the next token"
    let from = begun == position ? "" : " from \(begun.line):\(begun.column)"
    problem = "this is not YAML: \(words)" + (saysMore ? " \(context)\(from)" : "")
    remedy =
      words == Self.noToken
      ? Self.remedy(forCharacter: parser.unread > 0 ? parser.buffer.pointer.pointee : 0)
      : Self.remedy(for: words, context: context)
  }

  private static let noToken = "found character that cannot start any token"

  /// Returns whether the mistake is at the beginning of libyaml's construct, for example an unclosed quote, which libyaml notices only at
  /// the end of the file.
  private static func isAtItsBeginning(_ problem: String, context: String) -> Bool {
    problem == "could not find expected ':'"
      || (problem.hasPrefix("found unexpected") && context.hasSuffix("a quoted scalar"))
  }

  /// Returns the remedy for a text that begins with `character`.
  private static func remedy(forCharacter character: UInt8) -> String {
    character == UInt8(ascii: "\t")
      ? "indent with spaces, never with a tab" : "put quotes around the word that begins here"
  }

  /// Returns the remedy for `problem`, which libyaml found in `context`.
  private static func remedy(for problem: String, context: String) -> String {
    switch problem {
    case "found a tab character that violates indentation",
      "found a tab character where an indentation space is expected":
      "indent with spaces, never with a tab"
    case "mapping values are not allowed in this context":
      "check the indentation, and quote a value that has a colon and a space in it"
    case "did not find expected key", "did not find expected '-' indicator":
      "start all keys of a mapping in the same column, and check that the line above is complete"
    case "could not find expected ':'":
      "write a key as in name: value"
    case "block sequence entries are not allowed in this context",
      "block mapping entries are not allowed in this context",
      "mapping keys are not allowed in this context":
      "begin it on a line of its own, indented under its key"
    case "did not find expected ',' or ']'":
      "close the list with ], and put a comma between its elements"
    case "did not find expected ',' or '}'":
      "close the mapping with }, and put a comma between its entries"
    case "found unexpected end of stream" where context.hasSuffix("a quoted scalar"),
      "found unexpected document indicator" where context.hasSuffix("a quoted scalar"):
      "close the quote"
    case "did not find expected node content":
      "write the value, and close what is open"
    case "found unknown escape character", "did not find expected hexdecimal number":
      "write \\\\ for a backslash, or use single quotes"
    case "found incompatible YAML document":
      "remove the %YAML line"
    case "did not find expected <document start>":
      "keep to one mapping, and check the indentation"
    default:
      "correct it, or quote the value"
    }
  }
}
