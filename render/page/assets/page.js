// What a page does by itself: it shows new memory as it comes, searches while you type, follows keys, and
// keeps a long trace short in memory. Without it every page works, and is as it was when it was loaded.
"use strict";
(() => {
const $ = (s, of = document) => of.querySelector(s);
const all = (s, of = document) => [...of.querySelectorAll(s)];

// part reads the page anew and returns its document. It is inert: what is taken from it are elements
// that the server wrote.
async function part(address, signal) {
  const answer = await fetch(address, {signal, headers: {Accept: "text/html"}});
  return {ok: answer.ok, page: new DOMParser().parseFromString(await answer.text(), "text/html")};
}

// Live parts.

const live = $("#live");
const say = text => { if (live.textContent !== text) live.textContent = text; };
let stale = false, reading = false;

async function refresh() {
  if (document.hidden || reading) { stale = true; return; }
  reading = true; stale = false;
  try {
    const {ok, page} = await part(location.href);
    if (!ok) { say($(".notice", page)?.textContent ?? "The memory cannot be read."); return; }
    for (const now of all("[data-live]")) {
      const fresh = page.getElementById(now.id);
      if (fresh && fresh.outerHTML !== now.dataset.was) replace(now, fresh);
    }
    say("");
  } catch { say("The server does not answer."); }
  finally {
    reading = false;
    if (stale && !document.hidden) setTimeout(refresh, 200);
  }
}

// replace puts a part in place of another. What is read stays where it is, and the focus where it was.
function replace(now, fresh) {
  const was = fresh.outerHTML;
  if (now.outerHTML === was) { now.dataset.was = was; return; }
  const at = document.activeElement, key = now.contains(at) && (at.getAttribute("href") ?? at.id);
  const row = $(".at a", now)?.getAttribute("href");
  const read = all(".step", now).find(e => e.getBoundingClientRect().bottom > 0), top = read?.getBoundingClientRect().top;
  now.replaceWith(fresh);
  fresh.dataset.was = was;
  if (key) all("a, .step", fresh).find(e => e.getAttribute("href") === key || e.id === key)?.focus({preventScroll: true});
  if (row) all(".rows a", fresh).find(a => a.getAttribute("href") === row)?.closest("li").classList.add("at");
  zoom(0);
  const same = read && scrollY > 0 && document.getElementById(read.id);
  if (same) scrollBy({top: same.getBoundingClientRect().top - top, behavior: "instant"});
  if (!now.dataset.page) return;
  watchPages();
  for (const p of all("[data-pages] > section:not([data-live])")) { // their steps have moved on
    if (!p.dataset.empty) { p.dataset.empty = "1"; settle(p); }
  }
}

// One page of a browser listens, because a browser opens six connections to a server; it tells the others.
const others = "BroadcastChannel" in window ? new BroadcastChannel("git-context " + location.host) : null;
if (others) others.onmessage = refresh;

const again = 2000; // milliseconds

// listen never ends: who listens keeps the lock of the pages.
function listen() {
  return new Promise(() => hear());
}

function hear() {
  const events = new EventSource("/events");
  const changed = () => { others?.postMessage(""); refresh(); };
  events.addEventListener("change", changed);
  events.onerror = () => {
    say("The server does not answer.");
    if (events.readyState === EventSource.CLOSED) setTimeout(hear, again); // the browser asks no more
  };
  events.onopen = changed; // what changed before it listened was not heard of
}

if ($("[data-live]")) {
  if (navigator.locks) navigator.locks.request("git-context events", listen);
  else listen();
  document.addEventListener("visibilitychange", () => { if (!document.hidden && stale) refresh(); });
}

// Search while you type.

let asked = null;
function searching(box) {
  let wait;
  box.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(async () => {
      asked?.abort();
      asked = new AbortController();
      const address = "/search?q=" + encodeURIComponent(box.value);
      try {
        const {page} = await part(address, asked.signal);
        const fresh = page.getElementById("hits");
        if (fresh) $("#hits").replaceWith(fresh);
        history.replaceState(null, "", address);
      } catch (e) { if (e.name !== "AbortError") say("The server does not answer."); }
    }, 60);
  });
}
if ($("#words")) {
  const words = $("#words");
  searching(words); searching($("#q"));
  words.focus();
  words.setSelectionRange(words.value.length, words.value.length);
}

// A long trace: pages come when they are near, and leave when they are far; a gap of their height stays.

const near = new WeakSet(), busy = new WeakSet();
const seen = "IntersectionObserver" in window ? new IntersectionObserver(list => {
  for (const e of list) {
    e.isIntersecting ? near.add(e.target) : near.delete(e.target);
    settle(e.target);
  }
}, {rootMargin: "1500px"}) : null;

function watchPages() { if (seen) for (const p of all("[data-pages] > section")) seen.observe(p); }

// settle makes a page what its place asks for, one step after the other: its place may change while it loads.
async function settle(p) {
  if (busy.has(p)) return;
  busy.add(p);
  while (p.isConnected) {
    if (near.has(p) && p.dataset.empty) { if (!await fill(p)) break; }
    else if (near.has(p) && p.dataset.next && !p.nextElementSibling) follow(p);
    else if (!near.has(p) && !p.dataset.empty && !p.hasAttribute("data-live") && p.offsetHeight) empty(p);
    else break;
  }
  busy.delete(p);
}

async function fill(p) {
  delete p.dataset.empty;
  let fresh;
  try {
    const {ok, page} = await part(p.dataset.page);
    fresh = ok && $("#steps > section", page);
  } catch { say("The server does not answer."); }
  if (!fresh) { p.dataset.empty = "1"; return false; } // it is asked for again when it comes near again
  p.replaceChildren(...fresh.childNodes);
  p.style.height = "";
  if (fresh.dataset.next) p.dataset.next = fresh.dataset.next;
  return true;
}

function follow(p) {
  const next = document.createElement("section");
  next.dataset.page = p.dataset.next; next.dataset.empty = "1"; next.style.height = "60vh";
  p.after(next);
  $(".pages [rel=next]")?.remove();
  seen.observe(next);
}

function empty(p) {
  p.style.height = p.offsetHeight + "px";
  p.dataset.empty = "1";
  p.replaceChildren();
}
watchPages();

// A form of choices needs no button.
for (const f of all("form.choose")) f.addEventListener("change", e => { if (e.target.matches("select")) f.requestSubmit(); });

// Zoom: the rows and the lanes grow together.

const heights = [16, 20, 28, 36, 48];
let level = Number(sessionStorage.getItem("zoom") ?? 2);
function zoom(by) {
  level = Math.min(Math.max(level + by, 0), heights.length - 1);
  sessionStorage.setItem("zoom", level);
  const svg = $(".lanes svg");
  if (!svg) return;
  const [, , w, h] = svg.getAttribute("viewBox").split(" ").map(Number);
  document.documentElement.style.setProperty("--row", heights[level] + "px");
  svg.setAttribute("height", h * heights[level] / 28);
  svg.setAttribute("width", w * heights[level] / 28);
}
if (level !== 2) zoom(0);

// Keys.

function move(by) {
  const links = all(".rows a, .tried a, .hits a, .step, tbody th a").filter(e => e.offsetParent);
  if (!links.length) return;
  const at = links.findIndex(e => e.contains(document.activeElement) || e.closest(".at"));
  const to = links[Math.min(Math.max(at + by, 0), links.length - 1)];
  for (const e of all(".at")) e.classList.remove("at");
  if (!to.matches("a")) to.tabIndex = -1;
  to.focus();
  to.closest(".rows li")?.classList.add("at");
  to.scrollIntoView({block: "nearest"});
}

const places = {m: "/", b: "/brief", t: "/trace", o: "/topics", r: "/branches", c: "/conflicts", s: "/search"};
let leader = -Infinity;
document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = e.target.matches("input, select, textarea");
  if (typing) { if (e.key === "Escape") e.target.blur(); return; }
  if (e.timeStamp - leader < 1500 && places[e.key]) { location.href = places[e.key]; return; }
  leader = e.key === "g" ? e.timeStamp : -Infinity; // when it was typed: a busy page hears of it later
  const does = {"/": () => ($("#words") ?? $("#q")).focus(), j: () => move(1), k: () => move(-1), "+": () => zoom(1),
    "=": () => zoom(1), "-": () => zoom(-1), "0": () => zoom(2 - level), n: () => $("[rel=next]")?.click(), p: () => $("[rel=prev]")?.click()}[e.key];
  if (does) { e.preventDefault(); does(); }
});
})();
