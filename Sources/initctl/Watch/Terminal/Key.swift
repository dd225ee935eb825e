/// A key that `watch` knows.
enum Key: Equatable {
  case up
  case down
  case pageUp
  case pageDown
  case home
  case end
  case enter
  case escape
  case backspace
  /// A printable character.
  case character(Character)
}
