@testable import InitJSON

/// Returns the bytes of a text.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Reads a value from its text.
func json(_ text: String) throws -> RawJSON { try RawJSON(checking: bytes(text)) }
