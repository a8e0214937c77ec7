"use strict";
(() => {
  const { texts, episodes } = JSON.parse(document.getElementById("data").textContent);
  const list = document.getElementById("list");
  const stage = document.getElementById("episode");
  const filters = document.getElementById("filters");
  const count = document.getElementById("count");
  let shown = [];
  let current = null;
  let open = false;

  // Every text goes in through here, as text: strings become text nodes, never markup.
  const el = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "on") node.addEventListener("click", value);
      else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };
  const number = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const verdict = (right) => (right === true ? "right" : right === false ? "wrong" : "none");
  const sign = (right) => (right === true ? "✓" : right === false ? "✗" : "·");
  const failed = (turn) => turn.status === "missing" || turn.status === "ambiguous" || turn.status === "truncated";
  const rightIn = (episode) => (episode.review ? null : episode.accepted);
  const key = (episode) => [episode.arm, episode.sample, episode.epoch].map(encodeURIComponent).join("/");

  // `accepted` is null for reviews: nothing is right or wrong about a whole review.
  const answer = (text, accepted) => {
    if (text === null) return el("span", { class: "chip none" }, "no answer");
    if (accepted === null) return el("span", { class: "chip", title: text }, text);
    const right = accepted.includes(text);
    return el("span", { class: `chip ${verdict(right)}`, title: text }, `${sign(right)} ${text}`);
  };
  const flip = (before, after, accepted) => {
    if (accepted === null) return el("span", { class: "chip flip", title: `changed from ${before} to ${after}` }, "changed");
    const kind = accepted.includes(before) ? (accepted.includes(after) ? "right to right" : "right to wrong") : accepted.includes(after) ? "wrong to right" : "wrong to wrong";
    return el("span", { class: "chip flip", title: `changed from ${before} to ${after}` }, `flip: ${kind}`);
  };

  const message = ([role, place]) =>
    el("div", { class: "message" }, el("span", { class: "who" }, role), el("pre", {}, texts[place]));

  const prompt = (turn) => {
    const last = turn.shown.slice(-1);
    const earlier = turn.shown.slice(0, -1);
    const before = earlier.length
      ? el("details", {}, el("summary", {}, `${earlier.length} message${earlier.length > 1 ? "s" : ""} before`), ...earlier.map(message))
      : null;
    const cuts = turn.cuts.length ? el("p", { class: "note" }, `cut to fit: ${turn.cuts.join("; ")}`) : null;
    return el("details", { class: "shown", open }, el("summary", {}, `was shown (${turn.seen})`), cuts, before, ...last.map(message));
  };

  const marks = (turn, order, before, episode) => {
    const accepted = rightIn(episode);
    const flipped = before !== undefined && before !== null && turn.answer !== null && before !== turn.answer;
    return el(
      "div",
      { class: "marks" },
      el("span", { class: "cost order", title: "the order in which was asked" }, `${order}.`),
      episode.claims.length ? el("span", { class: "quiet" }, turn.seat.split(" ")[0]) : null,
      turn.answer !== null || (failed(turn) && !episode.review) ? answer(turn.answer, accepted) : null,
      flipped ? flip(before, turn.answer, accepted) : null,
      failed(turn) || turn.status === "repaired" ? el("span", { class: "chip fault" }, turn.status) : null,
      turn.finish === "length" ? el("span", { class: "chip fault" }, "token limit") : null,
      turn.attempt ? el("span", { class: "chip" }, `repair ${turn.attempt}`) : null,
      turn.spare ? el("span", { class: "chip" }, "spare: charged to no arm") : null,
      el("span", { class: "cost", title: "prompt + output tokens" }, `${number(turn.tokens[0])} + ${number(turn.tokens[1])}`),
    );
  };

  const said = (turn) =>
    el(
      "div",
      {},
      el("pre", { class: "said" }, texts[turn.said] || "(nothing)"),
      turn.note ? el("p", { class: "note" }, turn.note) : null,
      texts[turn.reply]
        ? el("details", { class: "reply" }, el("summary", {}, `read as ${turn.kind}${turn.rule ? `, rule ${turn.rule}` : ""}`), el("pre", {}, texts[turn.reply]))
        : null,
    );

  const drawTurn = (turn, order, before, episode) =>
    el("div", { class: turn.spare ? "turn spare" : "turn" }, marks(turn, order, before, episode), el("div", { class: "panes" }, prompt(turn), said(turn)));

  // Seats as columns in order of their first words, rounds as rows; in debates about claims a column is a side.
  const grid = (episode) => {
    const column = (turn) => (episode.claims.length ? `side ${String.fromCharCode(65 + turn.place)}` : turn.seat);
    const seats = [...new Set(episode.turns.map(column))];
    const rounds = [...new Set(episode.turns.map((turn) => turn.round))].sort((a, b) => a - b);
    const cells = new Map();
    const last = new Map();
    for (const [place, turn] of episode.turns.entries()) {
      const cell = `${turn.round}/${column(turn)}`;
      const drawn = drawTurn(turn, place + 1, last.get(turn.seat), episode);
      cells.set(cell, [...(cells.get(cell) || []), drawn]);
      if (turn.answer !== null) last.set(turn.seat, turn.answer);
    }
    const head = el("tr", {}, el("th"), ...seats.map((seat) => el("th", { scope: "col" }, seat)));
    const rows = rounds.map((round) =>
      el("tr", {}, el("th", { scope: "row" }, `round ${round}`), ...seats.map((seat) => el("td", {}, ...(cells.get(`${round}/${seat}`) || [])))),
    );
    return el("div", { class: "scroll" }, el("table", { class: "grid" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  };

  // Every seat's answer after each round; votes beyond the arm's own are dimmed.
  const answersByRound = (episode) => {
    if (!episode.positions.length) return null;
    const spare = new Set(episode.turns.filter((turn) => turn.spare).map((turn) => `${turn.round}/${turn.place}`));
    const seats = Math.max(...episode.positions.map((answers) => answers.length));
    const head = el("tr", {}, el("th", {}, "answers"), ...Array.from({ length: seats }, (_, seat) => el("th", { scope: "col" }, `seat ${seat}`)));
    const rows = episode.positions.map((answers, round) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, `round ${round}`),
        ...answers.map((text, seat) => {
          const before = round ? episode.positions[round - 1][seat] : null;
          const changed = before !== null && before !== undefined && text !== null && before !== text;
          const dim = spare.has(`${round}/${seat}`);
          return el("td", { class: dim ? "spare" : null, title: dim ? "spare: charged to no arm" : null }, answer(text, rightIn(episode)), changed ? " " : null, changed ? flip(before, text, rightIn(episode)) : null);
        }),
      ),
    );
    return el("div", { class: "scroll" }, el("table", { class: "answers" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  };

  const fact = (name, ...values) => el("span", {}, el("b", {}, name), ...values);
  const scored = (episode) => {
    if (!episode.review) return verdict(episode.right) === "none" ? "not scored" : verdict(episode.right);
    if (episode.tally === null) return "not scored";
    const [matched, unmatched, known] = episode.tally;
    return `${matched} of ${known} known issues found, ${unmatched} finding${unmatched === 1 ? "" : "s"} unmatched`;
  };
  const facts = (episode) => {
    const charged = episode.turns.filter((turn) => !turn.spare);
    const total = (part) => number(charged.reduce((sum, turn) => sum + turn.tokens[part], 0));
    return el(
      "div",
      { class: "facts" },
      fact(episode.review ? "findings" : "answer", answer(episode.answer, rightIn(episode))),
      fact(episode.review ? "known issues" : "target", episode.target ?? "none"),
      fact("scored", scored(episode)),
      episode.stop ? fact("stopped by", episode.stop) : null,
      fact("ending", episode.ending),
      ...Object.entries(episode.confidence).map(([source, value]) =>
        fact(source.replaceAll("_", " "), value === null ? "undefined" : typeof value === "number" ? value.toFixed(3) : value)),
      episode.place ? fact("session", `${episode.place[0]}, position ${episode.place[1]}`) : null,
      fact("calls", number(charged.length)),
      fact("tokens", `${total(0)} + ${total(1)}`),
    );
  };

  const ledger = (episode) =>
    episode.ledger.map(([kind, by, round, text, more]) =>
      el("li", {}, el("b", {}, kind), ` by ${by}, round ${round}${texts[text] ? ": " : ""}`, texts[text],
        texts[more] ? el("details", { class: "reply" }, el("summary", {}, "facts"), el("pre", {}, texts[more])) : null));

  const match = (place) => {
    if (place === null) return null;
    if (place >= 0) return el("span", { class: "chip right", title: "matches a known issue" }, `✓ issue ${place + 1}`);
    return place === -2
      ? el("span", { class: "chip none", title: "its issue was found already" }, "duplicate")
      : el("span", { class: "chip wrong", title: "matches no known issue" }, "✗ unmatched");
  };

  // Lines with known issues shaded, and what was found beside them; findings that did not survive are struck.
  const line = (shown, place, document) => {
    const number = place + 1;
    const at = (rows) => rows.filter(([first, last]) => first <= number && number <= last);
    const issues = at(document.issues);
    const begun = document.findings.filter(([first]) => first === number);
    const span = ([first, last]) => (last > first ? ` to ${last}` : "");
    return el("tr", { class: issues.length ? "known" : at(document.findings).length ? "found" : null },
      el("td", { class: "at" }, String(number)),
      el("td", {}, el("pre", {}, texts[shown])),
      el("td", { class: "beside" },
        ...document.issues.filter(([first]) => first === number).map((issue) => el("p", { class: "issue" }, el("b", {}, `known issue${span(issue)} `), texts[issue[2]])),
        ...begun.map((finding) => el("p", { class: finding[5] ? null : "gone", title: finding[5] ? null : "did not survive" },
          el("b", {}, `${finding[2]}${span(finding)} `), match(finding[4]), " ", texts[finding[3]]))));
  };
  const artifact = (episode) =>
    el("div", { class: "artifact" }, ...episode.artifact.flatMap((document) => [
      el("h4", {}, document.name),
      el("div", { class: "scroll code" }, el("table", {}, el("tbody", {}, ...document.lines.map((shown, place) => line(shown, place, document))))),
    ]));

  const event = ([done, by, round, reason, fault]) =>
    el("li", {},
      el("span", { class: `chip ${done === "CONCEDED" || done === "withdrawn" ? "flip" : done === "unaddressed" ? "fault" : ""}` }, done),
      el("span", { class: "quiet" }, ` ${by}, round ${round} `),
      fault === null ? null : fault === "" ? el("span", { class: "chip right", title: "by the strict contract" }, "✓ valid") : el("span", { class: "chip fault", title: "by the strict contract" }, `not valid: ${fault}`),
      texts[reason] ? el("p", {}, texts[reason]) : null);
  const nowhere = (places) => (places.length ? el("p", { class: "note" }, `cites what does not exist: ${places.join(", ")}`) : null);
  const objection = (one) =>
    el("div", { class: "objection" },
      el("p", {}, el("b", {}, one.id), el("span", { class: "quiet" }, ` ${one.by} objects, round ${one.round}: `), texts[one.text]),
      nowhere(one.missing), el("ul", {}, ...one.said.map(event)));
  const claim = (one) =>
    el("div", { class: `claim ${one.state}` },
      el("div", { class: "marks" }, el("b", {}, one.id), el("span", { class: "chip" }, one.place), el("span", { class: "chip" }, one.severity),
        one.confidence === null ? null : el("span", { class: "chip", title: "stated confidence" }, one.confidence.toFixed(2)),
        match(one.match), el("span", { class: `chip ${one.state === "conceded" ? "flip" : one.state === "accepted" ? "right" : "none"}` }, one.state)),
      el("p", {}, texts[one.text]), nowhere(one.missing),
      one.evidence.length ? el("p", { class: "quiet" }, `evidence: ${one.evidence.join(", ")}`) : null,
      ...one.objections.map(objection));
  const claims = (episode) => {
    const sides = [...new Set(episode.claims.map((one) => one.by))];
    return el("div", { class: "claims" }, ...sides.map((side) =>
      el("section", {}, el("h4", {}, `claims of ${side}`), ...episode.claims.filter((one) => one.by === side).map(claim))));
  };

  const record = (episode, events) => {
    const all = el("ol", { class: "ledger" }, ...events);
    return episode.claims.length ? el("details", { class: "reply" }, el("summary", {}, `the ledger, all ${events.length} entries in order`), all) : all;
  };

  // The same sample in the other arms.
  const peers = (episode) => {
    const same = episodes.filter((other) => other.sample === episode.sample && other.epoch === episode.epoch);
    if (same.length < 2) return null;
    return el("div", { class: "peers" }, el("span", { class: "quiet" }, "this sample in"), ...same.map((other) =>
      el("button", { type: "button", class: `chip ${verdict(other.right)}`, "aria-current": String(other === episode), on: () => show(other) }, `${sign(other.right)} ${other.arm}`)));
  };

  const draw = (episode) => {
    const toggle = el("button", { type: "button", on: () => { open = !open; draw(episode); } }, open ? "Hide what was shown" : "Show what was shown");
    const events = ledger(episode);
    stage.replaceChildren(...[
      el("p", { class: "title" }, `${episode.arm}`, el("span", { class: "quiet" }, `${episode.sample}${episode.epoch ? `, epoch ${episode.epoch}` : ""}`)),
      episode.artifact
        ? el("details", { class: "reply" }, el("summary", {}, "what was asked"), el("pre", { class: "question" }, texts[episode.question]))
        : el("pre", { class: "question" }, texts[episode.question] || "(no question)"),
      facts(episode),
      texts[episode.error] ? el("pre", { class: "note" }, texts[episode.error]) : null,
      peers(episode),
      episode.artifact ? artifact(episode) : null,
      episode.claims.length ? el("h3", {}, "Claims, and what became of them") : null,
      episode.claims.length ? claims(episode) : null,
      answersByRound(episode),
      el("div", { class: "bar" }, el("h3", {}, "Transcript"), toggle),
      grid(episode),
      events.length && !episode.claims.length ? el("h3", {}, "Ledger") : null,
      events.length ? record(episode, events) : null,
      texts[episode.facts] ? el("details", { class: "reply" }, el("summary", {}, "facts of this protocol"), el("pre", {}, texts[episode.facts])) : null,
    ].filter((node) => node !== null));
  };

  const show = (episode) => {
    current = episode;
    draw(episode);
    stage.scrollTop = 0;
    history.replaceState(null, "", `#episode/${key(episode)}`);
    for (const button of list.querySelectorAll("button")) {
      const here = shown[Number(button.dataset.place)] === episode;
      button.setAttribute("aria-current", String(here));
      if (here) button.scrollIntoView({ block: "nearest" });
    }
  };

  const wanted = (episode) => {
    const data = new FormData(filters);
    return (
      (!data.get("arm") || episode.arm === data.get("arm")) &&
      (!data.get("right") || verdict(episode.right) === data.get("right")) &&
      (!data.get("flipped") || episode.flipped) &&
      (!data.get("unparsed") || episode.answer === null || episode.turns.some((turn) => !turn.spare && failed(turn))) &&
      episode.sample.includes(data.get("sample"))
    );
  };

  const refresh = () => {
    shown = episodes.filter(wanted);
    count.textContent = `${number(shown.length)} of ${number(episodes.length)}`;
    const entry = (episode, place) =>
      el("li", {}, el("button", { type: "button", "data-place": place, "aria-current": String(episode === current), title: `${episode.arm}, ${episode.sample}`, on: () => show(episode) },
        el("span", { class: verdict(episode.right) }, sign(episode.right)),
        el("span", { class: "name" }, episode.sample + (episode.epoch ? ` (${episode.epoch})` : "")),
        el("span", { class: "where" }, episode.tally ? `${episode.tally[0]}/${episode.tally[2]}${episode.tally[1] ? ` +${episode.tally[1]}` : ""}` : episode.flipped ? "flip" : "")));
    list.replaceChildren(...shown.flatMap((episode, place) =>
      place && shown[place - 1].arm === episode.arm ? [entry(episode, place)] : [el("li", { class: "arm" }, episode.arm), entry(episode, place)]));
    if (!shown.length) stage.replaceChildren(el("p", { class: "quiet" }, episodes.length ? "No episode passes these filters." : "No episodes are embedded."));
    else if (!shown.includes(current)) draw((current = shown[0]));
    else draw(current);
  };

  const step = (by) => {
    const next = shown[shown.indexOf(current) + by];
    if (next) show(next);
  };

  const fromAddress = () => {
    const wantedKey = location.hash.startsWith("#episode/") ? location.hash.slice("#episode/".length) : null;
    const found = wantedKey && episodes.find((episode) => key(episode) === wantedKey);
    if (found) { show(found); document.getElementById("episodes").scrollIntoView(); }
  };

  for (const arm of new Set(episodes.map((episode) => episode.arm))) filters.elements.arm.append(el("option", { value: arm }, arm));
  filters.addEventListener("input", refresh);
  filters.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
  });
  window.addEventListener("hashchange", fromAddress);
  refresh();
  fromAddress();
})();
