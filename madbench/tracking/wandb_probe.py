"""Run as a process: prints the mode for runs that nobody set a mode for, and why it is offline if it is."""

from __future__ import annotations

import json
import netrc
import sys
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from madbench.tracking.orphans import end_with

ANSWER_S = 5.0


def main() -> None:
    end_with(int(sys.argv[1]))
    out, sys.stdout = sys.stdout, sys.stderr
    import wandb

    settings = wandb.setup().settings
    if settings.mode != "online":
        answer = (settings.mode, "")
    elif not (settings.api_key or settings.identity_token_file or _in_netrc(settings.base_url)):
        answer = ("offline", "no key is configured (wandb login)")
    elif fault := _fault(settings.base_url):
        answer = ("offline", f"{settings.base_url} does not answer: {fault}")
    else:
        answer = ("online", "")
    print(json.dumps(answer), file=out)


def _in_netrc(url: str) -> bool:
    """Whether one of the usual netrc files has a password for the server."""
    import os

    named = os.environ.get("NETRC")
    files = [Path(named)] if named else [Path.home() / ".netrc", Path.home() / "_netrc"]
    host = urlsplit(url).hostname or ""
    for path in files:
        try:
            if netrc.netrc(str(path)).authenticators(host):
                return True
        except (OSError, netrc.NetrcParseError):
            continue
    return False


def _fault(url: str) -> str:
    """Why there is no answer; any answer at all is one."""
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_S):
            return ""
    except urllib.error.HTTPError:
        return ""
    except (OSError, ValueError) as error:
        return str(error)


if __name__ == "__main__":
    main()
