import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HUB_RELEASES } from "./hub-schema.ts";
import type { HubRow } from "./hub-store.ts";
import { closedProposal, crowdedVotes, sampleSpace, voteOn, voter } from "./sample-space.ts";
import { type FakeHub, startFakeHub } from "./start-fake-hub.ts";

describe.each(HUB_RELEASES)("the %s hub", (release) => {
  const isCurrent = release === "current";
  let hub: FakeHub;
  beforeEach(async () => {
    hub = await startFakeHub({ release });
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
    Spaces: `query Spaces($where: SpaceWhere, ${LISTING}) { spaces(${PASSED}) { id } }`,
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
    const { json } = await ask("Votes", {
      first: 10,
      orderBy: "created",
      orderDirection: "asc",
      ...variables,
    });
    return (json.data.votes as { voter: string }[]).map((vote) => Number(vote.voter));
  };

  /** What comes with the errors of a list: no data at all, or null in its place. */
  const withoutList = (field: string) => (isCurrent ? [500, null] : [200, { [field]: null }]);

  describe("its limits", () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `0x${index}`);
    const LIMITS: readonly {
      readonly why: string;
      readonly operation?: keyof typeof QUERIES;
      readonly variables: HubRow;
      readonly refused?: string;
    }[] = [
      { why: "first at 1,000", variables: { first: 1_000 } },
      { why: "first past 1,000", variables: { first: 1_001 }, refused: "`first` argument must not be" },
      { why: "first below 0", variables: { first: -1 }, refused: "`first` argument must be positive" },
      { why: "skip at 5,000", variables: { skip: 5_000 } },
      { why: "skip past 5,000", variables: { skip: 5_001 }, refused: "greater than 5000" },
      { why: "skip below 0", variables: { skip: -1 }, refused: "`skip` argument must be positive" },
      { why: "100 ids", variables: { where: { id_in: ids(100) } } },
      { why: "101 ids", variables: { where: { id_in: ids(101) } }, refused: "`id_in`" },
      { why: "101 proposals", variables: { where: { proposal_in: ids(101) } }, refused: "`proposal_in`" },
      {
        why: "proposals of 10,000 spaces",
        operation: "Proposals",
        variables: { where: { space_in: ids(10_000) } },
      },
      {
        why: "proposals of 10,001 spaces",
        operation: "Proposals",
        variables: { where: { space_in: ids(10_001) } },
        refused: "`space_in`",
      },
      { why: "100,000 spaces skipped", operation: "Spaces", variables: { skip: 100_000 } },
      {
        why: "100,001 spaces skipped",
        operation: "Spaces",
        variables: { skip: 100_001 },
        refused: "greater than 100000",
      },
    ];
    it.each(LIMITS)("$why", async ({ operation = "Votes", variables, refused }) => {
      const { status, json } = await ask(operation, variables);
      if (refused === undefined) expect([status, json.errors]).toEqual([200, undefined]);
      else {
        expect([status, json.data]).toEqual(withoutList(operation.toLowerCase()));
        expect(json.errors[0].message).toContain(refused);
      }
    });

    it("five queries in one request, by aliases too; of six none", async () => {
      const many = (count: number) =>
        `{ ${ids(count).map((id, n) => `a${n}: votes(where: { proposal: "${id}" }) { id }`)} }`;
      const { status, json } = await post({ query: many(5) });
      expect([status, json.data.a0.length, json.data.a1.length]).toEqual([200, 0, 3]);
      const six = await post({ query: many(6) });
      expect([six.status, six.json.data]).toEqual([500, undefined]);
      expect(six.json.errors[0].message).toContain("root selections: 5");
    });

    it.each([
      { why: "five levels below a query", parents: "parent { parent { id } }", status: 200 },
      { why: "no sixth", parents: "parent { parent { parent { id } } }", status: 400 },
    ])("$why", async ({ parents, status }) => {
      expect((await post({ query: `{ votes { proposal { space { ${parents} } } } }` })).status).toBe(status);
    });
  });

  describe("what the hub refuses with 400, for it parses and validates", () => {
    it.each([
      { why: "text that is no query", query: "query {", says: "Syntax Error" },
      { why: "a field that is not there", query: "{ votes { id weight } }", says: 'query field "weight"' },
      {
        why: "an object without its fields",
        query: "{ votes { proposal } }",
        says: "selection of subfields",
      },
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
      { why: "greater than 0 is forgotten", where: { vp_gt: 0, created_gt: 0 }, answered: [1, 2, 3] },
      { why: "at least 0 is forgotten", where: { created_gte: 0 }, answered: [1, 2, 3] },
      { why: "less than 0 is forgotten", where: { created_lt: 0 }, answered: [1, 2, 3] },
      { why: "at most 0 is forgotten", where: { created_lte: 0 }, answered: [1, 2, 3] },
      { why: "one of none", where: { voter_in: [] }, answered: [] },
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

    it("breaks ties by id: of votes in the direction of the order since the current release", async () => {
      for (const vote of [...hub.store.votes.values()]) hub.store.castVote({ ...vote, created: 7 });
      expect(await votes({ orderDirection: "asc" })).toEqual([1, 2, 3]);
      expect(await votes({ orderDirection: "desc" })).toEqual(isCurrent ? [3, 2, 1] : [1, 2, 3]);
      for (const id of ["0x2", "0x3"]) hub.store.putProposal(closedProposal(id));
      const { json } = await ask("Proposals", { orderBy: "created", orderDirection: "desc" });
      expect(json.data.proposals.map((one: HubRow) => one["id"])).toEqual(["0x1", "0x2", "0x3"]);
    });

    it("loses votes to a cursor that is a second alone, where they share one with the end of a page", async () => {
      const proposal = closedProposal("0xcrowd");
      hub.store.putProposal(proposal);
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
  });

  describe("what the hub answers when it does not answer", () => {
    it("429 with a body that is no GraphQL, and when to come again", async () => {
      hub.failWith(() => ({ kind: "rate-limit" }));
      const { status, headers, json } = await ask("Votes", {});
      expect([status, Object.keys(json)]).toEqual([429, ["error", "error_description"]]);
      expect([headers.get("retry-after"), headers.get("ratelimit-remaining")]).toEqual(["60", "0"]);
    });

    describe("its rate limit", () => {
      const HEADERS = ["retry-after", "ratelimit-remaining", "ratelimit-reset", "x-api-key-remaining"];
      let atMs: number;
      let counting: FakeHub;
      beforeEach(async () => {
        atMs = 0;
        const limiter = { requestsPerMinute: 100, nowMs: () => atMs };
        counting = await startFakeHub({ release, limiter, keyLimit: 2 });
      });
      afterEach(() => counting.close());
      const askIt = async (headers: Readonly<Record<string, string>> = {}) => {
        const answer = await fetch(counting.url, { method: "POST", body: "{}", headers });
        return [answer.status === 429, ...HEADERS.map((name) => answer.headers.get(name))];
      };

      it("429 to the 101st request of a minute, and to none once its window is over", async () => {
        expect(await askIt()).toEqual([false, null, "99", "60", null]);
        for (let count = 1; count < 100; count += 1) {
          atMs += 100;
          expect((await askIt())[0]).toBe(false);
        }
        expect(await askIt()).toEqual([true, "51", "0", "51", null]);
        atMs = 59_999;
        expect(await askIt()).toEqual([true, "1", "0", "1", null]);
        atMs = 60_000;
        expect((await askIt())[0]).toBe(false);
      });

      it("is for keys whose requests of the month are used up, and for no other", async () => {
        const key = { "x-api-key": "good" };
        expect(await askIt(key)).toEqual([false, null, null, null, "1"]);
        expect(await askIt(key)).toEqual([false, null, null, null, "0"]);
        expect(await askIt(key)).toEqual([false, null, "99", "60", "0"]);
      });
    });

    it.each([
      { operation: "Spaces", message: "Unexpected error" },
      { operation: "Proposals", message: "request failed" },
      { operation: "Votes", message: "request failed" },
    ] as const)("errors to $operation where its SQL fails", async ({ operation, message }) => {
      hub.failWith(() => ({ kind: "database" }));
      const { status, json } = await ask(operation, {});
      const field = operation.toLowerCase();
      expect([status, json.data]).toEqual(withoutList(field));
      expect(json.errors).toMatchObject([{ message, path: [field] }]);
    });

    it("200 and an error to a space where its SQL fails", async () => {
      hub.failWith(() => ({ kind: "database" }));
      const { status, json } = await ask("Space", { id: "sample.eth" });
      expect([status, json.data]).toEqual([200, { space: null }]);
      expect(json.errors).toMatchObject([{ message: "Unexpected error", path: ["space"] }]);
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

    it.each([{ first: "many" }, { first: 1.5 }])("500 to the variable %j", async (variables) => {
      expect((await ask("Votes", variables)).status).toBe(500);
    });
  });

  describe("what the hub has", () => {
    it("no votes of a deleted proposal since the current release; before, with a null proposal", async () => {
      hub.store.proposals.delete("0x1");
      const { json } = await ask("Votes", { where: { proposal: "0x1" } });
      expect(json.data.votes.map((vote: HubRow) => vote["proposal"])).toEqual(
        isCurrent ? [] : [null, null, null],
      );
    });

    it("no proposals and votes of a deleted space since the current release", async () => {
      hub.store.spaces.delete("sample.eth");
      const listed = [
        (await ask("Proposals", {})).json.data.proposals,
        (await ask("Votes", {})).json.data.votes,
      ];
      expect(listed.map(({ length }) => length)).toEqual(isCurrent ? [0, 0] : [1, 3]);
    });

    it("no votes at all where one lacks what a vote has; before the current release, all but that one", async () => {
      hub.store.castVote(voteOn(closedProposal("0x1"), 2, { created: 1_002, choice: null }));
      const { status, json } = await ask("Votes", { orderBy: "created", orderDirection: "asc" });
      if (isCurrent) expect([status, json.data]).toEqual([500, null]);
      else {
        expect(status).toBe(200);
        expect(json.data.votes).toMatchObject([{ voter: voter(1) }, null, { voter: voter(3) }]);
      }
      expect(json.errors).toMatchObject([
        { message: "Cannot return null for non-nullable field Vote.choice.", path: ["votes", 1, "choice"] },
      ]);
    });

    it.each([
      { field: "quorum", value: "many", left: { voting: { quorum: null } } },
      { field: "quorumType", value: {}, left: isCurrent ? null : { voting: null } },
    ])("status 200 and null for a $field of a wrong type, or for what it is part of", async (row) => {
      hub.store.putSpace(sampleSpace({ voting: { [row.field]: row.value } }));
      const query = `{ space(id: "sample.eth") { voting { ${row.field} } } }`;
      const { status, json } = await post({ query });
      expect([status, json.data.space]).toEqual([200, row.left]);
      expect(json.errors[0].path).toEqual(["space", "voting", row.field]);
    });
  });
});
