import { describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { HttpClient } from "../../../pipeline/sources/http/http-client.ts";
import { openHub } from "../../../pipeline/sources/hub/ask-hub.ts";
import { checkOnchain, checkSpace } from "../../../pipeline/upkeep/check-entry.ts";
import { dao as daoOnChain, TOKEN } from "../warehouse/sample-facts.ts";

const GOVERNOR = `0x${"cd".repeat(20)}`;
const DAO: TrackedDao = { spaceId: "sample.eth", name: "Sample", category: "defi", governor: undefined };
const governedBy = (governor: string | undefined): TrackedDao => {
  const { governor: entry } = daoOnChain(DAO.spaceId);
  return { ...DAO, governor: entry && { ...entry, governor } };
};

const URL = "http://127.0.0.1/graphql";

/** A service that answers this body to whatever it is asked, or throws it. */
const answering = (body: unknown): HttpClient => ({
  postJson: async ({ late }) => {
    late?.();
    if (body instanceof Error) throw body;
    return { status: 200, headers: {}, body };
  },
  counters: () => ({ requests: 0, retries: 0, bytes: 0, rateLimited: 0 }),
  close: async () => undefined,
});

const check = (body: unknown, dao: TrackedDao = DAO) =>
  checkSpace(openHub({ http: answering(body), url: URL }), dao);

describe("checkSpace", () => {
  it.each([
    { why: "the same name", space: { id: "sample.eth", name: "Sample" }, want: { status: "same" } },
    {
      why: "the same name but for a bidi control",
      space: { id: "sample.eth", name: "Sam\u202eple" },
      want: { status: "same" },
    },
    { why: "no name", space: { id: "sample.eth" }, want: { status: "same" } },
    {
      why: "another name",
      space: { id: "sample.eth", name: "Sample\u202eDAO" },
      want: { status: "renamed", detail: "the hub calls it SampleDAO" },
    },
    {
      why: "a deleted or unknown space",
      space: null,
      want: { status: "missing", detail: "the hub has no such space" },
    },
  ])("reads $why", async ({ space, want }) => {
    expect(await check({ data: { space } })).toEqual([{ part: "space", ...want }]);
  });

  it.each([
    ["flagged", "it is not scored"],
    ["hibernated", "nobody can propose"],
  ])("reports a space that is %s", async (mark, meaning) => {
    const space = { id: "sample.eth", name: "Sample", flagged: false, hibernated: null, [mark]: true };
    expect(await check({ data: { space } })).toEqual([
      { part: "space", status: "same" },
      { part: mark, status: "differs", detail: expect.stringContaining(meaning) },
    ]);
  });

  const erc20 = (address: string) => ({ name: "erc20-votes", network: "1", params: { address } });
  const MISSING = { status: "differs", detail: `no strategy of the space names the token ${TOKEN}` };
  const NONE = { status: "not-checked", detail: "the hub shows no strategies of the space" };
  const nested = { name: "multichain", params: { strategies: [erc20(TOKEN.toUpperCase())] } };
  it.each<{ why: string; strategies: unknown; governor?: string; want: object }>([
    { why: "the token", strategies: [erc20(TOKEN)], want: { status: "same" } },
    {
      why: "the token in capitals, deep inside",
      strategies: [erc20("0x1"), nested],
      want: { status: "same" },
    },
    { why: "the governor", strategies: [erc20(GOVERNOR)], governor: GOVERNOR, want: { status: "same" } },
    { why: "another token", strategies: [erc20(`0x${"ac".repeat(20)}`)], want: MISSING },
    {
      why: "neither token nor governor",
      strategies: [erc20("0x1")],
      governor: GOVERNOR,
      want: { ...MISSING, detail: `${MISSING.detail} or the governor` },
    },
    { why: "a governor that the registry does not have", strategies: [erc20(GOVERNOR)], want: MISSING },
    ...[undefined, null, []].map((strategies) => ({ why: "nothing", strategies, want: NONE })),
  ])("finds in the strategies $why", async ({ strategies, governor, want }) => {
    const space = { id: "sample.eth", name: "Sample", strategies };
    const checks = await check({ data: { space } }, governedBy(governor));
    expect(checks).toEqual([
      { part: "space", status: "same" },
      { part: "strategies", ...want },
    ]);
  });

  it.each([
    { why: "another space", body: { data: { space: { id: "other.eth", name: "Sample" } } } },
    { why: "what is no space", body: { data: { space: 5 } } },
    { why: "an error with status 200", body: { data: { space: null }, errors: [{ message: "no" }] } },
    { why: "not GraphQL", body: "<html>" },
  ])("takes $why for a failure and not for a missing space", async ({ body }) => {
    expect(await check(body)).toMatchObject([{ part: "space", status: "failed" }]);
  });

  it.each([
    { why: "an interrupt", error: pipelineFailure("INTERRUPTED", "interrupted") },
    { why: "an unexpected error", error: new TypeError("x is not a function") },
  ])("ends at $why", async ({ error }) => {
    await expect(check(error)).rejects.toBe(error);
  });

  it("asks nothing for a DAO that Snapshot does not have", async () => {
    expect(await check(new Error("asked"), { ...DAO, snapshot: "none" })).toEqual([]);
  });
});

describe("checkOnchain", () => {
  const SPACE = "0xc0Da02939E1441F497fd74F78cE7Decb17B66529";
  const row = {
    ...{ _indexer: "eth", id: SPACE, protocol: "governor-bravo", verified: true },
    ...{ proposal_threshold: "1", max_voting_period: "0", metadata: { name: "Sample" } },
  };
  const onchain = { indexer: "eth", space: SPACE.toLowerCase() };
  const _metadatas = [{ indexer: "eth", value: "1000" }];

  const missing = (detail: string) => ({ status: "missing", detail });

  it.each([
    { why: "the same name", want: { status: "same" } },
    { why: "the name of one of two electorates", name: "Sample (on-chain)", want: { status: "same" } },
    { why: "no name", spaces: [{ ...row, metadata: null }], want: { status: "same" } },
    {
      why: "another name",
      name: "Other",
      want: { status: "renamed", detail: "the on-chain API calls it Sample" },
    },
    {
      why: "no such space",
      spaces: [],
      want: missing(`the on-chain API has no space ${SPACE} of the indexer eth`),
    },
    {
      why: "another protocol",
      spaces: [{ ...row, protocol: "aave" }],
      want: missing(`the space ${SPACE} of the indexer eth is of the protocol aave`),
    },
    { why: "no such indexer", indexer: "etc", want: missing("the on-chain API has no indexer etc") },
    {
      why: "another shape",
      spaces: [{ ...row, proposal_threshold: 1 }],
      want: { status: "failed" },
    },
  ])("reads $why", async ({ name = "Sample", spaces = [row], indexer = "eth", want }) => {
    const http = answering({ data: { _metadatas, spaces } });
    const check = await checkOnchain({ http, url: URL }, name, { ...onchain, indexer });
    expect(check).toMatchObject({ part: "onchain", ...want });
  });

  it("does not call a service that is away a missing space, and ends at an unexpected error", async () => {
    const checkWith = (error: Error) => checkOnchain({ http: answering(error), url: URL }, "Sample", onchain);
    const away = { part: "onchain", status: "failed", detail: "away" };
    expect(await checkWith(pipelineFailure("SOURCE_FAILED", "away"))).toEqual(away);
    const unexpected = new TypeError("x is not a function");
    await expect(checkWith(unexpected)).rejects.toBe(unexpected);
  });
});
