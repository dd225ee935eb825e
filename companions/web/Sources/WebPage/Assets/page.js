"use strict";
// Keeps a page up to date. The server has rendered the whole page. This script applies events to the parts they are about; for any other
// change it requests the page again.
(() => {
  const body = document.body;
  const position = body.dataset.position;
  if (!position) return;

  // The server's clock, as seen from here.
  const skew = Number(body.dataset.now) - Date.now() / 1000;
  const now = () => Date.now() / 1000 + skew;
  const text = (element, value) => {
    if (element && element.textContent !== value) element.textContent = value;
  };

  const words = (seconds) => {
    if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
    if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
    if (seconds < 60) return `${seconds.toFixed(1)} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds) % 60} s`;
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  };
  const statusWords = { notRun: "not run" };

  // MARK: The page again

  let asked = 0;
  let waiting = false;
  const refresh = () => {
    if (waiting) return;
    waiting = true;
    setTimeout(async () => {
      waiting = false;
      asked = Date.now();
      try {
        const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
        if (answer.redirected) return location.replace(answer.url);
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        replace(page.getElementById("main"));
        document.title = page.title;
      } catch {
        // The stream of events shows that the server is away.
      }
    }, Math.max(0, asked + 1000 - Date.now()));
  };

  const replace = (main) => {
    const old = document.getElementById("main");
    if (!main || !old) return;
    const focused = document.activeElement;
    const item = focused && old.contains(focused) ? focused.closest("[id]") : null;
    const scrolled = [...old.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
    old.replaceChildren(...main.childNodes);
    old.querySelectorAll(".scroll").forEach((each, index) => { each.scrollLeft = scrolled[index] ?? 0; });
    if (item && item.id !== "main") {
      const again = document.getElementById(item.id);
      (again?.matches("a, [tabindex]") ? again : again?.querySelector("a, [tabindex]"))?.focus({ preventScroll: true });
    }
    draw();
  };

  // MARK: Rows

  const update = (item) => {
    const row = document.getElementById(`i-${item.name}`);
    if (!row) return refresh();
    if (row.dataset.kind !== item.status) {
      row.dataset.kind = item.status;
      const badge = row.querySelector(".badge");
      badge.dataset.kind = item.status;
      text(badge, statusWords[item.status] ?? item.status);
      const node = document.getElementById(`g-${item.name}`);
      if (node) {
        node.dataset.kind = item.status;
        text(node.querySelector("title"), `${item.name}: ${item.status}`);
      }
      count(row.closest(".phase"));
    }
    row.dataset.started = item.started ?? "";
    row.dataset.duration = item.duration ?? "";
    const attempt = item.attempt > 1 ? ` attempt ${item.attempt}` : "";
    text(row.querySelector(".detail"), `${item.error ?? item.message ?? (item.available ? "" : "no worker provides it")}${attempt}`);
    const phase = row.closest(".phase");
    if (item.status === "running" && item.started) {
      // The first run of another pass moves all bars.
      if (phase.dataset.pass && item.pass > Number(phase.dataset.pass)) {
        phase.dataset.opened = "";
        for (const each of phase.querySelectorAll("li")) if (each !== row) each.dataset.started = "";
      }
      phase.dataset.pass = item.pass;
      if (!phase.dataset.opened || item.started < Number(phase.dataset.opened)) phase.dataset.opened = item.started;
    }
    changed.add(phase);
    schedule();
  };

  const count = (phase) => {
    const rows = [...phase.querySelectorAll("li")];
    const done = rows.filter((each) => each.dataset.kind === "complete" || each.dataset.kind === "skipped").length;
    text(phase.querySelector(".count"), `${done} of ${rows.length} complete`);
  };

  const changed = new Set();
  let scheduled = false;
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      for (const phase of changed) drawPhase(phase);
      changed.clear();
    });
  };

  const drawPhase = (phase) => {
    const opened = Number(phase.dataset.opened);
    const rows = [...phase.querySelectorAll("li")];
    const moment = now();
    let total = 0.001;
    const spans = rows.map((row) => {
      if (!row.dataset.started || !opened) return null;
      const started = Number(row.dataset.started);
      const duration = row.dataset.duration ? Number(row.dataset.duration) : Math.max(0, moment - started);
      total = Math.max(total, started + duration - opened);
      return { from: started - opened, duration };
    });
    rows.forEach((row, index) => {
      const span = spans[index];
      const bar = row.querySelector(".bar");
      bar.setAttribute("viewBox", `0 0 ${total.toFixed(3)} 10`);
      text(row.querySelector(".time"), span ? words(span.duration) : "");
      let box = bar.firstElementChild;
      if (!span) {
        box?.remove();
        return;
      }
      if (!box) {
        box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        box.setAttribute("height", "10");
        bar.append(box);
      }
      box.setAttribute("x", Math.max(0, span.from).toFixed(3));
      box.setAttribute("width", Math.max(span.duration, total / 400).toFixed(3));
    });
  };

  const draw = () => {
    for (const phase of document.querySelectorAll(".phase")) drawPhase(phase);
  };

  // The bar of a running initializer grows.
  setInterval(() => {
    if (document.hidden) return;
    for (const phase of document.querySelectorAll(".phase")) {
      if (phase.querySelector('li[data-kind="running"], li[data-kind="stopping"]')) drawPhase(phase);
    }
  }, 500);

  // MARK: The state

  const kinds = { Ready: "complete", Failed: "failed", "No answer": "failed", Inactive: "idle", Starting: "running" };
  const word = (summary) => {
    if (!summary.answering) return "No answer";
    if (summary.ready) return "Ready";
    if (summary.reason === "launchFailed" || summary.reason === "activeFailed") return "Failed";
    return summary.reason === "inactive" ? "Inactive" : "Starting";
  };
  const show = (summary) => {
    if (body.dataset.target) return splash(summary);
    const state = document.getElementById("state");
    if (!state) return;
    const before = document.getElementById("state-word").textContent;
    const after = word(summary);
    state.dataset.kind = kinds[after];
    text(document.getElementById("state-word"), after);
    text(document.getElementById("state-message"), summary.ready ? "Everything is complete, and the app is active." : summary.message);
    document.title = document.title.replace(before, after);
  };
  const splash = (summary) => {
    if (summary.ready) return location.replace(body.dataset.target);
    const failed = word(summary) === "Failed";
    text(document.getElementById("splash-word"), failed ? "The app can't start at the moment." : "The app is starting.");
  };
  const progress = new Map();
  const splashItem = (item) => {
    progress.set(item.name, item.status === "complete" || item.status === "skipped");
    const total = progress.size;
    const done = [...progress.values()].filter(Boolean).length;
    const bar = document.getElementById("splash-progress");
    bar.max = Math.max(1, total);
    bar.value = done;
    text(document.getElementById("splash-message"), `${done} of ${total} steps are complete.`);
  };

  // MARK: Events

  const connection = document.getElementById("connection");
  // A splash screen needs all initializers, so it begins with a snapshot.
  const after = body.dataset.target ? "" : `?after=${encodeURIComponent(position)}`;
  const source = new EventSource(`/api/v1/events${after}`);
  const on = (name, handle) => source.addEventListener(name, (event) => handle(JSON.parse(event.data)));
  source.onopen = () => text(connection, "");
  source.onerror = () => text(connection, `No connection to initweb since ${new Date().toLocaleTimeString()}; trying again.`);
  on("summary", (summary) => {
    show(summary);
    if (!body.dataset.target) refresh();
  });
  if (body.dataset.target) {
    on("snapshot", (status) => {
      progress.clear();
      for (const item of status.initializers) splashItem(item);
      show(status.summary);
    });
    on("initializer", splashItem);
  } else {
    on("snapshot", refresh);
    on("initializer", update);
    on("initializerRemoved", refresh);
    on("process", refresh);
    // A pass is in the history a moment after it has ended.
    on("history", refresh);
    draw();
  }
})();
