"""What `--help` prints."""

from __future__ import annotations

import re

from madbench.sweep.configs import choices_of
from madbench.sweep.verbs import VERBS

GROUP = re.compile(r"[a-z]+")
TEXT = """\
madbench: does letting language models argue beat spending the same compute in simpler ways?

  python -m madbench +experiment=quickstart             run an experiment; the same command again resumes it
  python -m madbench protocol=debate task=one_digit_sums  run one arm
  python -m madbench -m protocol=cot,debate seed=0,1     run a sweep (Hydra's -m)
  python -m madbench <verb> ...

Verbs
{verbs}
  trust=PACKAGE beside a verb: configs in FOLDER may name classes of that package, whose code is then run

Common overrides (key=value; they replace an experiment's own values)
  limit=8            the first 8 samples        seed=1                 another seed of generation
  epochs=2           every sample twice         output_root=outputs    where results go
  dry_run=true       show prompts, counts and time, spend nothing
  sampling.temperature=0.7  sampling.max_tokens=256  contract.enforcement=prompt|repair|grammar
  model@cast.default=…      who plays; +model@cast.<role>=… gives one role a model of its own
  objective=accuracy        what hydra/sweeper=optuna and its like hear of each job (a list: several)
  hydra/launcher=pool       hydra.launcher.on_failure=continue|stop  hydra.launcher.on_dead=warn|stop

Choices
{choices}

  --cfg job          print the composed config  --hydra-help           Hydra's own options

Exit codes: 0 done, 1 rows missing or failed, 2 bad input, 75 interrupted (the same command resumes)
"""


def help_text() -> str:
    """Verbs, overrides and the choices of every config group, as shipped."""
    verbs = "\n".join(f"  {verb.usage:<57} {verb.meaning}" for verb in VERBS.values())
    forms = (
        "+experiment=",
        "protocol=",
        "task=",
        "matcher@task.matcher=",
        "model@cast.default=",
        "tracking=",
    )
    choices = "\n".join(f"  {form:<21} {', '.join(choices_of(GROUP.findall(form)[0]))}" for form in forms)
    return TEXT.format(verbs=verbs, choices=choices)
