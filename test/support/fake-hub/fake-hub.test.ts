import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HubRow } from "./hub-store.ts";
import { closedProposal, crowdedVotes, NOW_S, sampleSpace, voteOn, voter } from "./sample-space.ts";
import { type FakeHub, startFakeHub } from "./start-fake-hub.ts";

let hub: FakeHub;
beforeEach(async () => {
  hub = await startFakeHub();
  hub.store.putSpace(sampleSpace());
  const proposal = closedProposal("0x1");
  hub.store.putProposal(proposal);
  for (const n of [3, 1, 2]) hub.store.castVote(voteOn(proposal, n, { created: 1_000 + n, vp: 10 - n }));
});
afterEach(() => hub.close());

async function post(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(hub.url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.includes("json") === true;
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}
const LISTING = "$first: Int, $skip: Int, $orderBy: String, $orderDirection: OrderDirection";
const PASSED =
  "where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection";
const QUERIES = {
  Space: "query Space($id: String!) { space(id: $id) { id name } }",
  Proposals: `query Proposals($where: ProposalWhere, ${LISTING}) {
    proposals(${PASSED}) { id title scores_state }
  }`,
  Votes: `query Votes($where: VoteWhere, ${LISTING}) {
    votes(${PASSED}) { id voter created choice vp vp_state vp_value reason proposal { id } }
  }`,
};
const ask = (operationName: keyof typeof QUERIES, variables: unknown) =>
  post({ operationName, query: QUERIES[operationName], variables });
const votes = async (variables: HubRow) => {
  const { json } = await ask("Votes", { first: 10, orderBy: "created", orderDirection: "asc", ...variables });
  return (json.data.votes as { voter: string }[]).map((vote) => Number(vote.voter));
};

describe("the limits of the hub: status 200, errors and null data", () => {
  const ids = Array.from({ length: 101 }, (_, index) => `0x${index}`);
  it.each([
    { why: "first at 1,000", variables: { first: 1_000 }, refused: undefined },
    { why: "first past 1,000", variables: { first: 1_001 }, refused: "`first` argument must not be" },
    { why: "skip at 5,000", variables: { skip: 5_000 }, refused: undefined },
    { why: "skip past 5,000", variables: { skip: 5_001 }, refused: "greater than 5000" },
    { why: "100 ids", variables: { where: { id_in: ids.slice(1) } }, refused: undefined },
    { why: "101 ids", variables: { where: { id_in: ids } }, refused: "`id_in`" },
    { why: "101 proposals", variables: { where: { proposal_in: ids } }, refused: "`proposal_in`" },
  ])("$why", async ({ variables, refused }) => {
    const { status, json } = await ask("Votes", variables);
    expect(status).toBe(200);
    if (refused === undefined) expect(json.errors).toBeUndefined();
    else expect(json.errors[0].message).toContain(refused);
    expect(json.data.votes === null).toBe(refused !== undefined);
  });
});

describe("what the hub refuses with 400, for it parses and validates", () => {
  it.each([
    { why: "text that is no query", query: "query {", says: "Syntax Error" },
    { why: "a field that is not there", query: "{ votes { id weight } }", says: 'query field "weight"' },
    { why: "an object without its fields", query: "{ votes { proposal } }", says: "selection of subfields" },
    {
      why: "a filter that is not there",
      query: `{ votes(where: { id_gt: "0x1" }) { id } }`,
      says: 'Field "id_gt" is not defined',
    },
    {
      why: "a type that is not there",
      query: "query ($w: VotesWhere) { votes(where: $w) { id } }",
      says: "VotesWhere",
    },
    {
      why: "a variable that nobody declared",
      query: "query Votes { votes(where: $where) { id } }",
      says: '"$where" is not defined',
    },
  ])("$why", async ({ query, says }) => {
    const { status, json } = await post({ query });
    expect([status, json.data]).toEqual([400, undefined]);
    expect(json.errors[0].message).toContain(says);
  });
});

describe("what the hub does with a filter or an order", () => {
  it.each([
    { why: "greater", where: { created_gt: 1_002 }, answered: [3] },
    { why: "greater or equal", where: { created_gte: 1_002 }, answered: [2, 3] },
    { why: "less", where: { created_lt: 1_002 }, answered: [1] },
    { why: "less or equal", where: { created_lte: 1_002 }, answered: [1, 2] },
    { why: "greater than 0 is forgotten", where: { vp_gt: 0, created_gt: 0 }, answered: [1, 2, 3] },
    { why: "at least 0 is forgotten", where: { created_gte: 0 }, answered: [1, 2, 3] },
    { why: "less than 0 is forgotten", where: { created_lt: 0 }, answered: [1, 2, 3] },
    { why: "at most 0 is forgotten", where: { created_lte: 0 }, answered: [1, 2, 3] },
    { why: "equal", where: { voter: voter(2) }, answered: [2] },
    { why: "one of", where: { voter_in: [voter(2), voter(3)] }, answered: [2, 3] },
  ])("$why", async ({ where, answered }) => {
    expect(await votes({ where })).toEqual(answered);
  });

  it.each([
    { orderBy: "created", orderDirection: "asc", answered: [1, 2, 3] },
    { orderBy: "created", orderDirection: "desc", answered: [3, 2, 1] },
    { orderBy: "vp", orderDirection: "asc", answered: [3, 2, 1] },
    { orderBy: "voter", orderDirection: "asc", answered: [1, 2, 3] },
    { orderBy: "id", orderDirection: "desc", answered: [3, 2, 1] },
  ])(
    "orders votes by $orderBy $orderDirection, and by created where it does not know the order",
    async (row) => {
      const { answered, ...order } = row;
      expect(await votes(order)).toEqual(answered);
    },
  );

  it("breaks ties by id, whatever the direction", async () => {
    for (const vote of [...hub.store.votes.values()]) hub.store.castVote({ ...vote, created: 7 });
    expect(await votes({ orderDirection: "asc" })).toEqual([1, 2, 3]);
    expect(await votes({ orderDirection: "desc" })).toEqual([1, 2, 3]);
  });

  it("loses votes to a cursor that is a second alone, where they share one with the end of a page", async () => {
    const proposal = closedProposal("0xcrowd");
    for (const vote of crowdedVotes(proposal)) hub.store.castVote(vote);
    const asked = { first: 1_000, orderBy: "created", orderDirection: "asc" };
    let taken = 0;
    for (let created_gt = 0, page = 1_000; page === 1_000; taken += page) {
      const { json } = await ask("Votes", { ...asked, where: { proposal: "0xcrowd", created_gt } });
      page = json.data.votes.length;
      created_gt = json.data.votes.at(-1).created;
    }
    // 900 of the 1,300 that share a second.
    expect(taken).toBe(2_500 - 900);
  });

  it("gives 20 rows where nobody says how many", async () => {
    const proposal = closedProposal("0x1");
    for (let n = 10; n < 40; n += 1) hub.store.castVote(voteOn(proposal, n));
    const { json } = await ask("Votes", {});
    expect(json.data.votes).toHaveLength(20);
  });
});

describe("what the hub answers when it does not answer", () => {
  it("429 with a body that is no GraphQL, and when to come again", async () => {
    hub.failWith(() => ({ kind: "rate-limit" }));
    const { status, headers, json } = await ask("Votes", {});
    expect([status, Object.keys(json)]).toEqual([429, ["error", "error_description"]]);
    expect([headers.get("retry-after"), headers.get("ratelimit-remaining")]).toEqual(["60", "0"]);
  });

  it("429 to the 101st request of a minute, and to none once its window is over", async () => {
    let atMs = 0;
    const counting = await startFakeHub({ limiter: { requestsPerMinute: 100, nowMs: () => atMs } });
    const askIt = async () => {
      const { status, headers } = await fetch(counting.url, { method: "POST", body: "{}" });
      return [status, headers.get("retry-after"), headers.get("ratelimit-reset")];
    };
    for (let count = 0; count < 100; count += 1) {
      expect((await askIt())[0]).not.toBe(429);
      atMs += 100;
    }
    expect(await askIt()).toEqual([429, "60", "50"]);
    atMs = 59_999;
    expect(await askIt()).toEqual([429, "60", "1"]);
    atMs = 60_000;
    expect((await askIt())[0]).not.toBe(429);
    await counting.close();
  });

  it.each([
    { operation: "Space", field: "space", message: "Unexpected error", variables: { id: "sample.eth" } },
    { operation: "Proposals", field: "proposals", message: "request failed", variables: {} },
    { operation: "Votes", field: "votes", message: "request failed", variables: {} },
  ] as const)("200 and errors to $operation where its SQL fails", async (row) => {
    hub.failWith(() => ({ kind: "database" }));
    const { status, json } = await ask(row.operation, row.variables);
    expect([status, json.data]).toEqual([200, { [row.field]: null }]);
    expect(json.errors).toMatchObject([{ message: row.message, path: [row.field] }]);
  });

  it("401 in the same shape to a key that it does not know, and none to no key", async () => {
    const request = { query: QUERIES.Space, variables: { id: "sample.eth" } };
    const { status, json } = await post(request, { "x-api-key": "bad" });
    expect([status, Object.keys(json)]).toEqual([401, ["error", "error_description"]]);
    expect((await post(request, { "x-api-key": "good" })).status).toBe(200);
    expect((await post(request)).status).toBe(200);
  });

  it("400 with HTML to what is no JSON", async () => {
    const { status, text, headers } = await post("{");
    expect([status, headers.get("content-type")]).toEqual([400, "text/html"]);
    expect(text).toContain("<!DOCTYPE html>");
  });

  it.each([{ first: "many" }, { skip: -1 }, { first: 1.5 }])("500 to the variable %j", async (variables) => {
    expect((await ask("Votes", variables)).status).toBe(500);
  });
});

describe("what the hub has", () => {
  it("null for a space it does not know", async () => {
    expect((await ask("Space", { id: "nobody.eth" })).json).toEqual({ data: { space: null } });
  });

  it("votes with a null proposal once that was deleted", async () => {
    hub.store.proposals.delete("0x1");
    const { json } = await ask("Votes", { where: { proposal: "0x1" } });
    expect(json.data.votes).toHaveLength(3);
    expect(json.data.votes[0].proposal).toBeNull();
  });

  it("one row for each voter on a proposal: a later vote replaces id, time, choice and power", async () => {
    const again = { id: "0xnew", created: 2_000, choice: 2, vp: 99 };
    hub.store.castVote(voteOn(closedProposal("0x1"), 1, again));
    const { json } = await ask("Votes", { where: { voter: voter(1) } });
    expect(json.data.votes).toHaveLength(1);
    expect(json.data.votes[0]).toMatchObject(again);
  });

  it("states of scores, and null where it counted nothing", async () => {
    hub.store.putProposal(closedProposal("0x2", { scores_state: "pending", created: NOW_S }));
    const { json } = await ask("Proposals", { orderBy: "created", orderDirection: "asc" });
    expect(json.data.proposals.map((one: HubRow) => one["scores_state"])).toEqual(["final", "pending"]);
    const { json: space } = await post({
      query: `{ space(id: "sample.eth") { proposalsCount votesCount } }`,
    });
    expect(space.data.space).toEqual({ proposalsCount: null, votesCount: null });
    const { json: voted } = await ask("Votes", {});
    expect(voted.data.votes[0].vp_value).toBeNull();
  });

  it("all rows but one that lacks what a vote has, and an error in its place", async () => {
    hub.store.castVote(voteOn(closedProposal("0x1"), 2, { created: 1_002, choice: null }));
    const { status, json } = await ask("Votes", { orderBy: "created", orderDirection: "asc" });
    expect(status).toBe(200);
    expect(json.data.votes).toMatchObject([{ voter: voter(1) }, null, { voter: voter(3) }]);
    expect(json.errors).toMatchObject([
      { message: "Cannot return null for non-nullable field Vote.choice.", path: ["votes", 1, "choice"] },
    ]);
  });

  it("the space of a proposal as an object of its own", async () => {
    const { json } = await post({
      query: `{ proposals(where: { space: "sample.eth" }) { id space { id } } }`,
    });
    expect(json.data.proposals).toEqual([{ id: "0x1", space: { id: "sample.eth" } }]);
  });

  it("no field that was not asked for", async () => {
    const { json } = await post({ query: `{ space(id: "sample.eth") { id } }` });
    expect(json.data.space).toEqual({ id: "sample.eth" });
  });
});

describe("its faults", () => {
  it.each([{ kind: "cut" }, { kind: "restart" }] as const)("$kind: the connection ends", async (fault) => {
    hub.failWith(() => fault);
    await expect(ask("Votes", {})).rejects.toThrow();
    hub.failWith(undefined);
    expect((await ask("Votes", {})).status).toBe(200);
  });

  it("bomb: unpacks to what it was told", async () => {
    hub.failWith(() => ({ kind: "bomb", bytes: 1e6 }));
    const answer = await fetch(hub.url, { method: "POST", body: "{}" });
    expect((await answer.arrayBuffer()).byteLength).toBe(1e6);
  });

  it("slow: the same answer, later", async () => {
    hub.failWith((_query, count) => (count === 0 ? { kind: "slow", waitMs: 20 } : undefined));
    expect((await ask("Votes", {})).json).toEqual((await ask("Votes", {})).json);
    expect(hub.arrived).toHaveLength(2);
  });
});
