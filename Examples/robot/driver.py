"""A driver of a device: `driver.py DEVICE INITIALIZER`. It registers the initializer, whose effect is in this process's memory."""

import os
import sys

from appinitializers import Worker

device, name = sys.argv[1:]
worker = Worker(name=device)


@worker.initializer(name)
def prepare(context):
    context.progress(0.5, f"{device} turns")
    print(f"{device} of process {os.getpid()} is prepared")


worker.run()
