/// A value that was handed over, in whatever form.
struct Handed {
  let value: any Sendable

  /// The value as that type: as it is, or decoded, if another process handed it over as JSON.
  func read<Value: Sendable>(as type: Value.Type) throws(MissingOutput.Reason) -> Value {
    if let value = value as? Value { return value }
    guard let encoded = value as? any EncodedOutput else {
      throw .type(found: "\(Swift.type(of: value))", wanted: "\(type)")
    }
    guard let decodable = type as? any Decodable.Type else { throw .type(found: "JSON", wanted: "\(type)") }
    let decoded: any Decodable
    do {
      decoded = try encoded.decode(decodable)
    } catch {
      // What can't be read is told by decoders, with what stood there.
      let reason = encoded.isSecret ? "" : ": \(error)"
      throw .type(found: "JSON of another shape\(reason)", wanted: "\(type)")
    }
    guard let value = decoded as? Value else { throw .type(found: "JSON", wanted: "\(type)") }
    return value
  }
}
