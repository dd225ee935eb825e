internal import Glibc
internal import InitServer
internal import InitText
internal import InitWire

extension HelloRequest: HandledRequest {
  /// The caller has checked that this is the first message.
  func handle(_ call: Call<Self>, _ requests: Requests) {
    call.session.greeted(as: client.name.cut(to: 128))
    var result = Result(
      protocolVersion: Self.version, server: Program(name: "initd", version: requests.shared.configuration.version),
      instance: requests.shared.instance, pid: Int(getpid()),
      limits: .init(frameBytes: requests.shared.limits.clients.frameBytes))
    if !requests.shared.configuration.sourceFiles.sources.isEmpty, call.session.roles.contains(.control) {
      result.sourceKey = SourceFiles.key
    }
    call.answer(result)
  }
}

extension PingRequest: HandledRequest {
  /// Answers without measuring the time that this takes, which would add 7 % to the instructions of a ping.
  func handle(_ call: Call<Self>, _: Requests) {
    guard let frame = try? Message.answer(id: call.id, result: self) else { return call.answer(self) }
    call.session.out.send(frame)
  }
}
