import pathlib

import appinitializers.testing
import pytest


@pytest.fixture(scope="session")
def app():
    with appinitializers.testing.supervisor(pathlib.Path(__file__).parent.parent / "ci.yaml") as app:
        yield app
