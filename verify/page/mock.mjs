// A server of made-up trees, for what a real one does only by accident: odd chunks, gaps, silence, hostile texts, 10,000 nodes.
// Tests of behaviour run against the real server.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const PAGE = new URL("../../supervise-console/page/index.html", import.meta.url);

const hash = (page, tag) => {
  const [, content] = page.match(new RegExp(`<${tag}(?: type="module")?>(.*?)</${tag}>`, "s"));
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
};

export function node(path, more = {}) {
  const name = path.split("/").pop();
  return {
    path, name, kind: "actor", state: "running", lifecycle: "permanent", incarnation: 1, up_since_ms: 0, streak: 0,
    declared_at: "src/shop.rs:12:9", settings: ["backoff(1s..30s)"],
    restarts: { used: 0, max: 5, within_ms: 60000 }, mailbox: { waiting: 0, capacity: 100, blocked: 0 },
    messages: { handled: 0, busy_us: 0, longest_us: 0 }, children: [], ...more,
  };
}

export function tree(children, more = {}) {
  return { path: "Shop", name: "Shop", kind: "tree", state: "running", lifecycle: "temporary", strategy: "one_for_one", incarnation: 1, streak: 0, children, ...more };
}

/** Starts a server. `routes(path, url, request)` answers JSON, or `{ status, error }`. */
export async function mock({ root = tree([]), network, info = {}, routes = () => undefined, chunk = 0, end = "\n" } = {}) {
  const begun = Date.now();
  const streams = new Set();
  const requests = [];
  let id = 0;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, "http://localhost");
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    const at = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    const json = (value, status = 200) => { response.writeHead(status, { "content-type": "application/json" }); response.end(JSON.stringify(value)); };
    if (at === "") {
      const page = readFileSync(PAGE, "utf8");
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": `default-src 'none'; script-src ${hash(page, "script")}; style-src ${hash(page, "style")}; img-src data:; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'`,
      });
      return response.end(page);
    }
    const own = routes(at, url, request);
    if (own !== undefined) return own.status ? json(own, own.status) : json(own);
    if (at === "info.json") return json({ name: root.name, look: "open", control: false, version: "0.0.0", protocol: 1, ...info });
    if (at === "live") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      streams.add(response);
      response.on("close", () => streams.delete(response));
      const seen = { seq: 1, at_ms: server.time(), dead_letters: 0, root: server.root, network };
      return server.write(response, "snapshot", seen);
    }
    if (at === "detail.json") {
      const all = [server.root];
      while (all.length) {
        const next = all.pop();
        if (next.path === url.searchParams.get("path")) return json({ at_ms: server.time(), node: { ...next, children: [] }, spec: null, events: [] });
        all.push(...next.children);
      }
    }
    json({ error: "no such path" }, 404);
  });
  server.root = root;
  server.requests = requests;
  server.streams = streams;
  server.time = () => Date.now() - begun + 60000;
  server.write = async (response, kind, data) => {
    const bytes = Buffer.from([`id: ${++id}`, `event: ${kind}`, `data: ${JSON.stringify(data)}`, "", ""].join(end));
    if (!chunk) return response.write(bytes);
    for (let i = 0; i < bytes.length; i += chunk) {
      response.write(bytes.subarray(i, i + chunk));
      await new Promise((go) => setImmediate(go));
    }
  };
  server.send = (kind, data) => Promise.all([...streams].map((stream) => server.write(stream, kind, data)));
  server.delta = (nodes, more = {}) => server.send("delta", { seq: 2, at_ms: server.time(), dead_letters: 0, nodes, removed: [], ...more });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  server.url = `http://127.0.0.1:${server.address().port}/`;
  server.stop = () => { server.closeAllConnections(); return new Promise((go) => server.close(go)); };
  return server;
}
