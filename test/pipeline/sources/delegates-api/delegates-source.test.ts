import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { GovernorToken } from "../../../../pipeline/facts/tracked.ts";
import { createDelegatesSource } from "../../../../pipeline/sources/delegates-api/delegates-source.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { API_SERVER_LACKS, type ApiServer, startApiServer } from "../../../support/onchain-api/api-server.ts";
import { voterOf } from "../../../support/onchain-api/sample-rows.ts";
import { dao } from "../../warehouse/sample-facts.ts";
import { hastyClient } from "../http/loopback-server.ts";
import { memorySink } from "../memory-sink.ts";

const NOW_MS = Date.UTC(2024, 0, 20, 12);
const TOKEN = "0xc00e94Cb662C3520282E6f5717214004A7f26888";
const COMP: GovernorToken = {
  chainId: 1,
  token: TOKEN.toLowerCase(),
  kind: "erc20votes",
  decimals: 6,
  clock: "blocknumber",
  isSelfByDefault: false,
  firstBlock: 1,
  governor: undefined,
};

const title = `the very server${API_SERVER_LACKS === undefined ? "" : `, which lacks ${API_SERVER_LACKS}`}`;

describe.runIf(API_SERVER_LACKS === undefined)(title, () => {
  let server: ApiServer;
  let http: HttpClient;
  beforeAll(async () => {
    server = await startApiServer();
  });
  afterAll(() => server?.close());
  beforeEach(async () => {
    await server.sql("TRUNCATE governances, delegates, _metadatas");
    await server.setLastBlock("eth", 1_000);
    server.onRequest(async () => undefined);
    server.asked();
    http = hastyClient({ attemptsMax: 1, serverErrorAttemptsMax: 1 });
  });
  afterEach(() => http.close());

  /** Stores delegates with 10^30 votes and more, and one without; `change` is how much the service counts wrongly. */
  async function put(count: number, change: { readonly count?: number; readonly votes?: bigint } = {}) {
    const votes = Array.from({ length: count }, (_, n) => 10n ** 30n + BigInt(n));
    const total = votes.reduce((sum, one) => sum + one, 0n) + (change.votes ?? 0n);
    const currentDelegates = count + (change.count ?? 0);
    await server.put("governances", "eth", [
      { id: TOKEN, currentDelegates, delegatedVotesRaw: total.toString() },
    ]);
    const rows = [...votes, 0n].map((power, n) => ({
      id: `${TOKEN}/${voterOf(n + 1)}`,
      governance: TOKEN,
      user: voterOf(n + 1),
      delegatedVotesRaw: power.toString(),
      tokenHoldersRepresentedAmount: n,
    }));
    await server.put("delegates", "eth", rows);
  }
  async function read(change: Partial<GovernorToken> = {}) {
    const sink = memorySink();
    const source = createDelegatesSource({ http, url: server.url, nowMs: NOW_MS });
    await source.fetchSpace({ ...dao("comp.eth"), governor: { ...COMP, ...change } }, sink);
    return sink;
  }

  it("brings the complete list of the day, to the last unit, in few requests", async () => {
    await put(12_000);
    const sink = await read();
    expect(server.asked()).toBe(4);
    expect(sink.rejections).toEqual([]);
    expect(sink.lists).toMatchObject([
      { spaceId: "comp.eth", date: "2024-01-20", asOfMs: NOW_MS, isComplete: true, decimals: 6 },
    ]);
    const delegates = sink.lists[0]?.delegates ?? [];
    expect(new Map(delegates.map((one) => [one.address, one]))).toEqual(
      new Map(
        Array.from({ length: 12_000 }, (_, n) => {
          const address = voterOf(n + 1);
          return [address, { address, votes: 10n ** 30n + BigInt(n), delegatorsCount: n, ens: undefined }];
        }),
      ),
    );
  });

  it("reads again if the list did not add up because rows were dropped meanwhile", async () => {
    await put(5);
    server.onRequest(async (count) => {
      if (count === 3)
        await server.sql("UPDATE delegates SET block_range = '[2000,)' WHERE id = ?", [
          `${TOKEN}/${voterOf(1)}`,
        ]);
      if (count === 4) await server.sql("UPDATE delegates SET block_range = '[1,)'");
    });
    const sink = await read();
    expect(sink.lists[0]?.delegates).toHaveLength(5);
    expect(sink.rejections).toEqual([]);
  });

  it.each([
    [{ count: 1 }, 4],
    [{ votes: 1n }, 3],
  ])("does not use a list that differs from what is counted by %s", async (change, counted) => {
    await put(3, change);
    const sink = await read();
    expect(sink.lists).toEqual([]);
    const message = `the list of 3 delegates does not add up to the ${counted} counted; it is not used`;
    expect(sink.rejections).toMatchObject([{ code: "DELEGATES_INCOMPLETE", message }]);
  });

  it.each([
    ["user", "nobody", "ADDRESS_INVALID"],
    ["tokenHoldersRepresentedAmount", -1, "BAD_SHAPE"],
  ])("names a row whose %s is wrong, and does not use the rest", async (column, value, code) => {
    await put(30);
    await server.sql(`UPDATE delegates SET "${column}" = ? WHERE id = ?`, [value, `${TOKEN}/${voterOf(3)}`]);
    const sink = await read();
    expect(sink.lists).toEqual([]);
    expect(sink.rejections.map((one) => one.code)).toEqual([code, "DELEGATES_INCOMPLETE"]);
  });

  it("takes no delegate of another chain than it asked for", async () => {
    await put(30);
    const { postJson } = http;
    const ofThird = (indexer: string) => `"_indexer":"${indexer}","user":"${voterOf(3)}"`;
    http = {
      ...http,
      async postJson(request) {
        const { status, body } = await postJson(request);
        return { status, body: JSON.parse(JSON.stringify(body).replace(ofThird("eth"), ofThird("arb1"))) };
      },
    };
    const sink = await read();
    expect(sink.lists).toEqual([]);
    expect(sink.rejections.map((one) => one.code)).toEqual(["DELEGATE_DUPLICATE", "DELEGATES_INCOMPLETE"]);
  });

  it.each([
    [{ token: voterOf(9) }, "a token that the service does not index"],
    [{ chainId: 42_161 }, "a chain that it does not index"],
    [{ chainId: 99 }, "a chain that no service indexes"],
  ] as const)("reports %s: %s", async (change: Partial<GovernorToken>, _why) => {
    await put(3);
    const sink = await read(change);
    const message = `the delegates service does not have this token of chain ${change.chainId ?? 1}`;
    expect(sink.rejections).toMatchObject([{ code: "TOKEN_NOT_LISTED", message }]);
  });

  it("fails on a service that counts a token under both spellings", async () => {
    await put(3);
    const other = { id: TOKEN.toLowerCase(), currentDelegates: 3, delegatedVotesRaw: "3" };
    await server.put("governances", "eth", [other]);
    await expect(read()).rejects.toThrow(/totals of the token 0xc00.* are invalid/);
  });

  it.each([
    ["totals", `UPDATE governances SET "delegatedVotesRaw" = -1`, /totals of the token 0xc00.* are invalid/],
    [
      "rows",
      `UPDATE delegates SET "tokenHoldersRepresentedAmount" = -1`,
      /3 of 3 delegates of the delegates service are malformed/,
    ],
    ["blocks", "UPDATE _metadatas SET value = 'far'", /the delegates service does not say up to which block/],
  ])("fails on a service with wrong %s", async (_, sql, message) => {
    await put(3);
    await server.sql(sql);
    await expect(read()).rejects.toThrow(message);
  });
});
