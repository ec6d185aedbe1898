import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HubRow } from "./hub-store.ts";
import { closedProposal, sampleSpace, voteOn } from "./sample-space.ts";
import { type FakeHub, startFakeHub } from "./start-fake-hub.ts";

const LISTING = "$first: Int, $skip: Int, $orderBy: String, $orderDirection: OrderDirection";
const PASSED =
  "where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection";
const QUERIES = {
  Spaces: `query Spaces($where: SpaceWhere, ${LISTING}) { spaces(${PASSED}) { id } }`,
  Space: "query Space($id: String!) { space(id: $id) { id name } }",
  Proposals: `query Proposals($where: ProposalWhere, ${LISTING}) { proposals(${PASSED}) { id title scores_state } }`,
  Votes: `query Votes($where: VoteWhere, ${LISTING}) {
    votes(${PASSED}) { id voter created choice vp vp_state vp_value reason proposal { id } }
  }`,
};
type Operation = keyof typeof QUERIES;

describe("the hub", () => {
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
  const ask = (operationName: Operation, variables: unknown) =>
    post({ operationName, query: QUERIES[operationName], variables });
  const votes = async (variables: HubRow) => {
    const order = { first: 10, orderBy: "created", orderDirection: "asc" };
    const { json } = await ask("Votes", { ...order, ...variables });
    return (json.data.votes as { voter: string }[]).map((vote) => Number(vote.voter));
  };

  const ids = (count: number) => Array.from({ length: count }, (_, index) => `0x${index}`);

  it.each<[operation: Operation, why: string, variables: HubRow, refused?: string]>([
    ["Votes", "first at 1,000", { first: 1_000 }],
    ["Votes", "first past 1,000", { first: 1_001 }, "`first` argument must not be greater than 1000"],
    ["Votes", "first below 0", { first: -1 }, "`first` argument must be positive"],
    ["Votes", "skip at 5,000", { skip: 5_000 }],
    ["Votes", "skip past 5,000", { skip: 5_001 }, "greater than 5000"],
    ["Votes", "100 ids", { where: { id_in: ids(100) } }],
    ["Votes", "101 ids", { where: { id_in: ids(101) } }, "`id_in`"],
    ["Votes", "101 proposals", { where: { proposal_in: ids(101) } }, "`proposal_in`"],
    ["Proposals", "10,000 spaces", { where: { space_in: ids(10_000) } }],
    ["Proposals", "10,001 spaces", { where: { space_in: ids(10_001) } }, "`space_in`"],
    ["Spaces", "skip at 100,000", { skip: 100_000 }],
    ["Spaces", "skip past 100,000", { skip: 100_001 }, "greater than 100000"],
  ])("limits %s: %s", async (operation, _why, variables, refused) => {
    const { status, json } = await ask(operation, variables);
    if (refused === undefined) expect([status, json.errors]).toEqual([200, undefined]);
    else {
      expect([status, json.data]).toEqual([500, null]);
      expect(json.errors[0].message).toContain(refused);
    }
  });

  it("answers five queries in one request, by aliases too; of six none", async () => {
    const many = (count: number) =>
      `{ ${ids(count).map((id, n) => `a${n}: votes(where: { proposal: "${id}" }) { id }`)} }`;
    const { status, json } = await post({ query: many(5) });
    expect([status, json.data.a0.length, json.data.a1.length]).toEqual([200, 0, 3]);
    const six = await post({ query: many(6) });
    expect([six.status, six.json.data]).toEqual([500, undefined]);
    expect(six.json.errors[0].message).toContain("root selections: 5");
  });

  it.each([
    ["no text that is no query", "query {"],
    ["no field that is not there", "{ votes { id weight } }"],
    ["no filter that is not there", `{ votes(where: { id_gt: "0x1" }) { id } }`],
    ["no variable that nobody declared", "query Votes { votes(where: $where) { id } }"],
  ])("takes %s", async (_why, query) => {
    expect((await post({ query })).status).toBe(400);
  });

  it.each([
    ["greater than 0 is forgotten", { vp_gt: 0, created_gt: 0 }, [1, 2, 3]],
    ["at least 0 is forgotten", { created_gte: 0 }, [1, 2, 3]],
    ["less than 0 is forgotten", { created_lt: 0 }, [1, 2, 3]],
    ["at most 0 is forgotten", { created_lte: 0 }, [1, 2, 3]],
    ["one of none", { voter_in: [] }, []],
  ])("filters votes: %s", async (_why, where, answered) => {
    expect(await votes({ where })).toEqual(answered);
  });

  it.each([
    { orderBy: "created", orderDirection: "asc", answered: [1, 2, 3] },
    { orderBy: "created", orderDirection: "desc", answered: [3, 2, 1] },
    { orderBy: "vp", orderDirection: "asc", answered: [3, 2, 1] },
    { orderBy: "voter", orderDirection: "asc", answered: [1, 2, 3] },
  ])("orders votes by $orderBy $orderDirection, if it knows the order", async ({ answered, ...order }) => {
    expect(await votes(order)).toEqual(answered);
  });

  it.each([
    { operation: "Spaces", message: "Unexpected error", answered: [500, null] },
    { operation: "Proposals", message: "request failed", answered: [500, null] },
    { operation: "Votes", message: "request failed", answered: [500, null] },
    { operation: "Space", message: "Unexpected error", answered: [200, { space: null }] },
  ] as const)(
    "answers errors to $operation where its SQL fails",
    async ({ operation, message, answered }) => {
      hub.failWith(() => ({ kind: "database" }));
      const { status, json } = await ask(operation, { id: "sample.eth" });
      expect([status, json.data]).toEqual(answered);
      expect(json.errors).toMatchObject([{ message, path: [operation.toLowerCase()] }]);
    },
  );

  it("answers 400 with HTML to what is no JSON, and 500 to a variable of a wrong type", async () => {
    const { status, text } = await post("{");
    expect([status, text]).toEqual([400, expect.stringContaining("<!DOCTYPE html>")]);
    expect((await ask("Votes", { first: 1.5 })).status).toBe(500);
  });

  it("has no votes of a deleted proposal, and no proposals of a deleted space", async () => {
    hub.store.putProposal(closedProposal("0x2"));
    hub.store.proposals.delete("0x1");
    expect((await ask("Votes", {})).json.data.votes).toEqual([]);
    expect((await ask("Proposals", {})).json.data.proposals).toHaveLength(1);
    hub.store.spaces.delete("sample.eth");
    expect((await ask("Proposals", {})).json.data.proposals).toEqual([]);
  });

  it("has no votes at all where one lacks what a vote has, and says which", async () => {
    hub.store.castVote(voteOn(closedProposal("0x1"), 2, { created: 1_002, choice: null }));
    const { status, json } = await ask("Votes", { orderBy: "created", orderDirection: "asc" });
    expect([status, json.data]).toEqual([500, null]);
    const message = "Cannot return null for non-nullable field Vote.choice.";
    expect(json.errors).toMatchObject([{ message, path: ["votes", 1, "choice"] }]);
  });

  it.each([
    { field: "quorum", value: "many", left: { voting: { quorum: null } } },
    { field: "quorumType", value: {}, left: null },
  ])("has null for a $field of a wrong type, or for what it is part of", async ({ field, value, left }) => {
    hub.store.putSpace(sampleSpace({ voting: { [field]: value } }));
    const { status, json } = await post({ query: `{ space(id: "sample.eth") { voting { ${field} } } }` });
    expect([status, json.data.space]).toEqual([200, left]);
    expect(json.errors[0].path).toEqual(["space", "voting", field]);
  });
});

describe("the rate limit of a hub", () => {
  const HEADERS = ["retry-after", "ratelimit-remaining", "ratelimit-reset", "x-api-key-remaining"];
  let atMs: number;
  let hub: FakeHub;
  beforeEach(async () => {
    atMs = 0;
    hub = await startFakeHub({ limiter: { requestsPerMinute: 100, nowMs: () => atMs }, keyLimit: 2 });
  });
  afterEach(() => hub.close());
  const ask = async (headers: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(hub.url, { method: "POST", body: "{}", headers });
    return [answer.status === 429, ...HEADERS.map((name) => answer.headers.get(name))];
  };

  it("answers 429 to the 101st request of a minute, and to none once its window is over", async () => {
    expect(await ask()).toEqual([false, null, "99", "60", null]);
    for (let count = 1; count < 100; count += 1) {
      atMs += 100;
      expect((await ask())[0]).toBe(false);
    }
    expect(await ask()).toEqual([true, "51", "0", "51", null]);
    atMs = 59_999;
    expect(await ask()).toEqual([true, "1", "0", "1", null]);
    atMs = 60_000;
    expect((await ask())[0]).toBe(false);
  });

  it("is for keys whose requests of the month are used up, and for no other", async () => {
    const key = { "x-api-key": "good" };
    expect(await ask(key)).toEqual([false, null, null, null, "1"]);
    expect(await ask(key)).toEqual([false, null, null, null, "0"]);
    expect(await ask(key)).toEqual([false, null, "99", "60", "0"]);
  });
});
