/// Ends with a message if a law is broken; `precondition` prints none in an optimised build.
func demand(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
  if !holds { fatalError(otherwise()) }
}
