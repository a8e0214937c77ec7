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
  const key = (episode) => [episode.arm, episode.sample, episode.epoch].map(encodeURIComponent).join("/");

  const answer = (text, accepted) => {
    if (text === null) return el("span", { class: "chip none" }, "no answer");
    const right = accepted.includes(text);
    return el("span", { class: `chip ${verdict(right)}`, title: text }, `${sign(right)} ${text}`);
  };
  const flip = (before, after, accepted) => {
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

  const marks = (turn, order, before, accepted) => {
    const flipped = before !== undefined && before !== null && turn.answer !== null && before !== turn.answer;
    return el(
      "div",
      { class: "marks" },
      el("span", { class: "cost order", title: "the order in which was asked" }, `${order}.`),
      turn.answer !== null || failed(turn) ? answer(turn.answer, accepted) : null,
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

  const drawTurn = (turn, order, before, accepted) =>
    el("div", { class: turn.spare ? "turn spare" : "turn" }, marks(turn, order, before, accepted), el("div", { class: "panes" }, prompt(turn), said(turn)));

  // Seats as columns in order of their first words, rounds as rows.
  const grid = (episode) => {
    const seats = [...new Set(episode.turns.map((turn) => turn.seat))];
    const rounds = [...new Set(episode.turns.map((turn) => turn.round))].sort((a, b) => a - b);
    const cells = new Map();
    const last = new Map();
    for (const [place, turn] of episode.turns.entries()) {
      const cell = `${turn.round}/${turn.seat}`;
      const drawn = drawTurn(turn, place + 1, last.get(turn.seat), episode.accepted);
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
          return el("td", { class: dim ? "spare" : null, title: dim ? "spare: charged to no arm" : null }, answer(text, episode.accepted), changed ? " " : null, changed ? flip(before, text, episode.accepted) : null);
        }),
      ),
    );
    return el("div", { class: "scroll" }, el("table", { class: "answers" }, el("thead", {}, head), el("tbody", {}, ...rows)));
  };

  const fact = (name, ...values) => el("span", {}, el("b", {}, name), ...values);
  const facts = (episode) => {
    const charged = episode.turns.filter((turn) => !turn.spare);
    const total = (part) => number(charged.reduce((sum, turn) => sum + turn.tokens[part], 0));
    return el(
      "div",
      { class: "facts" },
      fact("answer", answer(episode.answer, episode.accepted)),
      fact("target", episode.target ?? "none"),
      fact("scored", verdict(episode.right) === "none" ? "not scored" : verdict(episode.right)),
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
      el("pre", { class: "question" }, texts[episode.question] || "(no question)"),
      facts(episode),
      texts[episode.error] ? el("pre", { class: "note" }, texts[episode.error]) : null,
      peers(episode),
      answersByRound(episode),
      el("div", { class: "bar" }, el("h3", {}, "Transcript"), toggle),
      grid(episode),
      events.length ? el("h3", {}, "Ledger") : null,
      events.length ? el("ol", { class: "ledger" }, ...events) : null,
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
        el("span", { class: "where" }, episode.flipped ? "flip" : "")));
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
