"""Launch, in Python: makes the catalogue, in a coroutine."""

import asyncio

from appinitializers import Worker

worker = Worker(name="catalogue-in-python")


@worker.initializer("catalogue", dependencies=["settings"])
async def catalogue(context):
    titles = {"Dune": 10.0, "Emma": 7.5, "Ulysses": 12.0}
    for number, title in enumerate(titles, 1):
        await asyncio.sleep(0.05)
        context.progress(number / len(titles), title)
    context.hand_over(titles)


worker.run()
