/// The forms in which `initd --schema` and `initctl schema` print the keys of a manifest.
package enum ManualFormat: String, CaseIterable {
  /// A JSON Schema.
  case json
  /// A JSON Schema of files that are merged with others.
  case part
  /// A page of `man`, section 5.
  case man
  /// A page of Markdown.
  case markdown
}
