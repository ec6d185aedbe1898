import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Settings } from "../../../pipeline/home/settings.ts";
import { type FetchOptions, runFetch } from "../../../pipeline/stages/fetch.ts";
import { runAll } from "../../../pipeline/stages/run.ts";
import { NOW_MS, SPACE_ID, sampleSpace } from "../../support/fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../../support/fake-hub/start-fake-hub.ts";
import { recordedEffects, testHome } from "../home/test-home.ts";

let hub: FakeHub;
let home: Settings;
beforeEach(async () => {
  hub = await startFakeHub();
  hub.store.putSpace(sampleSpace());
  home = testHome();
});
afterEach(() => hub.close());

/** Fetches these DAOs (id and further keys of the registry) from the hub, with one try a request. */
async function fetchSpaces(
  daos: Readonly<Record<string, string>>,
  more: Partial<FetchOptions> = {},
  lines = "",
) {
  const registryPath = join(home.homeDirectory, "named.yaml");
  const entries = Object.entries(daos).map(
    ([id, keys]) => `  - { space_id: ${id}, name: A, category: social${keys} }\n`,
  );
  writeFileSync(registryPath, `daos:\n${entries.join("")}${lines}`);
  const settings = { ...home, registryPath };
  const pace = { attemptsMax: 1, requestsPerMinute: 60_000 };
  const options: FetchOptions = { sources: ["snapshot-hub"], from: hub.url, spaceIds: [], pace, ...more };
  const { effects, warnings } = recordedEffects({ nowMs: () => NOW_MS });
  const result = await runFetch(settings, options, effects).catch((error: unknown) => ({ error }));
  const operations = hub.arrived.map(({ operation }) => operation);
  return { result, warnings, operations, settings, options, effects };
}

it("reports all spaces that the hub does not have in one line, and does not ask for each", async () => {
  const { result, warnings, operations } = await fetchSpaces({
    [SPACE_ID]: "",
    "gone.eth": "",
    "lost.eth": "",
  });
  expect(result).toMatchObject({
    failedCount: 2,
    records: [
      { spaceId: "gone.eth", status: "failed", error: { code: "NOT_FOUND" } },
      { spaceId: "lost.eth", status: "failed" },
      { spaceId: SPACE_ID, status: "complete" },
    ],
  });
  expect(warnings).toEqual([
    "the hub has no space for 2 of 3 DAOs: gone.eth, lost.eth; for those that vote elsewhere, set `snapshot: none` in the registry",
  ]);
  expect(operations, "the settings came with the list").toEqual(["Spaces", "Proposals"]);
});

it("requests nothing for a DAO that has no space there", async () => {
  const { result, warnings } = await fetchSpaces({ [SPACE_ID]: "", "gone.eth": ", snapshot: none" });
  expect(result).toMatchObject({ failedCount: 0, records: [{ spaceId: SPACE_ID, status: "complete" }] });
  expect(warnings).toEqual([]);
});

it("requests a space that was fetched before by itself, whatever the list contains", async () => {
  await fetchSpaces({ [SPACE_ID]: "" });
  hub.forget();
  hub.failWith(({ operation }) =>
    operation.startsWith("Spaces_")
      ? { kind: "body", body: { data: { q0: [], q1: [], q2: [], q3: [] } } }
      : undefined,
  );
  const { result, warnings, operations } = await fetchSpaces({ [SPACE_ID]: "" });
  expect(operations).toContain("Space");
  expect([result, warnings]).toMatchObject([{ failedCount: 0, records: [{ status: "complete" }] }, []]);
});

it("reports a hub that is away from the start after its first request", async () => {
  hub.failWith(() => ({ kind: "status", status: 503, body: {} }));
  const { result, warnings, operations } = await fetchSpaces({ [SPACE_ID]: "", "a.eth": "", "b.eth": "" });
  expect(result).toMatchObject({
    error: { code: "NOTHING_FETCHED", message: expect.stringMatching(/^none of 3 DAOs .*answered 503/) },
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^none of 3 DAOs could be fetched from snapshot-hub: .*answered 503/),
  ]);
  expect(operations).toEqual(["Spaces"]);
});

it("requests single spaces if a hub refuses to list them", async () => {
  hub.failWith(({ operation }) =>
    operation === "Spaces"
      ? { kind: "status", status: 400, body: { errors: [{ message: "no" }] } }
      : undefined,
  );
  const { result } = await fetchSpaces({ [SPACE_ID]: "" });
  expect(result).toMatchObject({ failedCount: 0, records: [{ status: "complete" }] });
});

it("fetches the spaces of the hub's list if the registry tracks it, but not for a DAO that is named", async () => {
  hub.store.putSpace(sampleSpace({ id: "other.eth", verified: true, categories: ["defi"] }));
  const first = await fetchSpaces({ [SPACE_ID]: "" }, {}, "spaces: verified\n");
  expect(first.result).toMatchObject({
    records: [{ spaceId: "other.eth" }, { spaceId: SPACE_ID }],
    registry: { daos: [{ spaceId: "other.eth", name: "Sample", category: "defi" }, { spaceId: SPACE_ID }] },
  });
  expect(first.operations).toEqual([
    Array.from({ length: 5 }, () => "ListedSpaces").join("_"),
    "Spaces",
    "Proposals_Proposals",
  ]);
  hub.forget();
  const one = await fetchSpaces({ [SPACE_ID]: "" }, { spaceIds: ["other.eth"] }, "spaces: verified\n");
  expect(one.result).toMatchObject({ records: [{ spaceId: "other.eth", status: "complete" }] });
  expect(one.operations).not.toContain("ListedSpaces");
});

it("publishes the spaces of the list in the run that fetches it", async () => {
  hub.store.putSpace(sampleSpace({ id: "other.eth", verified: true, categories: ["defi"] }));
  const { settings, options, effects } = await fetchSpaces({ [SPACE_ID]: "" });
  appendFileSync(settings.registryPath, "spaces: verified\n");
  const publish = { asOfMs: NOW_MS, overrides: ["first-version"] as const };
  const { published } = await runAll(settings, { fetch: options, publish }, effects);
  expect(published.daosUnscored).toBe(2);
});

it("fetches what the registry needs if no source is chosen, and names what no source reads", async () => {
  const api = await startHangUp();
  const ask = (spaceIds: readonly string[]) =>
    fetchSpaces(
      {
        [SPACE_ID]: "",
        "chain.eth": `, snapshot: none, onchain: { indexer: eth, space: "${ADDRESS}" }`,
        "node.eth": `, snapshot: none, governor: ${GOVERNOR}`,
      },
      { sources: undefined, onchainUrl: api.url, spaceIds },
    );
  try {
    const { result, warnings } = await ask([]);
    expect(result).toMatchObject({
      records: [
        { spaceId: SPACE_ID, sourceId: "snapshot-hub", status: "complete" },
        { spaceId: "chain.eth", sourceId: "snapshot-api", status: "failed" },
      ],
    });
    expect(warnings[0]).toBe("no source reads node.eth; set GOVDATA_RPC_10");
    const none = await ask(["node.eth"]);
    expect(none.result).toMatchObject({ error: { code: "BAD_OPTION", message: "no source reads node.eth" } });
    expect(none.warnings, "the error is enough").toEqual([]);
    const one = await ask([SPACE_ID]);
    expect([one.warnings, one.result]).toMatchObject([[], { records: [{ spaceId: SPACE_ID }] }]);
  } finally {
    await api.close();
  }
});

it.each([
  { why: "a node has more, and both would put the same facts", node: true, sources: ["governor"] },
  { why: "there is no node", node: false, sources: ["snapshot-api", "delegates-api"] },
])("fetches a governor, its space and its token from $sources: $why", async ({ node, sources }) => {
  const api = await startHangUp();
  try {
    const governor = GOVERNOR.replace("{", `{ governor: "${ADDRESS}",`);
    const onchain = `onchain: { indexer: eth, space: "${ADDRESS}" }`;
    const { result } = await fetchSpaces(
      { [SPACE_ID]: "", "both.eth": `, snapshot: none, governor: ${governor}, ${onchain}` },
      {
        ...{ sources: undefined, onchainUrl: api.url, delegatesUrl: api.url },
        rpcUrlOf: () => (node ? api.url : undefined),
      },
    );
    const asked = "records" in result && result.records.map(({ sourceId }) => sourceId);
    expect(asked).toEqual(["snapshot-hub", ...sources]);
  } finally {
    await api.close();
  }
});

const ADDRESS = `0x${"1".repeat(40)}`;
const GOVERNOR = `{ chain_id: 10, token: "${ADDRESS}", kind: erc20votes, decimals: 18, clock: timestamp, first_block: 1 }`;

/** A server that answers nothing. */
async function startHangUp() {
  const server = createServer((request) => request.socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => void (await new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${port}`, close };
}
