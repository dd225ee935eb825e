// The path of an output through the supervisor: a worker sends it as `output` in its answer, or a command writes it to a file. A dependent
// gets it in the `inputs` of its run request, or in its environment.

package import InitJSON

/// The output of a run for its dependents: any JSON value.
package struct RunOutput: Sendable, Equatable {
  /// The maximum nesting, so it fits into `params.inputs` of a message.
  static let greatestDepth = StrictJSON.greatestDepth - 3

  /// The value's text.
  package let value: RawJSON
  /// Whether the output must not appear in logs, states and events.
  package let isSecret: Bool

  /// Why a text isn't a valid output.
  ///
  /// The errors don't contain the text.
  package enum Fault: Error, Sendable, Equatable {
    /// The bytes aren't one strict JSON value.
    case json(StrictJSON.Fault)
    /// Nested too deeply.
    case tooDeep
    /// Larger than the limit.
    case tooLarge(limit: Int)
    /// The bytes are neither JSON nor text: they aren't UTF-8.
    case notText
  }

  /// Creates an output from a command's text: JSON if it is one strict JSON value, else a string with the text, without its last newline.
  ///
  /// `limit` is the maximum size of its JSON in bytes. Throws why it isn't a valid output.
  package init(written text: [UInt8], isSecret: Bool = false, limit: Int = .max) throws(Fault) {
    let value: RawJSON
    do throws(StrictJSON.Fault) {
      value = try RawJSON(checking: text)
    } catch {
      // The output has more braces than a message may contain, so it isn't meant as text.
      guard error.reason != .tooDeep else { throw .tooDeep }
      let line = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
      guard let string = String(validating: line, as: UTF8.self),
        let json = try? string.json()
      else { throw .notText }
      value = RawJSON(written: json)
    }
    try self.init(value, isSecret: isSecret, limit: limit)
  }

  /// Creates an output from the text of one value; whitespace around it is allowed.
  ///
  /// `limit` is the maximum size of the output in bytes. Throws why it isn't a valid output.
  package init(_ text: [UInt8], isSecret: Bool = false, limit: Int = .max) throws(Fault) {
    let value: RawJSON
    do throws(StrictJSON.Fault) {
      value = try RawJSON(checking: text)
    } catch {
      throw .json(error)
    }
    try self.init(value, isSecret: isSecret, limit: limit)
  }

  /// Creates an output from a value of a checked message.
  init(_ value: RawJSON, isSecret: Bool, limit: Int) throws(Fault) {
    guard value.bytes.count <= limit else { throw .tooLarge(limit: limit) }
    let open = [UInt8](repeating: UInt8(ascii: "["), count: StrictJSON.greatestDepth - Self.greatestDepth)
    let close = [UInt8](repeating: UInt8(ascii: "]"), count: open.count)
    guard (try? RawJSON(checking: open + value.bytes + close)) != nil else { throw .tooDeep }
    // Copied, because the output is kept longer than its message.
    self.value = value.detached
    self.isSecret = isSecret
  }

  /// Reads the output in a worker's answer: the result's `output`; nil if it is absent.
  ///
  /// `isSecret` makes the output secret even if the answer doesn't. `limit` is the maximum size of the output in bytes. Throws why it isn't
  /// a valid output.
  package init?(result: RawJSON, isSecret: Bool = false, limit: Int = .max) throws(Fault) {
    guard let value = result["output"] else { return nil }
    // Any value except false means that the output is secret.
    try self.init(value, isSecret: isSecret || result["secret"].map { $0.boolean != false } ?? false, limit: limit)
  }

  /// Creates an output from a Swift value, by encoding it to JSON.
  ///
  /// `limit` is the maximum size of the output in bytes. Throws why it isn't a valid output, or an error of its own encoding.
  package init(encoding value: some Encodable, isSecret: Bool = false, limit: Int = .max) throws {
    try self.init(try JSONWriter.text(encoding: value), isSecret: isSecret, limit: limit)
  }

  /// The result of a run with this output.
  package var result: RawJSON {
    .object(isSecret ? ["output": value, "secret": RawJSON.true] : ["output": value])
  }
}

extension RunOutput: CustomStringConvertible, CustomReflectable {
  /// A fixed text, because the value may be secret.
  package var description: String { isSecret ? "(secret output)" : "(output)" }
  /// An empty mirror.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension RunOutput.Fault: CustomStringConvertible {
  /// A text that says what is wrong, and what to do.
  package var description: String {
    switch self {
    case .json(let fault):
      "it is not JSON: \(fault.reason.rawValue), at byte \(fault.offset); write one JSON value, e.g. a quoted text, a number or an object"
    case .notText: "it is neither JSON nor UTF-8 text; encode it, e.g. with base64, or write the path of a file"
    case .tooDeep: "it is nested more than \(RunOutput.greatestDepth) levels deep; use fewer levels"
    case .tooLarge(let limit): "it has more than \(limit) bytes; write it to a file, and output its path"
    }
  }
}
