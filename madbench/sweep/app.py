"""The command line: verbs, else a Hydra application. Every way to fail has its exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from madbench.sweep.endings import BAD_INPUT, DONE, FAILED, FULL_ERROR, INTERRUPTED, Finished, JobFailed
from madbench.sweep.help import help_text
from madbench.sweep.verbs import perform
from madbench.types import InputError


def run(arguments: Sequence[str]) -> int:
    """Run a verb or an experiment. Returns the exit code: 0 done, 1 rows missing, 2 bad input, 75 interrupted."""
    try:
        if set(arguments) & {"--help", "-h"}:
            print(help_text())
            return DONE
        if arguments and arguments[0][0] not in "-+~" and "=" not in arguments[0]:
            return perform(arguments[0], arguments[1:])
        from madbench.sweep.hydra_app import compose_and_launch

        compose_and_launch(arguments)
    except Finished as finished:
        return finished.code
    except JobFailed as failure:
        print(f"madbench: {failure}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as leaving:
        return DONE if leaving.code in (None, 0) else BAD_INPUT
    except Exception as error:
        return complain(error)
    return DONE


def complain(error: Exception) -> int:
    """Say what was wrong: in one message where the user can mend it, with a traceback where only we can."""
    if os.environ.get(FULL_ERROR) == "1" or not _is_input(error):
        traceback.print_exception(error)
        return BAD_INPUT if _is_input(error) else FAILED
    reasons = dict.fromkeys(str(reason).strip() for reason in (error, error.__cause__) if reason is not None)
    print("madbench: " + "\n".join(reason for reason in reasons if reason), file=sys.stderr)
    return BAD_INPUT


def _is_input(error: Exception) -> bool:
    """Our own errors about input, and all that Hydra and OmegaConf raise from their own code."""
    if isinstance(error, InputError):
        return True
    modules = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    known = [name for name in modules if name.startswith(("hydra.", "omegaconf.", "madbench."))]
    return known[-1:] != [] and not known[-1].startswith("madbench.")
