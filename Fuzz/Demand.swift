/// Ends with words where a law is broken; `precondition` has none in an optimised build.
func demand(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
  if !holds { fatalError(otherwise()) }
}
