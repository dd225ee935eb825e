@preconcurrency internal import Glibc

/// This process's environment.
enum Environment {
  /// As C has it; nobody changes it here.
  static var strings: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { environ }
}
