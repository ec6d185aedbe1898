import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Diagnosis } from "../../../pipeline/upkeep/doctor.ts";
import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { sampleSpace } from "../../support/fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../../support/fake-hub/start-fake-hub.ts";
import { govdata, makeStands } from "../cli/stand.ts";
import { address as addressOf, TOKEN } from "../warehouse/sample-facts.ts";

const { fresh } = await makeStands();
const setup = fresh();
const REGISTRY = join(setup.directory, "live.yaml");

let hub: FakeHub;
/** What the node answers: its chain, or a refusal. */
const served = { chain: "0x1" as string | undefined };
let nodeUrl: string;

/** A server that answers each request with JSON; it ends with the tests. */
async function startJsonServer(answerTo: (body: string) => object): Promise<string> {
  const server = createServer(async (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answerTo(await text(request))));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const servers: Server[] = [];

beforeAll(async () => {
  hub = await startFakeHub();
  const node = await startJsonServer(() => {
    const { chain } = served;
    const answer = chain === undefined ? { error: { code: -32_000, message: "secret" } } : { result: chain };
    return { jsonrpc: "2.0", id: 1, ...answer };
  });
  nodeUrl = `${node}/secret`;
  const address = (digits: string) => `"0x${digits.repeat(20)}"`;
  writeFileSync(
    REGISTRY,
    `daos:
  - { space_id: a.eth, name: A, category: social }
  - { space_id: b.eth, name: B, category: defi, governor: { kind: erc20votes, chain_id: 1, token: ${address("70")}, decimals: 18, clock: blocknumber, first_block: 1 } }
`,
  );
  hub.store.putSpace(sampleSpace({ id: "a.eth" }));
  hub.store.putSpace(sampleSpace({ id: "b.eth" }));
});
afterAll(async () => {
  await hub.close();
  for (const server of servers) server.close();
});

type Variables = Readonly<Record<string, string>>;

const places = ["--home", setup.home, "--snapshots", setup.snapshots, "--registry", REGISTRY];

/** What doctor finds in an area with these variables. */
async function factOf(area: string, environment: Variables) {
  const { stdout } = await govdata([...places, "doctor", "--json"], { environment });
  expect(stdout).not.toContain("secret");
  return (JSON.parse(stdout) as Diagnosis).checks.find((check) => check.area === area);
}
async function lineOf(area: string, environment: Variables): Promise<string> {
  const fact = await factOf(area, environment);
  return `${fact?.verdict}: ${fact?.message}`;
}
const live = (more: Variables = {}): Variables => ({
  GOVDATA_SOURCE: "snapshot-hub,governor",
  GOVDATA_FROM: hub.url,
  GOVDATA_RPC_1: nodeUrl,
  GOVDATA_HUB_KEY: "good",
  ...more,
});

it("sends one cheap request with its key to a hub, and asks each node for its chain", async () => {
  hub.forget();
  expect(await lineOf("sources", live())).toBe(
    "ok: snapshot-hub, governor; the hub answers and has 2 of 2 spaces; " +
      "fetching them all takes at most 1 request and 1 minute",
  );
  expect(hub.arrived.map(({ operation, key }) => `${operation} ${key}`)).toEqual(["Spaces good"]);
  expect(await lineOf("nodes", live())).toBe("ok: 1 of 1 nodes answer");
});

it.each<{ why: string; given: () => Variables; line: RegExp; next?: string }>([
  { why: "nothing is named", given: () => ({}), line: /^ok: not asked: .* snapshot-hub$/ },
  {
    why: "an archive without a folder",
    given: () => ({ GOVDATA_SOURCE: "archive" }),
    line: /^fail: .* needs --from/,
  },
  {
    why: "a folder that is not there",
    given: () => ({ GOVDATA_FROM: "nowhere" }),
    line: /^fail: GOVDATA_FROM is not the folder of an archive$/,
  },
  {
    why: "a hub that is no address",
    given: () => live({ GOVDATA_FROM: "hub" }),
    line: /^fail: --from must be/,
  },
  {
    why: "a wrong key",
    given: () => live({ GOVDATA_HUB_KEY: "secret" }),
    line: /^fail: the hub refused the key/,
  },
  {
    why: "a hub that is away",
    given: () => live({ GOVDATA_FROM: "http://127.0.0.1:1/graphql" }),
    line: /^fail: http:\/\/127\.0\.0\.1:1 refused the connection$/,
    next: "Check that GOVDATA_FROM is the hub's URL and reachable.",
  },
])("sources: $why", async ({ given, line, next }) => {
  expect(await lineOf("sources", given())).toMatch(line);
  if (next !== undefined) expect((await factOf("sources", given()))?.next).toBe(next);
});

it("warns of a space that the hub does not know", async () => {
  hub.store.spaces.delete("b.eth");
  expect(await lineOf("sources", live())).toContain(
    "warn: snapshot-hub, governor; the hub answers and has 1 of 2",
  );
  hub.store.putSpace(sampleSpace({ id: "b.eth" }));
});

it.each([
  { why: "another chain", chain: "0xa", line: "fail: chain 1: the node serves chain 10" },
  { why: "a refusal", line: "fail: chain 1: the node refused eth_chainId with code -32000" },
  {
    why: "no node",
    chain: "0x1",
    more: { GOVDATA_RPC_1: "" },
    line: "fail: chain 1: no node is configured (GOVDATA_RPC_1)",
  },
  {
    why: "no governor",
    chain: "0x1",
    more: { GOVDATA_SOURCE: "snapshot-hub" },
    line: "ok: not checked: no chain is read",
  },
])("nodes: $why", async ({ chain, more = {}, line }) => {
  served.chain = chain;
  expect(await lineOf("nodes", live(more as Variables))).toBe(line);
  served.chain = "0x1";
});

it("`dao check` goes through the DAOs in order, and on after one that fails", async () => {
  hub.store.putSpace(sampleSpace({ id: "a.eth", name: "Ay" }));
  const environment = { GOVDATA_FROM: hub.url, GOVDATA_RPS: "1000", GOVDATA_RPC_1: nodeUrl };
  served.chain = undefined;
  const end = await govdata([...places, "--json", "dao", "check"], { environment });
  const rows = JSON.parse(end.stdout) as { spaceId: string; part: string; status: string }[];
  expect(rows.map(({ spaceId, part, status }) => `${spaceId} ${part} ${status}`)).toEqual([
    "a.eth space renamed",
    "b.eth space renamed",
    "b.eth strategies not-checked",
    "b.eth chain failed",
  ]);
  expect(end.stdout).not.toContain("secret");
  expect(end.stderr).toContain("stage=check done=1/2 space=a.eth renamed=1\n");
});

it.each([
  { why: "no address", url: "", line: "ok: not checked: GOVDATA_DELEGATES is not set" },
  { why: "no URL", url: "here", line: "fail: GOVDATA_DELEGATES is not a URL" },
  { why: "nobody there", url: "http://127.0.0.1:1", line: "fail: http://127.0.0.1:1 refused the connection" },
])("delegates: $why", async ({ url, line }) => {
  expect(await lineOf("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(line);
});

it("reports how far the delegates service differs from what was read from a node", async () => {
  const totals = { _indexer: "eth", id: TOKEN, currentDelegates: 3, delegatedVotesRaw: "101" };
  const url = await startJsonServer((body) => {
    const blocks = [{ indexer: "eth", value: "9" }];
    return { data: body.includes("_metadatas") ? { _metadatas: blocks } : { governances: [totals] } };
  });
  const has = "the delegates service has the tokens of 1 of 1 DAOs";
  expect(await lineOf("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(`ok: ${has}`);
  mkdirSync(setup.home, { recursive: true, mode: 0o700 });
  const warehouse = openWarehouse(join(setup.home, "warehouse.db"));
  const fetch = warehouse.beginSpaceFetch({ spaceId: "b.eth", sourceId: "archive", fetchedAtMs: 1 });
  const events = [
    { delegate: 1, before: 0n, after: 70n },
    { delegate: 2, before: 0n, after: 30n },
    { delegate: 3, before: 0n, after: 5n },
    { delegate: 3, before: 5n, after: 0n },
  ].map(({ delegate, ...votes }, logIndex) => ({
    ...{ kind: "votes-changed" as const, blockNumber: 1, blockTimeMs: 1, logIndex, ...votes },
    delegate: addressOf(delegate),
  }));
  fetch.put({ kind: "delegation-events", token: TOKEN, events });
  fetch.commit();
  warehouse.close();
  const differs = "b.eth: 3 delegates and 2 read from the node; power differs by";
  expect(await lineOf("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(`ok: ${has}\n${differs} 1.00 %`);
  totals.delegatedVotesRaw = "98";
  expect(await lineOf("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(`warn: ${has}\n${differs} 2.00 %`);
});
