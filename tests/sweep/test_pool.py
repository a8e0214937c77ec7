"""The supervisor of worker processes, where its workers end in ways of their own."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from madbench.sweep.messages import News, Order, PoolSettings, write
from madbench.sweep.pool import Pool

FULL = Path("/dev/full")
FAILED = News(folder="r", state="failed")
TORN = f"""
import os, sys
sys.stdin.readline()
os.write(1, b'{FAILED.model_dump_json()}\\n{{"folder": "r", "sta')
os.kill(os.getpid(), 9)
"""


def process(code):
    """A process that runs this code where a worker would be."""
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    return asyncio.create_subprocess_exec(sys.executable, "-c", code, **pipes)


def test_the_torn_last_words_of_a_killed_worker_are_not_heard(tmp_path):
    heard = []
    settings = PoolSettings()
    pool = Pool(settings, tmp_path, lambda _, message: heard.append(message))

    async def main():
        worker = await process(TORN)
        await pool._converse("w", worker, Order(runs=(), settings=settings))
        return worker.returncode

    assert asyncio.run(main()) == -9
    assert heard == [FAILED]


def test_stopping_all_passes_over_a_worker_that_has_just_ended(tmp_path):
    heard = []
    pool = Pool(PoolSettings(on_failure="stop"), tmp_path, lambda _, message: heard.append(message))

    async def main():
        worker = await process("")
        await worker.communicate()
        pool._live.add(worker)
        pool._note("w", FAILED)

    asyncio.run(main())
    assert heard == [FAILED]


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")
def test_what_a_full_disk_does_not_take_stops_no_worker():
    went_on = False
    with suppress(OSError), FULL.open("w", encoding="utf-8") as say:
        write(say, FAILED)
        write(say, FAILED)
        went_on = True
    assert went_on
