"use strict";
// Keeps a page up to date. The server renders every page as a whole, from one moment. When an event says that something has changed, this
// script requests the page again, at most once a second. In between, it only counts the times.
(() => {
  const body = document.body;
  const position = body.dataset.position;

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
  const wholeWords = (time) => {
    const seconds = Math.floor(Math.max(0, time));
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
    return `${Math.floor(seconds / 86400)} days`;
  };

  // MARK: Times

  // The known state of a supervisor that doesn't answer stands still.
  const moves = (element) => !element.closest("[data-stale]");
  const tick = () => {
    const moment = now();
    for (const each of document.querySelectorAll("[data-age]")) text(each, wholeWords(moment - Number(each.dataset.age)));
    for (const each of document.querySelectorAll("[data-runs]")) {
      if (moves(each)) text(each, words(Math.max(0, moment - Number(each.dataset.runs))));
    }
    for (const rows of document.querySelectorAll(".rows")) {
      const running = moves(rows) ? rows.querySelectorAll("[data-started]") : [];
      if (running.length === 0) continue;
      const bars = rows.querySelectorAll(".bar");
      const total = Math.max(bars[0].viewBox.baseVal.width, moment - Number(bars[0].dataset.opened));
      for (const bar of bars) bar.setAttribute("viewBox", `0 0 ${total.toFixed(3)} 10`);
      for (const box of running) {
        const duration = Math.max(0, moment - Number(box.dataset.started)) * Number(box.dataset.share);
        box.setAttribute("width", Math.max(duration, total / 400).toFixed(3));
      }
    }
  };
  const showScrolling = () => {
    for (const each of document.querySelectorAll(".scroll")) {
      const note = each.nextElementSibling;
      if (note?.matches(".scrolls")) note.hidden = each.scrollWidth <= each.clientWidth;
    }
  };
  tick();
  showScrolling();
  addEventListener("resize", showScrolling);
  setInterval(() => {
    if (!document.hidden) tick();
  }, 500);
  if (!position) return;

  // MARK: The page again

  // The number of the last event, and the time of the last request.
  let latest = position;
  let asked = 0;
  let isBusy = false;
  const refresh = async () => {
    if (isBusy) return;
    isBusy = true;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, asked + 1000 - Date.now())));
    asked = Date.now();
    let isOld = false;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (answer.redirected) return location.replace(answer.url);
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        replace(page.getElementById("main"));
        document.title = page.title;
        isOld = isBefore(page.body.dataset.position, latest);
      }
    } catch {
      // The stream of events shows that the server is away.
    }
    isBusy = false;
    // An event has arrived since the server has looked.
    if (isOld) refresh();
  };
  const isBefore = (left, right) => {
    const [a, b] = [left.split("."), right.split(".")];
    return a[0] === b[0] && Number(a[1]) < Number(b[1]);
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
    tick();
    showScrolling();
  };

  // MARK: The splash screen

  const splash = (summary) => {
    if (summary.ready) return location.replace(body.dataset.target);
    const failed = summary.answering && (summary.reason === "launchFailed" || summary.reason === "activeFailed");
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
  const on = (name, handle) => source.addEventListener(name, handle);
  source.onopen = () => text(connection, "");
  source.onerror = () => text(connection, `No connection to initweb since ${new Date().toLocaleTimeString()}; trying again.`);
  if (body.dataset.target) {
    on("snapshot", (event) => {
      const status = JSON.parse(event.data);
      progress.clear();
      for (const item of status.initializers) splashItem(item);
      splash(status.summary);
    });
    on("initializer", (event) => splashItem(JSON.parse(event.data)));
    on("summary", (event) => splash(JSON.parse(event.data)));
  } else {
    const changed = (event) => {
      latest = event.lastEventId;
      refresh();
    };
    // A pass is in the history a moment after it has ended.
    for (const name of ["snapshot", "summary", "initializer", "initializerRemoved", "process", "processRemoved", "pass", "history"]) on(name, changed);
  }
})();
