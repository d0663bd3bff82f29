// The page against made-up servers: what a real one does only by accident.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { axe, cell, launch, live, open, row, rows, text, until, untilText, warned } from "../lib.mjs";
import { mock, node, tree } from "../mock.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** Runs a test with a server and a page of it. */
async function on(options, run, { path = "", clock = false } = {}) {
  const server = await mock(options);
  try {
    const page = await open(browser, "about:blank");
    if (clock) await page.clock.install();
    await page.goto(server.url + path);
    await run(page, server);
    await page.done();
  } finally {
    await server.stop();
  }
}

test("the parser of the stream finds the same messages wherever it is cut", () => {
  const page = readFileSync(new URL("../../../supervise-console/page/index.html", import.meta.url), "utf8");
  const Sse = new Function(`${page.match(/^class Sse \{$[^]*?^\}$/m)[0]} return Sse;`)();
  for (const end of ["\n", "\r\n", "\r"]) {
    const lines = ["id: 1", "event: delta", "data: {\"größe\":", "data: \"漢\u{1F980}\"}", "", ": a comment", "event:event", "data", "", "data: last", "", ""];
    const bytes = new TextEncoder().encode(lines.join(end));
    const parsed = (...pieces) => {
      const seen = [];
      const sse = new Sse((kind, data) => seen.push([kind, data]));
      for (const piece of pieces) sse.push(piece);
      return seen;
    };
    const wanted = [["delta", "{\"größe\":\n\"漢\u{1F980}\"}"], ["event", ""], ["message", "last"]];
    assert.deepEqual(parsed(bytes), wanted);
    assert.deepEqual(parsed(...Array.from(bytes, (byte) => Uint8Array.of(byte))), wanted);
    for (let cut = 0; cut <= bytes.length; cut++) assert.deepEqual(parsed(bytes.subarray(0, cut), bytes.subarray(cut)), wanted, `cut at ${cut}`);
  }
});

test("the stream may be cut anywhere, with any line ends", async () => {
  for (const [chunk, end] of [[1, "\r\n"], [7, "\n"], [3, "\r"]]) {
    const name = "größe – 漢字 \u{1F980}"; // several bytes each
    await on({ root: tree([node("db"), node(name)]), chunk, end }, async (page, server) => {
      await live(page);
      assert.deepEqual(await rows(page), ["Shop", "db", name]);
      await server.delta([node("db", { incarnation: 7, last_failure: { path: "db", incarnation: 6, phase: "running", cause: "error", chain: ["line one\nline two"] } })]);
      await untilText(page, "db", "inc", /^#7$/);
      assert.equal(await text(page, "db", "failure"), "line one\\nline two");
    });
  }
});

test("a gap is told, and the snapshot after it is shown", async () => {
  await on({ root: tree([node("db"), node("cart")]) }, async (page, server) => {
    await live(page);
    await page.focus(row("cart"));
    await server.send("gap", { missed: 12 });
    await server.send("snapshot", { seq: 9, at_ms: server.time(), root: tree([node("web"), node("cart", { incarnation: 3 })]) });
    await untilText(page, "cart", "inc", /^#3$/);
    assert.deepEqual(await rows(page), ["Shop", "web", "cart"]);
    assert.match(await page.textContent("#toast"), /^12 events were missed/);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.path), "cart");
  });
});

test("times go on between messages, and stand still while the server is away", async () => {
  const root = tree([node("db", { state: "backing_off", until_ms: 90000, up_since_ms: undefined }), node("cart", { restarts: { used: 1, max: 5, within_ms: 60000, restored_ms: 100000 }, mailbox: { waiting: 3, capacity: 10, blocked: 0, oldest_ms: 2000 }, messages: { handled: 0, in_hand_us: 3e6 } })]);
  await on({ root }, async (page, server) => {
    await live(page);
    const numbers = async () => {
      const [countdown, up, restored, oldest, since] = await Promise.all([text(page, "db", "state"), text(page, "cart", "up"), text(page, "cart", "restarts"), text(page, "cart", "mailbox"), page.textContent("#age")]);
      return [countdown.match(/[\d.]+(?=s)/)[0], up.match(/\d+(?=s)|(?<=1m)$/)[0] || 0, restored.match(/\d+(?=s)/)[0], oldest.match(/[\d.]+(?=s)/)[0], since.match(/\d+(?=s)|(?<=1m)$/)[0] || 0].map(Number);
    };
    const first = await numbers();
    await until(page, "a slow handler, of which the server has not sent news", () => /cartslow: a handler runs for 5s/.test(document.querySelector("#warnlist").textContent));
    const then = await numbers();
    assert.ok(then[0] < first[0] - 1 && then[1] > first[1] && then[2] < first[2] && then[3] > first[3] + 1 && then[4] > first[4], `${first} then ${then}`);
    for (const stream of server.streams) stream.destroy();
    server.root = tree([]);
    const gone = server.stop();
    const age = await until(page, "that it is away", () => Number(document.querySelector("#banner").textContent.match(/(\d+)s old/)?.[1]));
    const still = await numbers();
    await until(page, "a while", (age) => Number(document.querySelector("#banner").textContent.match(/(\d+)s old/)[1]) >= age + 2, age);
    assert.deepEqual(await numbers(), still);
    await gone;
  });
});

test("nodes come and go", async () => {
  await on({ root: tree([node("a"), node("c", { kind: "tree", children: [node("c/x")] })]) }, async (page, server) => {
    await live(page);
    await server.delta([node("b", { parent: "Shop", index: 1 }), node("c/w", { parent: "c", index: 0 }), node("lost", { parent: "nowhere", index: 0 })]);
    await until(page, "the new one", (selector) => document.querySelector(selector), row("c/w"));
    assert.deepEqual(await rows(page), ["Shop", "a", "b", "c", "c/w", "c/x"]);
    await page.focus(row("c/x"));
    await server.delta([], { removed: ["c", "a", "Shop"] });
    await until(page, "they are gone", () => document.querySelectorAll("#body .row").length === 2);
    assert.deepEqual(await rows(page), ["Shop", "b"]); // the root stays
    assert.equal(await page.evaluate(() => document.activeElement.dataset.path), "b"); // the focus is not lost
  });
});

test("nonsense ends the connection, not the page", async () => {
  await on({ root: tree([node("db")]) }, async (page, server) => {
    await live(page);
    for (const stream of server.streams) stream.write("event: delta\ndata: {nonsense\n\n");
    await until(page, "why it is away", () => document.querySelector("#banner").textContent.includes("it sent something that is not JSON"));
    await live(page); // by itself
    for (const stream of server.streams) stream.write(": a comment\n\nretry: 5\nevent: unheard-of\ndata: {}\n\ndata: {\"a\":\ndata: 1}\n\n");
    await server.delta([node("db", { incarnation: 2 })]);
    await untilText(page, "db", "inc", /^#2$/);
  });
});

test("a server that falls silent is away after twelve seconds", async () => {
  await on({ root: tree([node("db")]) }, async (page) => {
    await until(page, "live", () => document.querySelector("#conntext").textContent === "live");
    await page.clock.fastForward(11000);
    assert.equal(await page.textContent("#conntext"), "live");
    await page.clock.fastForward(3000);
    await until(page, "that it is away", () => document.querySelector("#banner").textContent.includes("it has said nothing for 12 s"));
    await page.clock.fastForward(1000);
    await live(page);
  }, { clock: true });
});

test("10,000 declared nodes stay usable", async () => {
  const groups = Array.from({ length: 100 }, (_, i) => node(`group-${i}`, { kind: "tree", mailbox: undefined, messages: undefined, children: Array.from({ length: 99 }, (_, k) => node(`group-${i}/child-${k}`)) }));
  await on({ root: tree(groups) }, async (page, server) => {
    await until(page, "the rows", () => document.querySelector("#grid").getAttribute("aria-rowcount") === "10002");
    let handled = 0;
    // 1,000 changed nodes twice a second.
    for (let i = 0; i < 6; i++) {
      handled += 50;
      await server.delta(groups.slice(0, 10).flatMap((group) => group.children).map((child) => ({ ...child, messages: { handled } })));
      await new Promise((go) => setTimeout(go, 500));
    }
    await until(page, "rates", (selector) => Number(document.querySelector(selector).textContent) > 0, `${cell("group-0/child-0", "rate")} .per`);
    assert.ok(await page.evaluate(() => document.querySelectorAll("#body .row").length) < 60);
    const pressed = Date.now();
    await page.focus(row("Shop"));
    await page.keyboard.press("End");
    await until(page, "the last row", () => document.activeElement.dataset.path === "group-99/child-98");
    const typed = Date.now();
    await page.fill("#filter", "group-57/child-57");
    assert.deepEqual(await rows(page), ["Shop", "group-57", "group-57/child-57"]);
    await page.fill("#filter", "");
    await page.click(".headrow .c-rate button");
    const over = Date.now();
    const longest = await page.evaluate(async () => {
      const frames = [];
      await new Promise((go) => {
        let last = performance.now();
        const next = (now) => { frames.push(now - last); last = now; if (frames.length < 90) requestAnimationFrame(next); else go(); };
        requestAnimationFrame(next);
      });
      return Math.max(...frames);
    });
    console.log(`# 10,000 nodes: End ${typed - pressed} ms, filter and sort ${over - typed} ms, slowest of 90 frames ${longest.toFixed(0)} ms`);
    assert.ok(typed - pressed < 2000 && over - typed < 3000 && longest < 700);
  });
});

test("a tree of 2,000 levels is shown", async () => {
  let deep = node("n/".repeat(1999) + "n", { kind: "tree", name: "n" });
  for (let i = 1998; i >= 0; i--) deep = node("n/".repeat(i) + "n", { kind: "tree", name: "n", children: [deep] });
  await on({ root: tree([deep]) }, async (page) => {
    await until(page, "the rows", () => document.querySelector("#grid").getAttribute("aria-rowcount") === "2002");
  });
});

test("cycles are found in the edges, each once, whatever the edges", async () => {
  const waits = (path, ...others) => node(path, { waits_for: others });
  await on({ root: tree([waits("a", "b"), waits("b", "c", "gone"), waits("c", "a"), waits("self", "self"), waits("d", "a"), waits("constructor", "d")]) }, async (page, server) => {
    await live(page);
    await server.send("event", { path: "c", at_ms: server.time(), incarnation: 1, event: "ask_cycle", cycle: ["c", "a", "b"] });
    await until(page, "the event", () => document.querySelector("#say").textContent.includes("c asks in a cycle: c → a → b → c"));
    await until(page, "the event is drawn", () => new Promise((go) => setTimeout(() => go(true), 300)));
    assert.equal(await page.evaluate(() => document.querySelectorAll("#warnlist button").length), 2);
    assert.deepEqual(await warned(page, "a"), ["aask cycle: a → b → c → a"]);
    assert.deepEqual(await warned(page, "self"), ["selfask cycle: self → self"]);
  });
});

test("warnings follow the numbers", async () => {
  const at = 60000;
  await on({ root: tree([
    node("nearly", { restarts: { used: 4, max: 5, within_ms: 60000, restored_ms: at + 45000 } }),
    node("far", { restarts: { used: 3, max: 5, within_ms: 60000, restored_ms: at + 45000 } }),
    node("many", { restarts: { used: 80, max: 100, within_ms: 60000, restored_ms: at + 45000 } }), // 20 are left
    node("none", { restarts: { used: 5, max: 5, within_ms: null } }),
    node("free", { restarts: { used: 0, max: null, within_ms: null } }),
    node("stuck", { messages: { handled: 0, in_hand_us: 31e6 } }),
    node("left", { state: "ended", ended: { why: "stopped" } }),
    node("temp", { state: "ended", lifecycle: "temporary", ended: { why: "failed" } }),
    node("set", { kind: "set", mailbox: undefined, messages: undefined, instances: { running: 5, backing_off: 2 } }),
  ]) }, async (page, server) => {
    await live(page);
    assert.match((await warned(page, "nearly")).join(), /^nearly1 restart left: restored in 4\ds$/);
    assert.match((await warned(page, "none")).join(), /no restart left/);
    assert.match((await warned(page, "stuck")).join(), /stuck: a handler runs for 3\ds/);
    assert.deepEqual(await warned(page, "set"), ["setbacking off: 2 instances"]);
    for (const path of ["far", "many", "free", "left", "temp"]) assert.deepEqual(await warned(page, path), [], path);
    await server.send("delta", { seq: 2, at_ms: server.time(), dead_letters: 3, nodes: [], removed: [] });
    await server.send("event", { path: "far", at_ms: server.time(), incarnation: 1, event: "dead_letter", message: "Job", reason: "ended" });
    await until(page, "dead letters", () => /3 dead letters: in the last minute/.test(document.querySelector("#warnlist").textContent));
    assert.match((await warned(page, "far")).join(), /3 dead letters/);
    assert.equal(await page.textContent("#dead"), "3");
  });
});

test("nodes are listed, with what waits for one", async () => {
  const network = {
    nodes: [
      { name: "host-7#1", role: "worker", children: 1, capacity: 100, lease_left_ms: 60000, round_trip_us: 310, build: "1.4.2" },
      { name: "<b>host-8</b>", role: "worker", children: 2, capacity: null, round_trip_us: 2500, build: "" },
    ],
    refused: [{ name: "host-3#1", why: "<i>another protocol</i>" }],
    waiting: [{ role: "edge", children: 3 }],
  };
  const root = tree([
    node("pricing", { runs_on: "host-7#1", window: 3 }),
    node("gateway", { state: "starting", waits_for_node: { role: "edge", since_ms: 4000 } }),
  ]);
  const lines = (page) => page.evaluate(() => [...document.querySelectorAll("#nodelist li")].map((li) => li.textContent));
  await on({ root, network }, async (page, server) => {
    await live(page);
    const [waits, refused, first, second] = await lines(page);
    assert.equal(waits, "3 children wait for a node with the role edge");
    assert.equal(refused, "host-3#1 refused: <i>another protocol</i>");
    assert.match(first, /^host-7#1 worker, 1 of 100 children, lease ((60|5\d)\.\ds|1m.*), answers in 310 µs, build 1\.4\.2$/);
    assert.match(second, /^<b>host-8<\/b> worker, 2 children, answers in 2\.5 ?ms$/);
    assert.match((await warned(page, "gateway")).join(), /^gatewayno node: with the role edge for \ds$/);
    assert.deepEqual(await warned(page, "Shop"), ["Shopno node: with the role edge for 2 instances"]);
    assert.match(await page.textContent("#body"), /on host-7#1, 3 sent/);
    // A delta without a network changes none.
    await server.send("delta", { seq: 2, at_ms: server.time(), dead_letters: 0, nodes: [], removed: [] });
    await server.send("event", { path: "pricing", at_ms: server.time(), incarnation: 1, event: "placed", node: "host-7#1" });
    assert.equal((await lines(page)).length, 4);
    await server.send("delta", { seq: 3, at_ms: server.time(), dead_letters: 0, nodes: [], removed: [], network: { nodes: [], waiting: [] } });
    await until(page, "no nodes", () => document.querySelector("#nodelist").textContent === "no nodes");
  });
  await on({ root: tree([node("db")]) }, async (page) => {
    await live(page);
    assert.equal(await page.evaluate(() => document.querySelector("#nodes").hidden), true);
  });
});

test("the detail shows the outage that uses the limit up, and what ends then", async () => {
  const limit = (more) => ({ restarts: { used: 0, max: 5, within_ms: 60000, shared: false, on_limit: "escalate", ...more } });
  const nodes = [
    node("root", limit({ outage_ms: 5110, outage_most_ms: 5110 })),
    node("jitter", limit({ outage_ms: 3100, outage_most_ms: 3720 })),
    node("slots", limit({ outage_ms: 5000, outage_most_ms: null })),
    node("patient", limit({})),
    node("own", limit({ on_limit: "stop", outage_ms: 300000, outage_most_ms: 300000 })),
    node("never", limit({ max: 0, outage_ms: 0, outage_most_ms: 0 })),
    node("free", { restarts: { used: 0, max: null, within_ms: null } }),
    node("once", { lifecycle: "temporary", ...limit({ outage_ms: 5110, outage_most_ms: 5110 }) }),
    node("below", { kind: "tree", children: [node("below/leaf", limit({ outage_ms: 400, outage_most_ms: 400 }))] }),
  ];
  const wanted = {
    root: "the tree ends after 5.1s of outage", jitter: "the tree ends after 3.1s to 3.7s of outage",
    slots: "the tree ends after 5.0s of outage at the soonest", patient: "no outage uses it up",
    own: "it ends after 5m of outage", never: "the tree ends at its first failure", free: "", once: "",
    "below/leaf": "below fails after 0.4s of outage",
  };
  await on({ root: tree(nodes) }, async (page) => {
    await live(page);
    for (const [path, words] of Object.entries(wanted)) {
      await page.click(row(path));
      await until(page, `the detail of ${path}`, (path) => document.querySelector("#detail h2")?.textContent === path, path);
      const shown = () => page.evaluate(() => [...document.querySelectorAll("#detail dt")].find((dt) => dt.textContent === "outage" && !dt.hidden)?.nextElementSibling.textContent ?? "");
      assert.equal(await shown(), words, path);
    }
  });
});

test("events of nodes are told in words", async () => {
  const of = (at, event, more) => ({ path: "db", at_ms: at, incarnation: 1, event, node: "host-9#1", ...more });
  const events = [
    of(60100, "node_joined", { role: "edge", build: "<u>" }), of(60200, "node_left"), of(60300, "node_refused", { why: "<u>" }),
  ];
  const routes = (at) => (at === "detail.json" ? { at_ms: 60500, node: node("db"), spec: null, events } : undefined);
  await on({ root: tree([node("db")]), routes }, async (page) => {
    await live(page);
    await page.click(`${row("db")} .label`);
    await until(page, "all three", () => document.querySelectorAll("#detail .time li").length === 3);
    const [last, second, first] = await page.evaluate(() => [...document.querySelectorAll("#detail .time li")].map((li) => li.textContent));
    assert.match(first, /node host-9#1 joined as edge, build <u>/);
    assert.match(second, /node host-9#1 left/);
    assert.match(last, /node host-9#1 is refused: <u>/);
  });
});

test("a limit that is reached says whether any restart is allowed", async () => {
  const limit = (at, max) => ({ path: "db", at_ms: at, incarnation: 1, event: "limit_reached", max_restarts: max });
  const events = [limit(60100, 3), limit(60500, 0)];
  const routes = (at) => (at === "detail.json" ? { at_ms: 60500, node: node("db"), spec: null, events } : undefined);
  await on({ root: tree([node("db")]), routes }, async (page) => {
    await live(page);
    await page.click(`${row("db")} .label`);
    await until(page, "both", () => document.querySelectorAll("#detail .time li").length === 2);
    const [last, first] = await page.evaluate(() => [...document.querySelectorAll("#detail .time li")].map((li) => li.textContent));
    assert.match(first, /the restart limit is reached/);
    assert.match(last, /no restart is allowed/);
  });
});

test("an event that comes while the detail is under way is shown once", async () => {
  const event = (at, kind) => ({ path: "db", at_ms: at, incarnation: 1, event: kind });
  let server, answer;
  const answered = new Promise((go) => { answer = go; });
  const options = {
    root: tree([node("db")]),
    routes: (at) => {
      if (at !== "detail.json") return undefined;
      answer();
      return { at_ms: 60500, node: node("db"), spec: null, events: [event(60100, "started"), event(60500, "restarted")] };
    },
  };
  server = await mock(options);
  const page = await open(browser, server.url);
  await live(page);
  await page.route("**/detail.json*", async (route) => {
    // On the way: one that is in the answer, and two alike that are not.
    await server.send("event", event(60500, "restarted"));
    await server.send("event", event(60600, "limit_reached"));
    await server.send("event", event(60600, "limit_reached"));
    await until(page, "they have come", () => document.querySelectorAll("#detail .time li").length >= 3);
    await route.continue();
  });
  await page.click(`${row("db")} .label`);
  await answered;
  await until(page, "all", () => document.querySelectorAll("#detail .time li").length === 4);
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#detail .time li")].map((li) => li.dataset.event)), ["limit_reached", "limit_reached", "restarted", "started"]);
  await page.done();
  await server.stop();
});

test("a refusal is shown in the server's words, and the token is asked for again only if it is about the token", async () => {
  let refusal = { status: 403, error: "another site asks for this; open the console itself" };
  const routes = (at) => (at === "control" ? refusal : undefined);
  await on({ root: tree([node("db")]), info: { control: true }, routes }, async (page) => {
    await live(page);
    await page.click(`${row("db")} .label`);
    await page.click('#detail [data-operation="restart"]');
    await page.fill('dialog input[name="token"]', "a-token-to-act-0815");
    const refused = async (words) => {
      await page.click('dialog button[type="submit"]');
      await until(page, words, (words) => document.querySelector("dialog[open] .error:not([hidden])")?.textContent === words, words);
      return page.evaluate(() => document.querySelector('dialog[open] input[name="token"]').value);
    };
    assert.equal(await refused("The server refuses: another site asks for this; open the console itself"), "a-token-to-act-0815");
    refusal = { status: 409, error: "db has not ended" };
    await refused("The tree refuses: db has not ended");
    assert.equal(await page.isVisible('dialog input[name="token"]'), false);
    refusal = { status: 403, error: "the proxy lets nobody act" };
    await refused("The server refuses: the proxy lets nobody act");
    assert.equal(await page.isVisible('dialog input[name="token"]'), false);
    refusal = { status: 403, error: "this is not the token for control", control: "token" };
    assert.equal(await refused("The server refuses: this is not the token for control"), "");
    assert.equal(await page.isVisible('dialog input[name="token"]'), true);
  });
});

test("it works below any prefix with a slash at the end", async () => {
  await on({ root: tree([node("db")]) }, async (page, server) => {
    await live(page);
    assert.ok(server.requests.every(({ url }) => /^\/a\/b%20c\/(info\.json|live)?$/.test(url)), JSON.stringify(server.requests.map(({ url }) => url)));
  }, { path: "a/b%20c/" });
});

test("the look of an ended tree, and of one without children", async () => {
  await on({ root: tree([]) }, async (page, server) => {
    await live(page);
    assert.deepEqual(await rows(page), ["Shop"]);
    await server.send("end", { ended: { why: "failed", failure: { path: "db", incarnation: 3, phase: "running", cause: "error", chain: ["boom"] } } });
    await until(page, "the end", () => document.querySelector("#banner").textContent === "The tree has ended: failed. What you see is its last state.");
    assert.deepEqual(await axe(page), []);
  });
});

test("a screen reader hears of a storm of failures, but not of each", async () => {
  await on({ root: tree([node("db")]) }, async (page, server) => {
    await live(page);
    await page.evaluate(() => { window.heard = []; new MutationObserver(() => window.heard.push(document.querySelector("#say").textContent)).observe(document.querySelector("#say"), { childList: true, characterData: true, subtree: true }); });
    for (let i = 0; i < 200; i++) await server.send("event", { path: "db", at_ms: server.time(), incarnation: i, event: "failed", failure: { path: "db", incarnation: i, phase: "running", cause: "error", chain: ["boom"] } });
    await until(page, "the summary", () => window.heard.some((text) => /db failed: boom; and \d+ other changes/.test(text)));
    assert.ok(await page.evaluate(() => window.heard.length) <= 3);
  });
});
