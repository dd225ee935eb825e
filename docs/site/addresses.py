"""The addresses of the site's pages."""


def address(path: str) -> str:
    """Returns the address of a page of the repository: docs/guide.md has /guide/, and clients/go/README.md has /clients/go/."""
    name = path.lower().removesuffix(".md").removesuffix("readme").removeprefix("docs/").strip("/")
    return f"/{name}/" if name else "/"
