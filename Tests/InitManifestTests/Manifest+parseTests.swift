import Testing

@testable import InitManifest

@Suite struct ParseTests {
  @Test("Bytes and text give the same result")
  func bytes() throws {
    #expect(
      try Manifest.parse(Array(contractExample.utf8), file: "f") == Manifest.parse(contractExample, file: "f"))
  }

  @Test(
    "A mutilated manifest is read or refused, and each finding has a position in the text",
    arguments: 0..<40)
  func mutations(seed: UInt64) {
    var random = Random(state: seed)
    let seeds = [contractExample, knotty]
    for round in 0..<100 {
      var bytes = Array(seeds[round % seeds.count].utf8)
      for _ in 0...Int.random(in: 0..<6, using: &random) { mutate(&bytes, using: &random) }
      check(bytes, "seed \(seed), round \(round)")
    }
  }

  @Test("A manifest that is truncated anywhere has findings with positions in the text")
  func cuts() {
    for text in [contractExample, knotty] {
      let bytes = Array(text.utf8)
      for end in bytes.indices { check(Array(bytes[..<end]), "cut at \(end)") }
    }
  }

  private func check(_ bytes: [UInt8], _ what: String) {
    do throws(ManifestErrors) {
      _ = try Manifest.parse(bytes, file: "f").checkReport()
    } catch {
      let widths = widths(of: bytes)
      #expect(!error.findings.isEmpty, "\(what)")
      #expect(error.findings.map(\.position) == error.findings.map(\.position).sorted(), "\(what)")
      for finding in error.findings {
        let isInside =
          (1...widths.count).contains(finding.line) && (1...widths[finding.line - 1] + 1).contains(finding.column)
        #expect(isInside, "\(what): \(finding)")
        let isVisible = finding.description.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
        }
        #expect(isVisible, "\(what): \(finding)")
      }
    }
  }

  /// Returns the number of characters of each line.
  private func widths(of bytes: [UInt8]) -> [Int] {
    var widths = [0]
    var previous: Unicode.Scalar?
    var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    for scalar in scalars {
      switch scalar {
      case "\n" where previous == "\r": break
      case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": widths.append(0)
      default: widths[widths.count - 1] += 1
      }
      previous = scalar
    }
    return widths
  }

  private func mutate(_ bytes: inout [UInt8], using random: inout Random) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let end = min(bytes.count, place + Int.random(in: 0..<20, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.removeSubrange(place..<end)
    case 1: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
    case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 3: bytes.insert(contentsOf: Self.words.randomElement(using: &random)!.utf8, at: place)
    case 4: bytes.replaceSubrange(place..<end, with: Self.words.randomElement(using: &random)!.utf8)
    default: if place < bytes.count { bytes[place] = UInt8.random(in: 0x20..<0x7F, using: &random) }
    }
  }

  private static let words = [
    "\n", "\t", "  ", ": ", "- ", "? ", "[", "]", "{", "}", ",", "#", "&a ", "*a", "!!str ", "!x ", "|", ">", "'", "\"",
    "%YAML 1.1\n", "---\n", "...\n", "@", "`", "<<", "~", "null", "true", "\\0", "\r\n", "\u{85}", "\u{2028}",
    "\u{FEFF}",
    "é", "😀", "\u{A0}", "initializers:\n", "  a:\n", "dependencies: [a, b]", "retry: ", "version: 1\n",
    "99999999999999999999",
  ]
}

/// A manifest with every kind of value, and blocks of each style.
private let knotty = """
  %YAML 1.1
  ---
  version: 1
  environment:
    A: "x\\u00e9\\
      y"
    B: >-
      folded
      text
  initializers:
    a:
      command: |
        set -e
        run
      dependencies:
      - b
      - 'c'
      retry:
        delay: 250ms
    b: {worker: true, priority: appActive, perProcess: true}
    ? c
    : { command: [sh, -c, "exit 3"], optional: true, description: "été" }
  workers:
    w: {command: x, restart: never, backoff: {delay: 1, factor: 1.5, maxDelay: 1m}}

  """

/// A generator of numbers from a seed.
private struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var mixed = state
    mixed ^= mixed >> 33
    mixed = mixed &* 0xFF51_AFD7_ED55_8CCD
    return mixed ^ (mixed >> 33)
  }
}
