import InitCore
import InitDeclarations
import InitText
import Testing

@testable import InitRunner

@Suite("Restarts")
struct RestartsTests {
  private func restarts(_ policy: RestartPolicy, burst: Int = 3) -> Restarts {
    Restarts(
      policy, backoff: RetryPolicy(delay: .seconds(1), factor: 2, maxDelay: .seconds(30)), burst: burst,
      settledAfter: .seconds(10), seed: 7)
  }

  @Test("The policy decides after which exits the process is restarted")
  func policies() {
    for (policy, isSuccess, isAgain) in [
      (RestartPolicy.never, false, false), (.never, true, false), (.onFailure, true, false), (.onFailure, false, true),
      (.always, true, true), (.always, false, true),
    ] {
      var restarts = restarts(policy)
      let decision = restarts.ended(isSuccess: isSuccess, lived: .zero)
      if isAgain {
        guard case .again = decision else { return #expect(Bool(false), "\(policy) \(isSuccess) \(decision)") }
      } else {
        #expect(decision == .done)
      }
    }
  }

  @Test("The delays grow, each with up to a tenth of jitter; a process that exits too soon too often is given up")
  func backoff() {
    var restarts = restarts(.onFailure, burst: 4)
    for wait in [1.0, 2, 4] {
      guard case .again(let delay) = restarts.ended(isSuccess: false, lived: .seconds(9)) else {
        return #expect(Bool(false), "given up too early")
      }
      #expect((wait...wait * 1.1).contains(delay.inSeconds))
    }
    #expect(restarts.ended(isSuccess: false, lived: .seconds(9)) == .givenUp(ends: 4))
  }

  @Test("If a process ran long enough, earlier exits are forgotten")
  func settled() {
    var restarts = restarts(.always)
    for _ in 0..<100 {
      guard case .again = restarts.ended(isSuccess: false, lived: .seconds(9.9)) else {
        return #expect(Bool(false), "given up")
      }
      guard case .again(let delay) = restarts.ended(isSuccess: true, lived: .seconds(10)) else {
        return #expect(Bool(false), "given up")
      }
      #expect(delay < .seconds(1.2), "the first wait")
    }
  }
}
