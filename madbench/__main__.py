"""The command line: `python -m madbench`."""

import os
import signal
import sys

INTERRUPTED = 75
"""As in madbench.sweep.endings, known before anything is imported."""


def main() -> None:
    """Run what the command line asks for and exit with its code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        from madbench.sweep.app import run
        from madbench.sweep.output import stop_for_no_reader

        stop_for_no_reader()
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> None:
    """End with this code. After an interrupt that came while a text was executed, as every dataclass is made,
    Python itself would die of the signal in the end, whatever the code.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
