"""The version is the same everywhere."""

from house import versions
from house.tree import Tree
from broken import ROOT, HouseTests


class VersionTests(HouseTests):
    rule = versions.findings

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_another_version_is_found_in_each_place(self):
        for file, text in versions.replaced(Tree(ROOT), "99.0.1").items():
            if file != versions.SOURCE:
                with self.subTest(file):
                    self.refuses(f"{file}: version 99.0.1", {file: text})

    def test_a_place_without_a_version_is_found(self):
        self.refuses("clients/node/package.json: no version", {"clients/node/package.json": "{}\n"})

    def test_a_release_replaces_only_the_version(self):
        package = versions.replaced(Tree(ROOT), "99.0.1")["clients/node/package.json"]
        current = versions.current(Tree(ROOT))
        self.assertEqual(package.replace("99.0.1", current), self.text("clients/node/package.json"))
        self.assertEqual(package.count("99.0.1"), 1)
