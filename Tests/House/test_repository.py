"""The repository has one address, from which Go can fetch its client."""

from house import repository
from broken import HouseTests


class RepositoryTests(HouseTests):
    rule = repository.findings

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_a_module_that_go_cannot_fetch_is_found(self):
        for path in ("appinitializers.example/initd", "github.com/appinitializers/appinitializers", "github.com/appinitializers/clients/go"):
            with self.subTest(path):
                self.refuses(f"Go can't fetch {path}", {repository.MODULE: f"module {path}\n\ngo 1.19\n"})

    def test_another_repository_is_found_in_each_kind_of_file(self):
        for file, text in (
            ("INSTALL.md", "gh attestation verify appinitializers_0.1.0_amd64.deb --repo another/one\n"),
            ("clients/go/new.go", 'package initd\n\nimport _ "github.com/another/one/clients/go"\n'),
            ("Examples/polyglot/prices/go.mod", "require github.com/another/one/clients/go v0.0.0\n"),
        ):
            with self.subTest(file):
                self.refuses(f"{file}: names the repository another/one", {file: text})
