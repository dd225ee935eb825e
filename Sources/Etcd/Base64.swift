internal import FoundationEssentials

/// Keys and values in the JSON of etcd's gateway.
enum Base64 {
  static func encode(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }
  static func encode(_ text: String) -> String { encode(text.utf8) }
  static func decode(_ text: String) -> [UInt8] { Data(base64Encoded: text).map(Array.init) ?? [] }
}
