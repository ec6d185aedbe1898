import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { sampleSpace } from "../../support/fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../../support/fake-hub/start-fake-hub.ts";
import { govdata, makeStands } from "../cli/stand.ts";
import { address as addressOf, TOKEN } from "../warehouse/sample-facts.ts";

const { fresh } = await makeStands();
const setup = fresh();
const REGISTRY = join(setup.directory, "live.yaml");

let hub: FakeHub;
let node: Server;
const served = { chain: "0x1" as string | undefined };
let nodeUrl: string;

beforeAll(async () => {
  hub = await startFakeHub();
  node = createServer((request, response) => {
    request.resume().on("end", () => {
      const { chain } = served;
      const said = chain === undefined ? { error: { code: -32_000, message: "secret" } } : { result: chain };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...said }));
    });
  });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  nodeUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}/secret`;
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
  node.close();
});

/** What doctor says of an area with these variables. */
async function said(area: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const places = ["--home", setup.home, "--snapshots", setup.snapshots, "--registry", REGISTRY];
  const { stdout } = await govdata([...places, "doctor", "--json"], { environment });
  expect(stdout).not.toContain("secret");
  const { checks } = JSON.parse(stdout) as { checks: { area: string; verdict: string; message: string }[] };
  const check = checks.find((fact) => fact.area === area);
  return `${check?.verdict}: ${check?.message}`;
}
const live = (more: Readonly<Record<string, string>> = {}) => ({
  GOVDATA_SOURCE: "snapshot-hub,governor",
  GOVDATA_FROM: hub.url,
  GOVDATA_RPC_1: nodeUrl,
  GOVDATA_HUB_KEY: "good",
  ...more,
});

it("a hub is asked one cheap question with its key, and each node for its chain", async () => {
  hub.forget();
  expect(await said("sources", live())).toBe(
    "ok: snapshot-hub, governor; the hub answers and has 2 of 2 spaces; " +
      "fetching them all takes at most 1 request and 1 minute",
  );
  expect(hub.arrived.map(({ operation, key }) => `${operation} ${key}`)).toEqual(["Spaces good"]);
  expect(await said("nodes", live())).toBe("ok: 1 of 1 nodes answer");
});

it.each([
  { why: "nothing is named", given: {}, says: /^ok: not asked: .* snapshot-hub$/ },
  { why: "an unknown source", given: { GOVDATA_SOURCE: "hub" }, says: /^fail: --source is not one of/ },
  {
    why: "an archive without a folder",
    given: { GOVDATA_SOURCE: "archive" },
    says: /^fail: .* needs --from/,
  },
  {
    why: "a folder that is not there",
    given: { GOVDATA_FROM: "nowhere" },
    says: /^fail: GOVDATA_FROM is not the folder of an archive$/,
  },
  { why: "a rate that is none", given: () => live({ GOVDATA_RPS: "0" }), says: /^fail: GOVDATA_RPS is not/ },
  {
    why: "a hub that is no address",
    given: () => live({ GOVDATA_FROM: "hub" }),
    says: /^fail: --from must be/,
  },
  {
    why: "a wrong key",
    given: () => live({ GOVDATA_HUB_KEY: "secret" }),
    says: /^fail: the hub refused the key/,
  },
  {
    why: "a hub that is away",
    given: () => live({ GOVDATA_FROM: "http://127.0.0.1:1/graphql" }),
    says: /^fail: http:\/\/127\.0\.0\.1:1 refused the connection$/,
  },
])("$why", async ({ given, says }) => {
  expect(await said("sources", typeof given === "function" ? given() : given)).toMatch(says);
});

it("a hub that is away comes with the variable to look at", async () => {
  const places = ["--home", setup.home, "--snapshots", setup.snapshots, "--registry", REGISTRY];
  const environment = live({ GOVDATA_FROM: "http://127.0.0.1:1/graphql" });
  const { stdout } = await govdata([...places, "doctor", "--json"], { environment });
  expect(stdout).toContain("Check that GOVDATA_FROM is the hub's URL");
});

it("a space that the hub does not know is told", async () => {
  hub.store.spaces.delete("b.eth");
  expect(await said("sources", live())).toContain(
    "warn: snapshot-hub, governor; the hub answers and has 1 of 2",
  );
  hub.store.putSpace(sampleSpace({ id: "b.eth" }));
});

it.each([
  { why: "another chain", chain: "0xa", more: {}, says: "fail: chain 1: the node serves chain 10" },
  {
    why: "a refusal",
    chain: undefined,
    more: {},
    says: "fail: chain 1: the node refused eth_chainId with code -32000",
  },
  {
    why: "no node",
    chain: "0x1",
    more: { GOVDATA_RPC_1: "" },
    says: "fail: chain 1: no node is configured (GOVDATA_RPC_1)",
  },
  {
    why: "no governor",
    chain: "0x1",
    more: { GOVDATA_SOURCE: "snapshot-hub" },
    says: "ok: not checked: no chain is read",
  },
])("nodes: $why", async ({ chain, more, says }) => {
  served.chain = chain;
  expect(await said("nodes", live(more))).toBe(says);
  served.chain = "0x1";
});

it("`dao check` goes through the DAOs in order, and on after one that fails", async () => {
  hub.store.putSpace(sampleSpace({ id: "a.eth", name: "Ay" }));
  const environment = { GOVDATA_FROM: hub.url, GOVDATA_RPS: "1000", GOVDATA_RPC_1: nodeUrl };
  served.chain = undefined;
  const places = ["--home", setup.home, "--snapshots", setup.snapshots, "--registry", REGISTRY];
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
  { why: "no address", url: "", says: "ok: not checked: GOVDATA_DELEGATES is not set" },
  { why: "no URL", url: "here", says: "fail: GOVDATA_DELEGATES is not a URL" },
  { why: "nobody there", url: "http://127.0.0.1:1", says: "fail: http://127.0.0.1:1 refused the connection" },
])("delegates: $why", async ({ url, says }) => {
  expect(await said("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(says);
});

it("says how far the delegates service differs from what was read from a node", async () => {
  const totals = { _indexer: "eth", id: TOKEN, currentDelegates: 3, delegatedVotesRaw: "101" };
  const service = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const blocks = [{ indexer: "eth", value: "9" }];
      const data = body.includes("_metadatas") ? { _metadatas: blocks } : { governances: [totals] };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const has = "the delegates service has the tokens of 1 of 1 DAOs";
  expect(await said("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(`ok: ${has}`);
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
  expect(await said("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(`ok: ${has}\n${differs} 1.00 %`);
  totals.delegatedVotesRaw = "98";
  expect(await said("delegates", live({ GOVDATA_DELEGATES: url }))).toBe(`warn: ${has}\n${differs} 2.00 %`);
  service.close();
});
