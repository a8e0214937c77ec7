"""What others wrote is printed as text: no control sequence reaches a terminal, a log or a table."""

import io
import unicodedata

import pytest

from madbench.records.layout import RunFolder
from madbench.report.sheet import Sheet, mark
from madbench.sweep.complaints import complain
from madbench.sweep.display import line, table
from madbench.sweep.logs import note
from madbench.sweep.messages import Notice
from madbench.sweep.progress import Progress, Row
from madbench.types import InputError, SeamError
from madbench.types.spelling import HIDDEN, JOINERS, plain

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://x\x1b\\a\x1b]52;c;b3duZWQ=\x07\r\x08\x9b31m\u202egnp\u2066\u200b\ufeff\u2028\ud800"


def hidden(text, keep="\n\t"):
    return [c for c in text if unicodedata.category(c) in HIDDEN and c not in JOINERS + keep]


@pytest.mark.parametrize("error", [InputError, SeamError, RuntimeError])
def test_an_error_is_printed_as_text(error, capsys):
    complain(error(f"here: {HOSTILE}"))
    said = capsys.readouterr().err
    assert "owned" in said
    assert hidden(said) == []


def test_notices_names_and_logs_are_text(tmp_path):
    progress = Progress([Row(HOSTILE, "run", 3, 0)])
    progress.hear("worker0", Notice(text=f"model said {HOSTILE}"))
    assert hidden(" ".join(progress.notices)) == []
    assert hidden(line(progress)) == []
    note(RunFolder(tmp_path), f"failed {HOSTILE}")
    assert hidden((tmp_path / "run.log").read_text()) == []


def test_a_name_is_no_markup_of_the_live_table():
    from rich.console import Console

    name = "[red]debate[/foo][link=http://x]y[/link]"
    console = Console(width=120, force_terminal=True, file=io.StringIO(), record=True)
    console.print(table(Progress([Row(name, "run", 3, 0)])))
    assert name in console.export_text(styles=False)


def test_markdown_shows_what_stands_there():
    text = "a|b`c*d*\n![x](http://evil/p.png)[y](http://evil)<img src=x><!-- -->[z]: http://evil"
    row = Sheet("t", ("arm", "n"), ((text, "1"),)).markdown().splitlines()[-1]
    assert row.replace("\\|", "").count("|") == 3
    for start in ("](", "<img", "<!--", "]: "):
        assert start not in mark(text).replace("\\]", "").replace("\\<", ""), start
    assert plain("\n") == "\\x0a"
