import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { METRICS } from "../../../proxy/observe/metrics.ts";
import { ENDPOINTS } from "../../../proxy/routes/all.ts";
import { createAdmin } from "../../../proxy/server/admin.ts";
import { FIXTURE_ENTITY_ID, walletOf } from "../../support/published-set.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { parsePrometheus, sampleIn } from "../support/prometheus-text.ts";
import { makeKey, type ProxyPlaces, type ProxyProcess, startProxyProcess } from "../support/proxy-process.ts";
import { rawRequest } from "../support/raw-request.ts";
import { startTestServer } from "../support/started-server.ts";

const { folder, published } = folderWithFixture();

describe("the operator's listener of a real process", () => {
  let proxy: ProxyProcess;
  let key: string;
  const places: ProxyPlaces = {
    home: join(mkdtempSync(join(folder, "admin-")), "home"),
    snapshots: published,
    optouts: join(folder, "optouts.db"),
  };
  beforeAll(async () => {
    key = await makeKey(places, "--account", "canary-account", "--tier", "pro");
    proxy = await startProxyProcess(places, {
      args: ["--admin-port", "0"],
      environment: { GOVDATA_PROXY_DRAIN_SECONDS: "0", GOVDATA_PROXY_PROT: "1" },
    });
  });
  afterAll(async () => {
    expect(await proxy.stop()).toBe(0);
  });
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${proxy.address}${path}`, { headers: { connection: "close", ...headers } });
  const scrape = async () => (await fetch(`${proxy.adminAddress}/metrics`)).text();

  it("tells what happened, readable to a scraper, and nothing that names anybody", async () => {
    const paths = [
      "/v1/daos",
      "/v1/daos",
      `/v1/entities/${FIXTURE_ENTITY_ID}`,
      "/v1/canary-path?canary-query=1",
      "/v1/daos/quiet-reef",
    ];
    for (const path of paths) await (await ask(path, { "x-api-key": key })).arrayBuffer();
    await (await ask(`/v1/entities?wallet=${walletOf(1)}`)).arrayBuffer();
    await (await ask("/v1/daos", { "x-api-key": `${key.slice(0, -1)}_` })).arrayBuffer();
    await rawRequest(proxy.address, "CANARY-BYTES\r\n\r\n");
    const text = await scrape();
    const told = parsePrometheus(text);

    const requests = (route: string, status: string, tier: string) =>
      sampleIn(told, "govdata_proxy_requests_total", { route, status, tier });
    expect(requests("/v1/daos", "200", "pro")).toBe(2);
    expect(requests("/v1/daos", "401", "none")).toBe(1);
    expect(requests("unmatched", "404", "pro")).toBe(1);
    for (const [situation, code] of [
      ["key-missing", "MISSING_API_KEY"],
      ["key-invalid", "INVALID_API_KEY"],
      ["dao-unscored", "NOT_SCORED"],
      ["request-malformed", "INVALID_REQUEST"],
    ] as const)
      expect(sampleIn(told, "govdata_proxy_refusals_total", { situation, code }), situation).toBe(1);
    expect(sampleIn(told, "govdata_proxy_request_duration_seconds_count", { route: "/v1/daos" })).toBe(3);
    expect(sampleIn(told, "govdata_proxy_quota_commit_size_sum")).toBe(5);
    expect(sampleIn(told, "govdata_proxy_quota_commit_failures_total")).toBe(0);
    expect(sampleIn(told, "govdata_proxy_snapshot_sequence")).toBe(1);
    expect(sampleIn(told, "govdata_proxy_snapshot_age_seconds")).toBeGreaterThan(0);
    expect(sampleIn(told, "govdata_proxy_snapshot_refused")).toBeUndefined();
    expect(sampleIn(told, "govdata_proxy_entities_withheld")).toBe(1);
    expect(sampleIn(told, "govdata_proxy_requests_in_flight")).toBe(0);
    expect(sampleIn(told, "govdata_proxy_log_lines_dropped_total", { reason: "sampled" })).toBe(0);
    expect(sampleIn(told, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
    expect([...told.types.keys()]).toEqual(expect.arrayContaining(Object.keys(METRICS)));

    const routes = [...ENDPOINTS.map(({ url }) => url), "unmatched", "other", "/healthz", "/readyz"];
    for (const { labels } of told.samples)
      if (labels["route"] !== undefined) expect(routes).toContain(labels["route"]);
    const canaries = [key, key.slice(9, 30), "canary", "key_", FIXTURE_ENTITY_ID, walletOf(1), places.home];
    for (const canary of canaries) expect(text.toLowerCase(), canary).not.toContain(canary.toLowerCase());
  });

  it("is not on the public listener, with or without a key", async () => {
    for (const path of ["/metrics", "/v1/metrics", "//metrics", "/v1/../metrics", "/%6detrics"])
      for (const headers of [{}, { "x-api-key": key }]) {
        const answer = await ask(path, headers);
        expect(answer.status, path).toBeGreaterThanOrEqual(400);
        expect(await answer.text()).not.toContain("govdata_proxy_");
      }
  });

  it("warns of a variable that it does not know", () => {
    expect(proxy.log()).toContain("warning: GOVDATA_PROXY_PROT is not a variable of this program");
  });
});

/** What the operator's listener answers to these bytes, where numbers are made so. */
async function toAdmin(sent: string, text = async () => "numbers\n") {
  const errors: unknown[] = [];
  const server = createAdmin({
    metrics: { text },
    readiness: () => ({ httpStatus: 503, body: { status: "unavailable" } }),
    onError: (error) => void errors.push(error),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const answer = await rawRequest(`http://127.0.0.1:${port}`, sent).catch(() => undefined);
  server.close();
  server.closeAllConnections();
  return { ...answer, errors };
}

const asked = (line: string, ...headers: readonly string[]) =>
  `${[`${line} HTTP/1.1`, "Host: x", ...headers].join("\r\n")}\r\n\r\n`;

describe("createAdmin", () => {
  it("ends a connection that asks in one breath, after two answers at most", async () => {
    let made = 0;
    const text = async () => {
      made += 1;
      return "numbers\n";
    };
    const flood = await toAdmin(asked("GET /metrics").repeat(500), text);
    expect(flood.text?.match(/HTTP\/1/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(made).toBeLessThanOrEqual(2);
    const two = await toAdmin(asked("GET /metrics") + asked("GET /metrics", "Connection: close"));
    expect(two.text?.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  });

  it.each([
    { why: "a body", sent: asked("POST /metrics", "Content-Length: 9"), status: 400 },
    {
      why: "a body of a GET, in chunks",
      sent: asked("GET /metrics", "Transfer-Encoding: chunked"),
      status: 400,
    },
    { why: "headers no scraper sends", sent: asked("GET /metrics", `A: ${"a".repeat(4096)}`), status: 431 },
  ])("answers $why with $status, and closes", async ({ sent, status }) => {
    expect(await toAdmin(sent)).toMatchObject({ status });
  });

  it.each([
    { why: "numbers", line: "GET /metrics", want: "200 numbers\n" },
    { why: "a query changes nothing", line: "GET /metrics?x=1", want: "200 numbers\n" },
    { why: "HEAD has no body", line: "HEAD /metrics", want: "200 " },
    { why: "not ready", line: "GET /readyz", want: '503 {"status":"unavailable"}\n' },
    { why: "alive", line: "GET /healthz", want: '200 {"status":"alive"}\n' },
    { why: "nothing of what is served", line: "GET /v1/daos", want: '404 {"status":"not found"}\n' },
    { why: "the root", line: "GET /", want: '404 {"status":"not found"}\n' },
    { why: "another method", line: "POST /metrics", want: '405 {"status":"method not allowed"}\n' },
    { why: "numbers that fail", line: "GET /metrics", want: '500 {"status":"failed"}\n', fails: true },
  ])("$why: $line", async ({ line, want, fails }) => {
    const text = fails ? () => Promise.reject(new Error("secret detail")) : undefined;
    const answer = await toAdmin(asked(line, "Connection: close"), text);
    expect(`${answer.status} ${answer.body}`).toBe(want);
    expect(answer.headers?.["cache-control"]).toBe("no-store");
    expect(answer.errors).toHaveLength(fails ? 1 : 0);
  });
});

it("the parser refuses what a scraper would", () => {
  const bad = [
    "no end",
    "# TYPE a counter\na{x=1} 1\n",
    "a 1\n",
    "# TYPE a counter\na 1\na 1\n",
    '# TYPE a counter\na{x="un"quoted"} 1\n',
    '# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    '# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n',
  ];
  for (const text of bad) expect(() => parsePrometheus(text), text).toThrow();
});

function start(environment: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(folder, "home-"));
  const lines: string[] = [];
  const logStream = { write: (line: string) => void lines.push(line) };
  const starting = startTestServer({ home, snapshots: join(home, "none") }, { environment, logStream });
  return { home, lines, starting };
}

describe("the address of the operator's listener", () => {
  it.each([
    { why: "none unless asked for" },
    { why: "a host alone is no wish for one", HOST: "::1" },
    { why: "loopback without a host", PORT: "0", address: "http://127.0.0.1:" },
    {
      why: "another one, with a warning",
      PORT: "0",
      HOST: "0.0.0.0",
      address: "http://0.0.0.0:",
      isWarned: true,
    },
  ])("$why", async ({ address, isWarned = false, HOST = "", PORT = "" }) => {
    const { lines, starting } = start({ GOVDATA_PROXY_ADMIN_HOST: HOST, GOVDATA_PROXY_ADMIN_PORT: PORT });
    const server = await starting;
    await server.stop();
    if (address === undefined) expect(server.adminAddress).toBeUndefined();
    else expect(server.adminAddress?.startsWith(address)).toBe(true);
    expect(lines.join("").includes("not on loopback")).toBe(isWarned);
  });

  it("is refused in plain words where another program listens, and nothing is left open", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { home, starting } = start({ GOVDATA_PROXY_ADMIN_PORT: String(port) });
    await expect(starting).rejects.toMatchObject({
      code: "ADDRESS_UNUSABLE",
      message: `Cannot listen on 127.0.0.1, port ${port}: another program is listening there.`,
      hint: expect.stringContaining("--admin-port"),
    });
    expect(existsSync(join(home, "keys.db-wal"))).toBe(false);
    other.close();
    await once(other, "close");
  });
});
