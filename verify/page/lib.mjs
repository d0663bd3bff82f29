// What the tests share: the browser, the servers, and waiting for a condition.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TARGET = process.env.CARGO_TARGET_DIR ?? `${ROOT}target`;
// Among what is built, not here: a check that reads every file of the project would read the packages too.
const packages = createRequire(`${TARGET}/page/`);
const { chromium } = packages("playwright-core");
const AXE = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

export const launch = () => chromium.launch({ executablePath: "/usr/bin/chromium", args: FLAGS.split(" ") });

/** A port that was free a moment ago. */
export function freePort() {
  return new Promise((go) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => { const { port } = server.address(); server.close(() => go(port)); });
  });
}

/** Starts a built example, and waits for the line that says that it listens. */
export async function serve(example, args, line) {
  const child = spawn(`${TARGET}/debug/examples/${example}`, args, { stdio: ["ignore", "pipe", "inherit"] });
  const over = new Promise((go) => child.once("exit", go));
  await new Promise((go, fail) => {
    let text = "";
    child.stdout.on("data", (bytes) => { text += bytes; if (line.test(text)) go(); });
    child.once("error", fail);
    over.then((code) => fail(new Error(`${example} has ended with ${code}: ${text}`)));
    setTimeout(() => fail(new Error(`${example} says nothing: ${text}`)), 60000).unref();
  });
  return { kill: () => { child.kill("SIGKILL"); return over; } };
}

/** The tree of the tests. `act("fail", "db")` lets a child fail. */
export async function shop(args = [], port = undefined) {
  port ??= await freePort();
  const server = await serve("page_tests", [`127.0.0.1:${port}`, ...args], /ready at/);
  server.port = port;
  server.url = `http://127.0.0.1:${port}/`;
  server.act = async (word, path) => {
    const answer = await fetch(`${server.url}do/${word}/${path}`, { method: "POST" });
    assert.equal(answer.status, 200, `${word} ${path}`);
  };
  return server;
}

/** Opens a page that fails the test if a script fails, or the policy of the page blocks anything. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.faults = [];
  page.urls = [];
  page.on("pageerror", (error) => page.faults.push(String(error.stack)));
  page.on("console", (message) => { if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) page.faults.push(message.text()); });
  page.on("request", (request) => page.urls.push(request.url()));
  await page.goto(url);
  page.done = async () => { assert.deepEqual(page.faults, []); await context.close(); };
  return page;
}

export const live = (page) => until(page, "live", () => document.querySelector("#conntext").textContent === "live");

export const row = (path) => `#body [role="row"][data-path="${path}"]`;
export const cell = (path, column) => `${row(path)} [data-col="${column}"]`;

/** The text of a cell; empty if there is none. */
export const text = (page, path, column) => page.evaluate((selector) => document.querySelector(selector)?.textContent ?? "", cell(path, column));

/** The paths of the rows, from the top. */
export const rows = (page) => page.evaluate(() => [...document.querySelectorAll('#body [role="row"]')].map((row) => row.dataset.path));

/** Waits until `what` is so. Says what was expected if it never is. */
export async function until(page, what, condition, argument, within = 30000) {
  const begun = Date.now();
  for (;;) {
    const found = await page.evaluate(condition, argument);
    if (found) return found;
    if (Date.now() - begun > within) assert.fail(`not within ${within} ms: ${what}\n${await page.evaluate(() => document.body.innerText.slice(0, 1500))}`);
    await new Promise((go) => setTimeout(go, 60));
  }
}

/** Opens a set. A warning that appears meanwhile moves the rows, so a click may meet nothing. */
export async function openSet(page, path) {
  for (let tries = 0; ; tries++) {
    await page.click(`${row(path)} .count`);
    try {
      await until(page, `${path} is open`, (path) => new URLSearchParams(location.hash.slice(1)).getAll("set").includes(path), path, 5000);
      return;
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

export const untilText = (page, path, column, pattern, within) => until(page, `${path} ${column} ${pattern}`,
  ([selector, source]) => { const text = document.querySelector(selector)?.textContent ?? ""; return new RegExp(source).test(text) && text; },
  [cell(path, column), pattern.source], within);

/** The texts of the warnings about a child. */
export const warned = (page, path) => page.evaluate((path) => [...document.querySelectorAll("#warnlist button")].filter((button) => button.dataset.path === path).map((button) => button.textContent), path);

/** What axe finds. */
export async function axe(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join("\n")}`);
}
