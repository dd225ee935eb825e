/// The forms in which the keys of a manifest are printed.
enum ManualFormat: String, CaseIterable {
  /// A JSON Schema.
  case json
  /// A JSON Schema of files that are merged with others.
  case part
  /// A page of `man`, section 5.
  case man
  /// A page of Markdown.
  case markdown
}
