package import InitJSON
package import InitModel
internal import InitWords

/// The last lines of an initializer's newest failed attempt, as a line of an append-only file: a value.
///
/// The last line of a name counts. Without output lines, the record says that nothing is kept any more. A line is a checksum, a space, a
/// JSON object and a line break. A damaged line, and a last line without a line break, are left out: each line is complete without the
/// others.
package struct FailedOutput: Shape, Sendable {
  /// An output line.
  private struct Line: Shape, Sendable {
    var line = ""
    var stream: Word<OutputName> = .unknown("")
    var time: Double = 0

    init() {}

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("line", &line)
      try json.required("stream", &stream)
      try json.required("time", &time)
    }
  }

  /// The initializer, or the kept process.
  package private(set) var name = ""
  /// The supervisor that executed the run.
  package private(set) var instance: String?
  private var pass: Int?
  private var run = 0
  private var attempt: Int?
  private var lines: [Line] = []

  package init() {}

  /// Creates the record of a name for which nothing is kept any more.
  package init(nothingOf name: String) { self.name = name }

  /// Creates the record of the lines of an attempt; nil without lines.
  ///
  /// `instance` is the supervisor that executed the run, unless the lines are of an earlier one.
  package init?(_ output: [LogLine], instance: String) {
    guard let first = output.first else { return nil }
    name = first.initializer
    run = first.run
    attempt = first.attempt
    pass = first.pass
    self.instance = first.instance ?? instance
    lines = output.map { shape in
      var line = Line()
      line.line = shape.line
      line.stream = shape.stream
      line.time = shape.time
      return line
    }
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.optional("instance", &instance)
    try json.optional("pass", &pass)
    try json.optional("run", &run)
    try json.optional("attempt", &attempt)
    try json.optional("lines", &lines)
  }

  /// The lines, as a later supervisor shows them.
  package var shapes: [LogLine] {
    lines.map { line in
      var shape = LogLine()
      shape.time = line.time
      shape.initializer = name
      shape.run = run
      shape.attempt = attempt
      shape.pass = pass
      shape.instance = instance
      shape.stream = line.stream
      shape.line = line.line
      return shape
    }
  }

  /// The line of the file.
  package var text: [UInt8] { checked + [UInt8(ascii: "\n")] }

  /// Reads a file.
  ///
  /// - Returns: the valid records, in the order of the lines, and the number of damaged lines.
  package static func read(_ bytes: [UInt8]) -> (outputs: [FailedOutput], damaged: Int) {
    let ended = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[..<$0] } ?? []
    var outputs = [FailedOutput]()
    var damaged = 0
    var names = Set<String>()
    for line in ended.split(separator: UInt8(ascii: "\n")).reversed() {
      guard let output = FailedOutput(checked: line) else {
        damaged += 1
        continue
      }
      if names.insert(output.name).inserted, !output.lines.isEmpty { outputs.append(output) }
    }
    return (outputs.reversed(), damaged)
  }
}
