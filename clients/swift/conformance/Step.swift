/// A step of a run.
enum Step: Decodable, Sendable {
  case report(fraction: Double?, message: String?)
  case extend(Duration)
  case sleep(Duration)
  case block(Duration)
  case ignoreCancel(Duration)
  case output(JSON)
  case echoInputs
  case echoFence
  case fail(String)

  private enum Member: String, CodingKey {
    case progress
    case message
    case extend
    case sleep
    case block
    case ignoreCancelFor
    case output
    case echoInputs
    case echoFence
    case fail
  }

  init(from decoder: any Decoder) throws {
    let step = try decoder.container(keyedBy: Member.self)
    func duration(_ member: Member) throws -> Duration { .seconds(try step.decode(Double.self, forKey: member)) }
    if step.contains(.extend) {
      self = .extend(try duration(.extend))
    } else if step.contains(.sleep) {
      self = .sleep(try duration(.sleep))
    } else if step.contains(.block) {
      self = .block(try duration(.block))
    } else if step.contains(.ignoreCancelFor) {
      self = .ignoreCancel(try duration(.ignoreCancelFor))
    } else if step.contains(.output) {
      self = .output(try step.decode(JSON.self, forKey: .output))
    } else if step.contains(.echoInputs) {
      self = .echoInputs
    } else if step.contains(.echoFence) {
      self = .echoFence
    } else if step.contains(.fail) {
      self = .fail(try step.decode(String.self, forKey: .fail))
    } else {
      self = .report(
        fraction: try step.decodeIfPresent(Double.self, forKey: .progress),
        message: try step.decodeIfPresent(String.self, forKey: .message))
    }
  }
}
