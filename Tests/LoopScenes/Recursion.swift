/// A closure that can call itself.
package final class Recursion {
  package var body: () -> Void = {}

  package init() {}
}
