@preconcurrency internal import Glibc

/// This process's environment.
enum Environment {
  /// The variables of the C library; this program never changes them.
  static var strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { environ }
}
