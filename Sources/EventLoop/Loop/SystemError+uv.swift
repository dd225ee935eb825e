internal import Platform

extension SystemError {
  /// Returns a failure that libuv reports as a negative status.
  static func uv(_ call: String, _ status: CInt, _ subject: String? = nil) -> SystemError {
    SystemError(call: call, errno: -status, subject: subject)
  }
}
