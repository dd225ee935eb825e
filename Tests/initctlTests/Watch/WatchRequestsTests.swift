import InitModel
import InitWire
import InitWords
import Testing

@testable import initctl

struct WatchRequestsTests {
  @Test("Usual durations are requested at first and after each pass, the output of a failed run once")
  func once() {
    let sample = WatchSample(.each)
    var requests = WatchRequests()
    func due() -> [WatchRequests.Fetch] { requests.due(sample.model, sample.view, now: .zero) }
    #expect(due() == [.usual, .output(name: "prices", run: 1)])
    #expect(due() == [])
    sample.model.apply(
      Status.Event(seq: 1, time: 1, body: .pass(Status.Event.PassChange(pass: 1, phase: .launch, status: .started))))
    #expect(due() == [])
    sample.model.apply(
      Status.Event(seq: 1, time: 1, body: .pass(Status.Event.PassChange(pass: 1, phase: .launch, status: .failed))))
    #expect(due() == [.usual])
    sample.model.link = .lost(since: 1)
    #expect(due() == [])
    sample.model.renew(.each)
    #expect(due() == [.usual, .output(name: "prices", run: 1)])
  }

  @Test("The output of the first commands that run is requested every second")
  func running() {
    let running = (1...4).map { number in
      var shape = Initializer.fake("\(number)", .running, phase: .launch, started: 995)
      shape.run = number
      shape.pid = 4710 + number
      return shape
    }
    let sample = WatchSample(.launching(running + [.fake("w", .running, provider: .worker)]))
    var requests = WatchRequests()
    func due(_ now: Double) -> [WatchRequests.Fetch] {
      requests.due(sample.model, sample.view, now: .seconds(now)).filter { $0 != .usual }
    }
    let each = (1...3).map { WatchRequests.Fetch.output(name: "\($0)", run: $0) }
    #expect(due(0) == each)
    #expect(due(0.9) == [])
    #expect(due(1) == each)
    sample.model.apply(Status.Event(seq: 1, time: 1, body: .initializer(.fake("1", .complete))))
    #expect(due(2).first == .output(name: "2", run: 2))
  }

  @Test("The log that is shown is requested again a second after its answer, and not while it is awaited")
  func log() {
    let sample = WatchSample(.each)
    var requests = WatchRequests()
    func answered(_ name: String, _ now: Int) -> Bool { requests.logAnswered(name, now: .seconds(now)) }
    func due(_ now: Int) -> [WatchRequests.Fetch] { requests.due(sample.model, sample.view, now: .seconds(now)) }
    _ = due(0)
    sample.press(.enter)
    #expect(due(0) == [.log("prices")])
    #expect(due(5) == [])
    #expect(!answered("other", 5))
    #expect(answered("prices", 5))
    #expect(due(5) == [])
    #expect(due(6) == [.log("prices")])
    sample.press(.escape)
    #expect(due(9) == [])
    #expect(!answered("prices", 9))
  }
}
