import Glibc
import InitCore
import InitWords
import Platform
import Testing

@testable import InitRunner

private let refused = ProbeFailure.notConnected(SystemError(call: "connect", errno: ECONNREFUSED))
private let unreachable = ProbeFailure.notConnected(SystemError(call: "connect", errno: ENETUNREACH))

@Suite("ProbeTries")
struct ProbeTriesTests {
  private let probe = Probe(
    .tcp(Endpoint(host: "db", port: 5432)), every: .milliseconds(200), tryTimeout: .seconds(6))
  private let v4 = IPAddress("10.0.0.1")!
  private let v6 = IPAddress("fd00::1")!

  @Test("S31: a try goes through the host's addresses, each with its share of the time that is left")
  func addresses() {
    var tries = ProbeTries(probe)
    #expect(tries.begin(at: .seconds(10)) == .lookUp("db", until: .seconds(16)))
    #expect(tries.found([v4, v6], at: .seconds(12)) == .connect(v4, port: 5432, until: .seconds(14)))
    #expect(tries.failed(.noAnswer, at: .seconds(14)) == .connect(v6, port: 5432, until: .seconds(16)))
    #expect(tries.connected() == .complete)
    #expect(tries.failed == 0)
  }

  @Test("S31: after a try in vain, the next one begins after the pause")
  func pause() {
    var tries = ProbeTries(probe)
    _ = tries.begin(at: .zero)
    _ = tries.found([v4], at: .zero)
    #expect(tries.failed(refused, at: .seconds(1)) == .pause(until: .milliseconds(1200)))
    #expect(tries.failed == 1 && tries.failure == refused)
    #expect(tries.begin(at: .milliseconds(1200)) == .lookUp("db", until: .milliseconds(7200)))
    #expect(tries.failed(.unknownHost("why"), at: .seconds(2)) == .pause(until: .milliseconds(2200)))
    #expect(tries.failed == 2 && tries.failure == .unknownHost("why"))
  }

  @Test("S31: once the time of a try is over, its other addresses aren't tried")
  func late() {
    var tries = ProbeTries(probe)
    _ = tries.begin(at: .zero)
    _ = tries.found([v4, v6], at: .zero)
    #expect(tries.failed(.noAnswer, at: .seconds(6)) == .pause(until: .milliseconds(6200)))
    #expect(tries.found([v4], at: .seconds(7)) == .pause(until: .milliseconds(7200)))
  }

  @Test("S31: that this machine has no way to an address says less than another failure of the same try")
  func weak() {
    var tries = ProbeTries(probe)
    _ = tries.begin(at: .zero)
    _ = tries.found([v4, v6, v4], at: .zero)
    _ = tries.failed(unreachable, at: .zero)
    _ = tries.failed(refused, at: .zero)
    _ = tries.failed(unreachable, at: .zero)
    #expect(tries.failure == refused)
    _ = tries.begin(at: .seconds(1))
    _ = tries.found([v6], at: .seconds(1))
    _ = tries.failed(unreachable, at: .seconds(1))
    #expect(tries.failure == unreachable, "the failure of an earlier try doesn't count")
  }

  @Test("S31: failures name the target, and what happened")
  func words() {
    #expect(refused.words(for: probe) == "connection refused by db:5432")
    #expect(unreachable.words(for: probe) == "cannot connect to db:5432: Network is unreachable")
    #expect(ProbeFailure.noAnswer.words(for: probe) == "no answer from db:5432 within 6 s")
    #expect(
      ProbeFailure.unknownHost("it isn't in /etc/hosts").words(for: probe)
        == "cannot look up db: it isn't in /etc/hosts")
  }

  private func pageProbe(_ statuses: StatusRanges = .success) throws -> Probe {
    var page = try HTTPTarget.parse("http://db:5432/health")
    page.statuses = statuses
    return Probe(.http(page), every: .milliseconds(200), tryTimeout: .seconds(6))
  }

  @Test("S31: once a page's host is connected, it is asked, and the status decides")
  func page() throws {
    var tries = ProbeTries(try pageProbe())
    _ = tries.begin(at: .zero)
    #expect(tries.found([v4], at: .zero) == .connect(v4, port: 5432, until: .seconds(6)))
    guard case .ask(let request) = tries.connected() else { return #expect(Bool(false), "it isn't asked") }
    #expect(request.starts(with: Array("GET /health HTTP/1.1\r\n".utf8)))
    #expect(tries.answered(503, at: .zero) == .pause(until: .milliseconds(200)))
    #expect(tries.failure == .status(503))
    #expect(tries.answered(204, at: .zero) == .complete)
    var others = ProbeTries(try pageProbe(StatusRanges([401...401])))
    #expect(others.answered(200, at: .zero) == .pause(until: .milliseconds(200)))
    #expect(others.answered(401, at: .zero) == .complete)
  }

  @Test("S31: sockets and files need no look-up")
  func files() {
    var socket = ProbeTries(Probe(.unix("/run/s"), tryTimeout: .seconds(1)))
    #expect(socket.begin(at: .zero) == .connectToSocket("/run/s", until: .seconds(1)))
    #expect(socket.connected() == .complete)
    var file = ProbeTries(Probe(.path("/data"), tryTimeout: .seconds(1)))
    #expect(file.begin(at: .zero) == .findFile("/data", until: .seconds(1)))
    #expect(file.failed(.noAnswer, at: .seconds(1)) == .pause(until: .milliseconds(1200)))
    #expect(file.found() == .complete)
  }

  @Test("S31: failures of pages, sockets and files name them")
  func otherWords() throws {
    let page = try pageProbe()
    let socket = Probe(.unix("/run/s"))
    let missing = SystemError(call: "stat", errno: ENOENT)
    #expect(ProbeFailure.status(503).words(for: page) == "http://db:5432/health answered 503")
    #expect(
      ProbeFailure.status(302).words(for: page)
        == "http://db:5432/health answered 302, a redirect, which isn't followed")
    #expect(ProbeFailure.notHTTP.words(for: page) == "http://db:5432/health answered something that isn't HTTP")
    #expect(
      ProbeFailure.closed.words(for: page) == "http://db:5432/health closed the connection without an answer")
    #expect(ProbeFailure.unknownHost("why").words(for: page) == "cannot look up db: why")
    #expect(ProbeFailure.notConnected(missing).words(for: socket) == "/run/s doesn't exist")
    #expect(ProbeFailure.noFile(missing).words(for: Probe(.path("/data"))) == "/data doesn't exist")
    #expect(
      ProbeFailure.noFile(SystemError(call: "stat", errno: EACCES)).words(for: Probe(.path("/data")))
        == "cannot look for /data: Permission denied")
  }

  @Test("S32: what has answered is verified if only the owner of the socket counts")
  func verified() throws {
    var tries = ProbeTries(probe, ofOwner: true)
    _ = tries.begin(at: .zero)
    _ = tries.found([v4, v6], at: .zero)
    #expect(tries.connected() == .verify)
    #expect(
      tries.failed(.stranger("nginx (pid 4711), not by web"), at: .zero) == .connect(v6, port: 5432, until: .seconds(6))
    )
    #expect(tries.failed(refused, at: .zero) == .pause(until: .milliseconds(200)))
    #expect(
      tries.failure?.words(for: probe) == "answered by nginx (pid 4711), not by web",
      "an answer says more than a refusal")
    #expect(tries.found() == .complete)
    var page = ProbeTries(try pageProbe(), ofOwner: true)
    #expect(page.answered(200, at: .zero) == .verify)
    #expect(page.verified(at: .zero) == .complete)
    #expect(page.answered(301, at: .zero) == .verify, "its owner says more than its status")
    #expect(page.verified(at: .zero) == .pause(until: page.probe.every))
    #expect(page.failure == .status(301))
    #expect(ProbeTries(Probe(.unix("/run/s")), ofOwner: true).connected() == .verify)
  }

  @Test("S32: a command is executed until the end of the try")
  func command() {
    let check = Probe(.command(["pg_isready", "-q"]), tryTimeout: .seconds(2))
    var tries = ProbeTries(check)
    #expect(tries.begin(at: .zero) == .execute(["pg_isready", "-q"], until: .seconds(2)))
    #expect(ProbeFailure.noAnswer.words(for: check) == "pg_isready -q didn't exit within 2 s")
    #expect(ProbeFailure.check(.exit(status: 2)).words(for: check) == "exit status 2")
  }
}
