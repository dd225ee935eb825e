import Testing

@testable import InitCore

@Suite struct StatusLineTests {
  private func read(_ text: String) -> StatusLine.Reading {
    var line = StatusLine()
    return line.read(text.utf8)
  }

  @Test(
    "S31: the status is read from the first line alone",
    arguments: [
      ("HTTP/1.1 200 OK\r\n", .status(200)), ("HTTP/1.0 503\r", .status(503)), ("HTTP/2.0 404\n", .status(404)),
      ("HTTP/1.1 200 OK", .status(200)), ("HTTP/1.1 200", .more), ("HTTP/1.1 2", .more), ("", .more),
      ("HTTP/1.1 101 Switching Protocols\r\n", .status(101)), ("HTTP/1.1 999 x", .status(999)),
      ("HTTP/1.1 099 x", .invalid), ("HTTP/1.1 2000", .invalid), ("HTTP/1.1 20x", .invalid), ("HTTP/11 200", .invalid),
      ("SSH-2.0-OpenSSH", .invalid), ("\r\nHTTP/1.1 200 OK", .invalid), ("http/1.1 200 OK", .invalid), ("\0", .invalid),
    ] as [(String, StatusLine.Reading)])
  func status(text: String, reading: StatusLine.Reading) { #expect(read(text) == reading) }

  @Test("S31: bytes may arrive one by one")
  func slow() {
    var line = StatusLine()
    let text = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\n"
    var readings: [StatusLine.Reading] = []
    for byte in text.utf8 where readings.last ?? .more == .more { readings.append(line.read([byte])) }
    #expect(readings.last == .status(204))
  }

  @Test("S31: interim answers are skipped, with and without headers")
  func interim() {
    #expect(read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n") == .status(200))
    #expect(read("HTTP/1.1 100\n\nHTTP/1.1 200 OK\r\n") == .status(200))
    #expect(read("HTTP/1.1 103 x\r\nA: b\r\nC: d\r\n\r\nHTTP/1.1 500 x") == .status(500))
    #expect(read("HTTP/1.1 103 x\r\nA: HTTP/1.1 200 OK\r\n") == .more)
  }

  @Test("S31: an answer without an end is given up")
  func endless() {
    var line = StatusLine()
    #expect(line.read("HTTP/1.1 100 ".utf8) == .more)
    #expect(line.read([UInt8](repeating: UInt8(ascii: "a"), count: StatusLine.maximumBytes)) == .invalid)
  }
}
