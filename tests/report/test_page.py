"""The page in a real browser: hostile text shows as text, filters filter, an episode opens by its address."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from madbench.records.layout import RunFolder
from madbench.records.tables import write_tables
from madbench.report import write_report
from madbench.types import Estimate, Event

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
browser = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (apt-get install chromium)")
HOSTILE = (
    "</script><img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    "{{7*7}}\x1b[31m\u202egnp\u2028"
)
SPELLED = HOSTILE.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").replace("\u2028", "\\u2028")


@pytest.fixture
def page(summary, arm, record, script, tmp_path):
    """A report whose every text, model's or user's, is hostile."""
    seven, eight = ("Answer: 7", "7"), ("Answer: 8", "8")
    worst = script(
        [[seven, (HOSTILE, None)], [eight, (HOSTILE, HOSTILE)]],
        question=HOSTILE,
        ledger=(Event(HOSTILE, HOSTILE, 0, HOSTILE, {"k": HOSTILE}),),
        confidence={"stated_label": HOSTILE},
    )
    replies = [worst, script([[eight, seven], [seven, seven]]), script([[seven, seven], [seven, seven]])]
    for name in ("debate", "hostile"):
        folder = tmp_path / name
        folder.mkdir()
        write_tables(RunFolder(folder), [record(f"s{number}", one) for number, one in enumerate(replies)])
    half = Estimate(0.5, 0.4, 0.6, 3)
    found = summary(
        name=HOSTILE, verdict=HOSTILE, notes=(HOSTILE,), arms=(arm("debate", half), arm(HOSTILE, half))
    )
    return write_report(
        found, tmp_path / "out", {"debate": tmp_path / "debate", HOSTILE: tmp_path / "hostile"}
    )


def chromium(folder: Path, address: str, *options: str) -> str:
    """What the browser prints; its profile and home are its own."""
    quiet = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
    command = [CHROMIUM, *quiet, f"--user-data-dir={folder / 'profile'}", *options, address]
    home = os.environ | {"HOME": str(folder)}
    return subprocess.run(command, capture_output=True, check=True, timeout=120, env=home).stdout.decode()


def dom(page: Path, folder: Path, *, address: str = "", script: str = "") -> str:
    """The page's elements after its scripts ran, `script` last."""
    tried = page.with_name("tried.html")
    source = page.read_text(encoding="utf-8").replace("</body>", f"<script>{script}</script></body>")
    source = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", source)  # for a foreign script
    tried.write_text(source, encoding="utf-8")
    return chromium(folder, f"file://{tried}{address}", "--dump-dom")


def visible(text: str) -> str:
    """What is left of a page's source without its scripts' and styles' contents."""
    return re.sub(r"<(script|style)\b[^>]*>.*?</\1>", "", text, flags=re.DOTALL)


def test_no_text_is_markup_in_the_file(page):
    source = page.read_text(encoding="utf-8")
    assert source.count("<script") == 2
    assert "<img" not in source
    assert not set("\x1b\u202e\u2028") & set(source)
    assert "49" not in re.search(r"<h1>(.*?)</h1>", source).group(1)
    data = json.loads(re.search(r'id="data">(.*?)</script>', source, re.DOTALL).group(1))
    assert SPELLED in data["texts"]


def test_the_page_needs_nothing_beside_it(page):
    source = page.read_text(encoding="utf-8")
    outside = re.findall(r'(?:src|href|url)\s*[=(]\s*"?(https?:[^"\s)]+)', source)
    assert [link for link in outside if "w3.org" not in link] == []


@browser
def test_hostile_text_shows_as_text(page, tmp_path):
    shown = dom(page, tmp_path, address="#episode/debate/s0/0")
    assert "owned" not in re.search(r"<title>(.*?)</title>", shown).group(1).replace(
        html.escape(SPELLED, quote=False), ""
    )
    assert "<img" not in visible(shown)
    article = re.search(r'<article id="episode".*?</article>', shown, re.DOTALL).group()
    assert article.count(html.escape(SPELLED, quote=False)) >= 6
    assert "flip: right to wrong" in article
    assert ">missing<" in article


@browser
def test_filters_leave_what_they_name(page, tmp_path):
    script = """
      const form = document.getElementById("filters"), out = [];
      const count = (set) => { form.reset(); set(form.elements); form.dispatchEvent(new Event("input"));
        out.push(document.getElementById("count").textContent); };
      count(() => {});
      count((e) => { e.arm.value = "debate"; });
      count((e) => { e.right.value = "right"; });
      count((e) => { e.right.value = "wrong"; });
      count((e) => { e.flipped.checked = true; });
      count((e) => { e.unparsed.checked = true; });
      count((e) => { e.sample.value = "s2"; });
      count((e) => { e.sample.value = "none such"; });
      document.body.dataset.counts = out.join(", ");
    """
    found = re.search(r'data-counts="(.*?)"', dom(page, tmp_path, script=script)).group(1)
    assert [entry.split(" of ")[0] for entry in found.split(", ")] == ["6", "3", "4", "2", "4", "2", "2", "0"]


@browser
def test_spare_votes_are_marked_and_not_counted(summary, record, script, tmp_path):
    folder = tmp_path / "votes"
    folder.mkdir()
    votes = script([[("Answer: 7", "7"), ("Answer: 7", "7"), ("Answer: 8", "8")]], spare=1)
    write_tables(RunFolder(folder), [record("s0", votes)])
    page = write_report(summary(), tmp_path / "out", {"self_consistency": folder})
    article = re.search(r'<article id="episode".*?</article>', dom(page, tmp_path), re.DOTALL).group()
    assert article.count("spare: charged to no arm</span>") == 1
    assert "<b>calls</b>2<" in article


@browser
def test_it_can_be_looked_at(page, tmp_path):
    picture = tmp_path / "page.png"
    chromium(tmp_path, f"file://{page}", "--window-size=1400,3000", f"--screenshot={picture}")
    from PIL import Image

    with Image.open(picture) as image:
        assert len(image.convert("RGB").getcolors(1 << 24)) > 100
