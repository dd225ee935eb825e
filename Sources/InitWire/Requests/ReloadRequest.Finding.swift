package import InitJSON
package import InitModel

extension ReloadRequest {
  /// A mistake in a manifest, or a warning: its position, the problem, and what to do.
  package struct Finding: Sendable, Shape {
    /// The severity of a finding.
    package enum Severity: String, WireWord {
      /// A mistake: the manifest can't be used.
      case error
      /// Valid, but probably not meant.
      case warning
    }

    /// The file.
    package var file = ""
    /// The line, from 1.
    package var line = 1
    /// The column, from 1.
    package var column = 1
    /// The severity of the finding.
    package var severity: Word<Severity> = .known(.error)
    /// The problem.
    package var message = ""
    /// The remedy.
    package var suggestion: String?

    /// Creates an empty value, to be filled by reading.
    package init() {}

    /// Describes a mistake or a warning.
    package init(
      file: String, line: Int, column: Int, severity: Severity, message: String, suggestion: String?
    ) {
      self.file = file
      self.line = line
      self.column = column
      self.severity = .known(severity)
      self.message = message
      self.suggestion = suggestion
    }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("file", &file)
      try json.required("line", &line)
      try json.required("column", &column)
      try json.required("severity", &severity)
      try json.required("message", &message)
      try json.optional("suggestion", &suggestion)
    }
  }
}

extension ReloadRequest.Finding: CustomStringConvertible {
  /// One line: `FILE:LINE:COLUMN: PROBLEM; REMEDY`, with `warning: ` before the meaning of a warning.
  package var description: String {
    let kind = severity == .warning ? "warning: " : ""
    return "\(file):\(line):\(column): \(kind)\(message)\(suggestion.map { "; \($0)" } ?? "")"
  }
}
