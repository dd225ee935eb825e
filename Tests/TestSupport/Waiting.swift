/// Asks again and again, for five minutes at most, until the answer is yes.
package func eventually(_ isSo: () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<30_000 {
    if try isSo() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}
