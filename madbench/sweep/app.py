"""The command line: verbs, else a Hydra application. Every way to fail has its exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from madbench.sweep.complaints import complain
from madbench.sweep.endings import BAD_INPUT, DONE, FAILED, INTERRUPTED, Finished, JobFailed
from madbench.sweep.help import help_text
from madbench.sweep.verbs import perform


def run(arguments: Sequence[str]) -> int:
    """Run a verb or an experiment. Returns the exit code: 0 done, 1 rows missing, 2 bad input, 75 interrupted."""
    try:
        if set(arguments) & {"--help", "-h"} or arguments[:1] == ["help"]:
            print(help_text())
            return DONE
        if arguments and not arguments[0].startswith(("-", "+", "~")) and "=" not in arguments[0]:
            return perform(arguments[0], arguments[1:])
        from madbench.sweep.hydra_app import compose_and_launch

        compose_and_launch(arguments)
    except Finished as finished:
        return finished.code if finished.error is None else complain(finished.error)
    except JobFailed as failure:
        print(f"madbench: {failure}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("interrupted: nothing is lost, the same command resumes", flush=True)
        return INTERRUPTED
    except SystemExit as leaving:
        return DONE if leaving.code in (None, 0) else BAD_INPUT
    except Exception as error:
        return complain(error)
    return DONE
