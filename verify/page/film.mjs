// Takes the frames of docs/images/heals.gif: a child of the console's demo that fails, waits, and is up again.
//
// The program is the example `console`, whose database fails after 400 queries. The frames begin a moment before that,
// and end a moment after its restart, so that the film can be shown in a loop.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { cell, freePort, launch, live, open, serve, text, until } from "./lib.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const port = await freePort();
const demo = await serve("console", ["--addr", `127.0.0.1:${port}`, "--sessions", "12"], /the console is at/);
const browser = await launch();
const page = await open(browser, `http://127.0.0.1:${port}/`, { viewport: { width: 1000, height: 500 } });
try {
  await live(page);

  const state = () => text(page, "db", "state");
  // The first failure is not shown: the page has no history of the seconds before it yet.
  await until(page, "a failure", (selector) => /back/i.test(document.querySelector(selector)?.textContent), cell("db", "state"), 60000);
  await until(page, "a restart", (selector) => /running/i.test(document.querySelector(selector)?.textContent), cell("db", "state"), 60000);

  const begun = Date.now();
  let number = 0;
  let failed;
  let healed;
  while (healed === undefined || Date.now() - healed < 2500) {
    const at = Date.now();
    const now = await state();
    if (failed === undefined && /back/i.test(now)) failed = at;
    if (failed !== undefined && healed === undefined && /running/i.test(now)) healed = at;
    if (at - begun > 90000) throw new Error(`the database is ${now} after 90 s`);
    await page.screenshot({ path: join(folder, `${String(number++).padStart(4, "0")}-${at - begun}.png`) });
    await new Promise((go) => setTimeout(go, Math.max(0, at + 500 - Date.now())));
  }
  console.log(`failed after ${failed - begun} ms, up again after ${healed - begun} ms, ${number} frames`);
} finally {
  await browser.close();
  await demo.kill();
}
