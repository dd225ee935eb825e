internal import EtcdMessages
internal import FoundationEssentials

/// The bytes of messages.
typealias SwiftData = Data

extension EtcdEntry {
  init(_ message: Etcdserverpb_KeyValue) {
    self.init(
      key: String(decoding: message.key, as: UTF8.self), value: Array(message.value),
      created: Int(message.createRevision), modified: Int(message.modRevision), lease: Int(message.lease))
  }
}

extension EtcdEvent {
  init(_ message: Etcdserverpb_Event) {
    let entry = EtcdEntry(message.kv)
    self = message.type == .delete ? .deleted(key: entry.key, revision: entry.modified) : .put(entry)
  }
}

extension Etcdserverpb_RangeRequest {
  init(_ range: EtcdRange) {
    self.init()
    key = Data(range.first)
    rangeEnd = Data(range.end)
  }
}

extension Etcdserverpb_Compare {
  init(_ condition: EtcdCondition) {
    self.init()
    result = .equal
    switch condition {
    case .absent(let name):
      key = Data(name.utf8)
      target = .create
      createRevision = 0
    case .created(let name, let revision):
      key = Data(name.utf8)
      target = .create
      createRevision = Int64(revision)
    case .bound(let name, let number):
      key = Data(name.utf8)
      target = .lease
      lease = Int64(number)
    }
  }
}

extension Etcdserverpb_RequestOp {
  init(_ operation: EtcdOperation) {
    self.init()
    switch operation {
    case .put(let name, let value, let lease):
      requestPut.key = Data(name.utf8)
      requestPut.value = Data(value)
      requestPut.lease = Int64(lease)
    case .get(let name): requestRange.key = Data(name.utf8)
    case .delete(let name): requestDeleteRange.key = Data(name.utf8)
    }
  }
}
