internal import GRPCCore
internal import Testing

@testable internal import Etcd

@Suite("An error of etcd")
struct EtcdErrorTests {
  @Test("A failure inside of etcd may pass, whatever its code is; a denial doesn't by itself")
  func codes() throws {
    let endpoint = try #require(EtcdEndpoint("http://a:1"))
    func error(_ code: RPCError.Code, _ message: String) -> EtcdError {
      EtcdError(RPCError(code: code, message: message), of: endpoint)
    }
    for code in [RPCError.Code.unknown, .aborted, .dataLoss, .unavailable, .deadlineExceeded, .cancelled] {
      let failure = error(code, "raft proposal dropped")
      #expect(failure.mayPass && failure.isUnreachable && !failure.isDenied, "\(code)")
    }
    #expect(error(.unknown, "etcdserver: permission denied").isDenied)
    let denied = error(.permissionDenied, "etcdserver: permission denied")
    #expect(denied == .refused("permission denied", .permissionDenied))
    let lost = error(.notFound, "etcdserver: requested lease not found")
    #expect(lost == .refused("requested lease not found", .noLease))
    #expect(error(.resourceExhausted, "etcdserver: mvcc: database space exceeded").isFull)
    #expect(error(.outOfRange, "compacted") == .refused("compacted", .compacted))
    #expect(!error(.invalidArgument, "etcdserver: request is too large").mayPass)
  }
}
