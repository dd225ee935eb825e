/// A file of the pages, compiled into the program.
public enum Asset: String, CaseIterable, Sendable {
  /// Keeps pages up to date.
  case script = "page.js"
  /// The style sheet of the pages.
  case style = "style.css"
  /// The picture in the tab.
  case icon = "icon.svg"
  /// The description of the API.
  case openAPI = "openapi.json"

  /// Its bytes.
  public var bytes: [UInt8] {
    switch self {
    case .script: PackageResources.page_js
    case .style: PackageResources.style_css
    case .icon: PackageResources.icon_svg
    case .openAPI: PackageResources.openapi_json
    }
  }

  /// The media type of the asset.
  public var type: String {
    switch self {
    case .script: "text/javascript; charset=utf-8"
    case .style: "text/css; charset=utf-8"
    case .icon: "image/svg+xml"
    case .openAPI: "application/json"
    }
  }
}
