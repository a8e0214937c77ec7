"""The command line: `python -m madbench`."""

import signal
import sys

from madbench.sweep.app import run


def main() -> None:
    """Run what the command line asks for and exit with its code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
