"""A sweeper that hears what its jobs give back: it launches the words of `batches` in turn, and prints every value."""

import json

from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper


class ListeningSweeper(Sweeper):
    def __init__(self, batches):
        self.batches = batches

    def setup(self, *, hydra_context, task_function, config):
        self.launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments):
        number = 0
        for batch in self.batches:
            heard = self.launcher.launch([[*arguments, *job.split()] for job in batch], number)
            number += len(heard)
            print("HEARD", json.dumps([value(one) for one in heard]), flush=True)


NODE = {"_target_": f"{__name__}.ListeningSweeper", "batches": []}
ConfigStore.instance().store(group="hydra/sweeper", name="listening", node=NODE)


def value(job):
    """A job's value, or what it failed of."""
    try:
        return job.return_value
    except Exception as error:
        return f"{type(error).__name__}: {error}"
