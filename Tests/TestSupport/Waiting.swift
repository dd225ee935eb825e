/// Polls a condition until it holds, for five minutes at most.
package func eventually(_ isSo: () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<30_000 {
    if try isSo() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}
