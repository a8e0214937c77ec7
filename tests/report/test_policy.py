"""The page's own policy, in a browser: even markup that came through would run nothing and ask nobody."""

import http.server
import threading

import pytest
from report.test_page import browser, chromium

from madbench.records.layout import RunFolder
from madbench.records.tables import write_tables
from madbench.report import write_report


@pytest.fixture
def listening():
    """A server that remembers what it was asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()


@browser
def test_no_script_but_ours_runs_and_nobody_is_asked(summary, record, script, tmp_path, listening):
    address, asked = listening
    owned = "document.title='owned'"
    hostile = (
        f"<script>{owned};fetch('{address}/a')</script><img src={address}/b onerror=\"{owned}\">"
        f'<iframe src={address}/c></iframe><svg onload="{owned}">'
        f'<form action={address}/d><input autofocus onfocus="this.form.submit()"></form>'
        f"<base href={address}/><link rel=stylesheet href={address}/e>"
        f"<style>body {{ background: url({address}/f) }}</style>"
        f"<meta http-equiv=refresh content='0;{address}/g'>"
    )
    folder = tmp_path / "debate"
    folder.mkdir()
    write_tables(RunFolder(folder), [record("s0", script([[(hostile, hostile)]], question=hostile))])
    page = write_report(
        summary(name=hostile, verdict=hostile, notes=(hostile,)), tmp_path / "out", {"debate": folder}
    )
    assert (
        "owned"
        not in chromium(tmp_path, f"file://{page}", "--dump-dom").split("<body")[0].split("<title>")[0]
    )
    assert asked == [], "as text"
    let_in = page.with_name("let_in.html")
    bare = hostile.replace("<meta http-equiv=refresh", "<i")
    let_in.write_text(page.read_text().replace("<main>", f"<main>{bare}"))
    shown = chromium(tmp_path, f"file://{let_in}", "--dump-dom")
    assert "<title>owned" not in shown
    assert 'id="episode"' in shown
    assert 'class="question"' in shown, "our own script did run"
    assert asked == [], "as markup"
