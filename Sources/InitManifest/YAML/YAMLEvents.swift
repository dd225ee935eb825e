import CLibyaml

/// An event of libyaml's parser.
struct YAMLEvent {
  enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd
    case scalar(String, isPlain: Bool)
    case alias(String)
    case listStart, listEnd, mappingStart, mappingEnd
  }

  let kind: Kind
  let position: Position
  var anchor: String?
  var tag: String?
}

/// The events of libyaml's parser, one at a time.
///
/// Invariant. The parser and each event are freed on every path: the parser when this ends, an event before `next` returns.
/// Marks count from 0 there and from 1 here. The bytes outlive this value, which only `YAMLReader` makes.
struct YAMLEvents: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let file: Int

  /// Creates a parser of the bytes of a file; `nil` if there is no memory for it.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, file: Int) {
    self.file = file
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  /// Reads the next event.
  ///
  /// Throws an error that says what is wrong with the YAML; no further event follows.
  mutating func next() throws(YAMLMistake) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw YAMLMistake(parser.pointee, in: file) }
    defer { yaml_event_delete(&event) }
    let position = Position(event.start_mark, in: file)
    switch event.type {
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      return YAMLEvent(
        kind: .scalar(String(decoding: text, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE),
        position: position, anchor: String(yaml: scalar.anchor), tag: String(yaml: scalar.tag))
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return YAMLEvent(
        kind: .listStart, position: position, anchor: String(yaml: start.anchor), tag: String(yaml: start.tag))
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return YAMLEvent(
        kind: .mappingStart, position: position, anchor: String(yaml: start.anchor), tag: String(yaml: start.tag))
    case YAML_ALIAS_EVENT:
      return YAMLEvent(kind: .alias(String(yaml: event.data.alias.anchor) ?? ""), position: position)
    case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .listEnd, position: position)
    case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, position: position)
    case YAML_STREAM_START_EVENT: return YAMLEvent(kind: .streamStart, position: position)
    case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, position: position)
    case YAML_DOCUMENT_END_EVENT: return YAMLEvent(kind: .documentEnd, position: position)
    default: return YAMLEvent(kind: .streamEnd, position: position)
    }
  }
}

extension String {
  /// Copies libyaml's text; `nil` if there is none.
  fileprivate init?(yaml text: UnsafePointer<UInt8>?) {
    guard let text else { return nil }
    self.init(cString: text)
  }
}

extension Position {
  /// Converts libyaml's mark in a file.
  init(_ mark: yaml_mark_t, in file: Int) {
    self.init(line: mark.line + 1, column: mark.column + 1, file: file)
  }
}
