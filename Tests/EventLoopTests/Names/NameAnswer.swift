@testable import EventLoop

/// A name server's answer to a question.
struct NameAnswer {
  var code: UInt8 = 0
  /// Type and data of each record.
  var records: [(kind: UInt16, data: [UInt8])] = []

  /// Returns the message that answers a question with this message.
  func message(to question: [UInt8]) -> [UInt8] {
    var bytes = question
    bytes[2] |= 0x80
    bytes[3] = 0x80 | code
    bytes[7] = UInt8(records.count)
    for record in records {
      // The name is a pointer to the name of the question.
      bytes += [0xC0, 12, UInt8(record.kind >> 8), UInt8(record.kind & 0xFF), 0, 1, 0, 0, 0, 60]
      bytes += [UInt8(record.data.count >> 8), UInt8(record.data.count & 0xFF)] + record.data
    }
    return bytes
  }
}
