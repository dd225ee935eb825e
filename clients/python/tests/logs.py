"""The log of the package, for tests."""

import contextlib
import logging
import threading


class Log(logging.Handler):
    """The lines so far, and an event that is set with the first one."""

    def __init__(self, level):
        super().__init__(level)
        self.lines = []
        self.told = threading.Event()

    def emit(self, record):
        self.lines.append(record.getMessage())
        self.told.set()


@contextlib.contextmanager
def logged(level=logging.WARNING):
    """Returns the lines that are logged in the meantime, of this level at least."""
    logger, log = logging.getLogger("appinitializers"), Log(level)
    former = logger.level, logger.propagate
    logger.addHandler(log)
    logger.setLevel(level)
    logger.propagate = False
    try:
        yield log
    finally:
        logger.removeHandler(log)
        logger.setLevel(former[0])
        logger.propagate = former[1]
