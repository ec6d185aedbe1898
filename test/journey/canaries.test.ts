import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeWorld } from "../../fixtures/world.ts";
import { openOptOutStore } from "../../snapshots/optouts/opt-out-store.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { proKeyIn, startTestServer } from "../proxy/support/started-server.ts";
import { allBytes, type Canary, canaryLines, createCanarySearch, makeCanaries } from "../support/canaries.ts";
import { runGovdata } from "../support/run-in-process.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-canaries-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const archive = join(root, "archive");
const home = join(root, "home");
const proxyHome = join(root, "proxy");
const snapshots = join(root, "published");
const optouts = join(home, "optouts.db");
const registry = join(archive, "registry.yaml");
const SPACES = ["tidewater-credit.example"];
const said: string[] = [];

const world = writeWorld({ directory: archive, seed: "canaries", endDay: "2026-10-31", spaceIds: SPACES });

/** Wallets that vote or stand in a list, and are nobody's yet: canaries that leave traces in the data. */
function unownedWallets(): readonly string[] {
  const owned = new Set(world.entities.flatMap((entity) => entity.wallets));
  const texts = ["votes", "delegates"].flatMap((folder) =>
    readdirSync(join(archive, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8")),
  );
  const wallets = texts.flatMap((text) => text.match(/0x[0-9a-f]{40}(?![0-9a-f])/g) ?? []);
  return [...new Set(wallets)].filter((wallet) => !owned.has(wallet));
}

const wallets = unownedWallets();
const canaries = makeCanaries(1000, wallets.slice(0, 700));
const isEarly = (index: number) => index % 2 === 0;
const early = canaries.filter((_canary, index) => isEarly(index));
const late = canaries.filter((_canary, index) => !isEarly(index));
const search = {
  early: createCanarySearch(early),
  late: createCanarySearch(late),
  all: createCanarySearch(canaries),
};

async function govdata(...args: readonly string[]): Promise<void> {
  const places = ["--home", home, "--snapshots", snapshots, "--registry", registry];
  const end = await runGovdata([...places, "-v", ...args]);
  said.push(end.stdout, end.stderr);
  expect(end.code, end.stderr).toBe(0);
}
const publish = (...more: readonly string[]) => govdata(...more, "--as-of", world.asOf);

/** Places that name one of these canaries. */
const hits = (directory: string, searches: ReturnType<typeof createCanarySearch>) =>
  allBytes(directory).flatMap(({ path, bytes }) => {
    const count = searches.names(bytes) + searches.wallets(bytes);
    return count === 0 ? [] : [`${path}: ${count}`];
  });

async function startProxy() {
  const logLines: string[] = [];
  const logStream = { write: (line: string) => void logLines.push(line) };
  const server = await startTestServer(
    { home: proxyHome, snapshots, optouts },
    { nowMs: () => Date.now(), environment: { GOVDATA_PROXY_ADMIN_PORT: "0" }, logStream },
  );
  return { server, logLines, key: proKeyIn(proxyHome, Date.now()) };
}

/** Everything a caller can ask for that could name somebody. */
function urlsToAsk(asked: readonly Canary[]): readonly string[] {
  const listings = SPACES.flatMap((space) => {
    const dates = readdirSync(join(archive, "delegates", space)).map((name) => name.replace(".json", ""));
    const queries = [...dates.slice(-5).map((date) => `date=${date}&limit=100`), "limit=100"];
    return [...queries, "tier=T2&limit=100"].map((query) => `/v1/daos/${space}/delegates?${query}`);
  });
  return [
    "/v1/daos",
    "/v1/dgi",
    "/v1/dgi/history",
    "/readyz",
    ...SPACES.flatMap((space) => [`/v1/daos/${space}`, `/v1/daos/${space}/risk`]),
    ...listings,
    ...asked.map(({ entityId }) => `/v1/entities/${entityId}`),
    ...asked.map(({ wallet }) => `/v1/entities?wallet=${wallet}`),
  ];
}

/** Requests under way at once: their quota is then committed together. */
const AT_ONCE = 100;

/** What a proxy answers: rows of delegates by their URLs, the rest as it comes. */
interface Answers {
  readonly delegates: ReadonlyMap<string, { readonly etag: string | null; readonly body: string }>;
  readonly rest: Buffer;
  readonly statuses: ReadonlyMap<number, number>;
}

async function answersOf(asked: readonly Canary[]): Promise<Answers> {
  const { server, logLines, key } = await startProxy();
  const delegates = new Map<string, { readonly etag: string | null; readonly body: string }>();
  const chunks: Buffer[] = [];
  const statuses = new Map<number, number>();
  const ask = async (url: string): Promise<void> => {
    const answer = await fetch(`${server.address}${url}`, { headers: { "x-api-key": key } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    chunks.push(Buffer.from(JSON.stringify([...answer.headers])));
    if (!url.includes("/delegates")) chunks.push(bytes);
    else delegates.set(url, { etag: answer.headers.get("etag"), body: bytes.toString("utf8") });
  };
  try {
    const urls = urlsToAsk(asked);
    for (let index = 0; index < urls.length; index += AT_ONCE) {
      await Promise.all(urls.slice(index, index + AT_ONCE).map(ask));
    }
    const metrics = await (await fetch(`${server.adminAddress}/metrics`)).text();
    expect(metrics).toContain("govdata_proxy_requests_total");
    said.push(metrics);
  } finally {
    await server.stop();
  }
  said.push(...logLines);
  return { delegates, rest: Buffer.concat(chunks), statuses };
}

/** All that was answered, rows of delegates among it. */
const bytesOf = ({ delegates, rest }: Answers) =>
  Buffer.concat([rest, ...[...delegates.values()].map(({ body }) => Buffer.from(body))]);

const DATASETS = ["daos", "tracked", "indicators", "proposals", "delegates", "entities", "dgi", "history"];

/** Exports and a full report of what is published now; the places in them that name a canary. A bare delegate is no name. */
async function madeFromPublished(): Promise<readonly string[]> {
  const made = mkdtempSync(join(root, "made-"));
  for (const dataset of DATASETS) await govdata("export", dataset, "-o", join(made, `${dataset}.csv`));
  await govdata("report", "--full", "-o", join(made, "report"));
  const files = allBytes(made);
  expect(files.length).toBeGreaterThan(DATASETS.length + 5);
  return files.flatMap(({ path, bytes }) => (search.all.names(bytes) === 0 ? [] : [path]));
}

describe("a thousand canaries", () => {
  let asPublished: Answers;

  it("are found where they may be named, so that the search works", async () => {
    expect(wallets.length).toBeGreaterThan(300);
    appendFileSync(registry, canaryLines(canaries, isEarly));
    await publish("run", "--from", archive);
    expect(hits(snapshots, search.late).length).toBeGreaterThan(500);
    asPublished = await answersOf(late.slice(0, 20));
    expect(search.late.names(asPublished.rest)).toBeGreaterThan(20);
    expect(search.late.wallets(bytesOf({ ...asPublished, rest: Buffer.alloc(0) }))).toBeGreaterThan(20);
  });

  it("that opted out before leave nothing that is published", () => {
    expect(hits(snapshots, search.early)).toEqual([]);
  });

  it("that opt out while the version is served are unknown at once, in every response, header and log", async () => {
    const book = openOptOutStore(optouts);
    for (const { entityId } of late) book.add(entityId, Date.now());
    book.close();
    said.length = 0;
    // The published version still names them; what is made of it now must not.
    expect(await madeFromPublished()).toEqual([]);
    const answers = await answersOf(canaries);
    expect([search.all.names(answers.rest), search.all.wallets(answers.rest)]).toEqual([0, 0]);
    expect(answers.statuses.get(404)).toBeGreaterThanOrEqual(2000);
    expect(answers.statuses.get(200)).toBeGreaterThan(10);
    // A row tells a name that its owner gave the wallet on the chain, and no label or id. Were the name to go away under
    // the same version, two answers would tell who opted out, and when.
    expect(answers.delegates).toEqual(asPublished.delegates);
    expect(search.all.names(bytesOf(answers))).toBe(0);
  });

  it("are nowhere in what is published next, and after `redact` in no kept byte", async () => {
    await publish("publish");
    const { version = "none" } = readPointer(snapshots) ?? {};
    expect(hits(join(snapshots, version), search.all)).toEqual([]);
    const bytes = bytesOf(await answersOf(canaries));
    expect([search.all.names(bytes), search.all.wallets(bytes)]).toEqual([0, 0]);
    await govdata("redact");
    expect(hits(snapshots, search.all)).toEqual([]);
    for (const kept of versionNames(readdirSync(snapshots))) {
      expect((await verifySnapshot(snapshots, { version: kept, deep: true })).problems).toEqual([]);
    }
    await publish("publish");
    expect(hits(snapshots, search.all)).toEqual([]);
  });

  it("are in no database, log or memory of either program, but for the voters of the warehouse", () => {
    expect(hits(proxyHome, search.all)).toEqual([]);
    const kept = allBytes(home);
    expect(kept.map(({ path }) => path)).toEqual(expect.arrayContaining(["optouts.db", "warehouse.db"]));
    for (const { path, bytes } of kept) {
      expect([path, search.all.names(bytes)]).toEqual([path, 0]);
      if (!path.startsWith("warehouse.db")) expect([path, search.all.wallets(bytes)]).toEqual([path, 0]);
    }
    const log = Buffer.from(said.join("\n"));
    expect(log.length).toBeGreaterThan(1000);
    expect([search.all.names(log), search.all.wallets(log)]).toEqual([0, 0]);
  });
});
