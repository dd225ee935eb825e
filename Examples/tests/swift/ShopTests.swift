import Foundation
import InitClient
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private let manifest = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../ci.yaml"

@Suite("The shop", .supervisor(manifest))
struct ShopTests {
  private let app: App

  init() throws { app = try #require(App.current) }

  private func get(_ path: String) async throws -> (status: Int, text: String) {
    let url = try #require(URL(string: "http://127.0.0.1:\(app.port("web"))\(path)"))
    let (data, answer) = try await URLSession.shared.data(from: url)
    return ((answer as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  @Test("Each book has its price")
  func prices() async throws {
    for (title, price) in try app.output("prices", as: [String: Int].self) {
      #expect(try await get("/\(title)").text == String(price))
    }
  }

  @Test("An unknown book isn't found")
  func unknown() async throws {
    #expect(try await get("/persuasion").status == 404)
  }

  @Test("The shop is ready")
  func ready() async throws {
    try await app.client.wait(for: .ready, timeout: .seconds(30))
    #expect(try await get("/").text == "2")
  }
}
