import { describe, expect, it } from "vitest";
import { closedProposal, putWithVotes, voteOn } from "../../../support/fake-hub/sample-space.ts";
import type { HubFault } from "../../../support/fake-hub/start-fake-hub.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

describe("a fault that passes", () => {
  const faults: readonly { readonly why: string; readonly fault: HubFault }[] = [
    { why: "429", fault: { kind: "rate-limit" } },
    { why: "a body that is cut", fault: { kind: "cut" } },
    { why: "a restart", fault: { kind: "restart" } },
    { why: "503", fault: { kind: "status", status: 503, body: {} } },
    { why: "a database that fails", fault: { kind: "database" } },
    { why: "a slow answer", fault: { kind: "slow", waitMs: 15 } },
  ];
  it.each(faults.flatMap((row) => [1_000, 100].map((pageSize) => ({ ...row, pageSize }))))(
    "costs no vote and doubles none: $why at every third request, $pageSize a page",
    async ({ fault, pageSize }) => {
      stage.putCrowded();
      stage.hub().failWith((_query, count) => (count % 3 === 1 ? fault : undefined));
      const record = await stage.fetch({ pageSize });
      expect(record).toMatchObject({ status: "complete", votes: 2_500, rejected: {} });
      expect(
        stage
          .facts()
          .ballots.get("0x1")
          ?.powers.reduce((sum, vp) => sum + vp, 0),
      ).toBe(3_126_250);
    },
  );

  it("at three a page: a cut body now and then", async () => {
    stage.putCrowded();
    stage.hub().failWith((_query, count) => (count % 50 === 7 ? { kind: "cut" } : undefined));
    expect(await stage.fetch({ pageSize: 3 })).toMatchObject({
      status: "complete",
      votes: 2_500,
      rejected: {},
    });
  });
});

describe("a fault that stays fails the DAO, names the reason and changes nothing", () => {
  const votes = [1, 2, 3].map((n) => voteOn(closedProposal("0x2"), n));
  it.each<{
    readonly why: string;
    readonly fault: HubFault;
    readonly says: string;
    readonly most: number;
    readonly pageSize?: number;
  }>([
    { why: "429", fault: { kind: "rate-limit" }, says: "", most: 4 },
    // Twice for two rows, and then for one as often as for what is not about size.
    { why: "500 that says nothing", fault: status(500, { errors: [] }), says: "answered 500", most: 2 + 3 },
    { why: "restarts", fault: { kind: "restart" }, says: "closed the connection", most: 2 + 4 },
    { why: "a database", fault: { kind: "database" }, says: "request failed", most: 4 },
    { why: "a bomb", fault: { kind: "bomb", bytes: 64 * 1024 * 1024 }, says: "", most: 4 },
    { why: "401", fault: status(401, { error: "unauthorized" }), says: "refused the key", most: 1 },
    { why: "404", fault: status(404, { error: "not here" }), says: "status 404", most: 1 },
    {
      why: "errors with status 200",
      fault: body({ errors: [{ message: "a\u0000limit \u202ewas passed" }], data: { votes: null } }),
      says: "refused the query",
      most: 1,
    },
    {
      why: "errors that name our key",
      fault: status(500, { errors: [{ message: "no more with good" }], data: null }),
      says: "refused the query (Votes)",
      most: 1,
    },
    {
      why: "a limit that was passed",
      fault: status(500, { errors: [{ message: "The `skip` argument must not be greater than 5000" }] }),
      says: "refused the query: The `skip` argument must not be greater than 5000 (Votes)",
      most: 1,
    },
    { why: "errors without a word", fault: body({ errors: [{}] }), says: "refused the query", most: 1 },
    { why: "no data", fault: body({ data: null }), says: "sent an answer without votes", most: 1 },
    {
      why: "another field",
      fault: body({ data: { vote: [] } }),
      says: "sent an answer without votes",
      most: 1,
    },
    {
      why: "a field of the prototype alone",
      fault: body('{"data":{"__proto__":{"votes":[]}}}'),
      says: "",
      most: 1,
    },
    { why: "null for a list", fault: body({ data: { votes: null } }), says: "not a list of votes", most: 1 },
    { why: "a list of nothing", fault: body([]), says: "not GraphQL", most: 1 },
    { why: "more rows than asked for", fault: body({ data: { votes } }), says: "more than the 2", most: 1 },
    {
      why: "the same rows for ever",
      fault: body({
        data: { votes: Array.from({ length: 1_000 }, (_, n) => voteOn(closedProposal("0x2"), n)) },
      }),
      says: "not in order",
      // Six pages from the start of the second, one from its end, and one after it.
      most: 8,
      pageSize: 1_000,
    },
    {
      why: "rows of no form",
      fault: body({ data: { votes: [7] } }),
      says: "1 of 1 votes of the hub are malformed",
      most: 1,
    },
  ])("$why", async ({ fault, says, most, pageSize = 2 }) => {
    const { store } = stage.hub();
    putWithVotes(store, closedProposal("0x1"), [voteOn(closedProposal("0x1"), 1)]);
    await stage.fetch();
    const before = stage.facts();
    putWithVotes(store, closedProposal("0x2"), votes);
    stage.asked();
    stage.hub().failWith(({ operation }) => (operation === "Votes" ? fault : undefined));
    const record = await stage.fetch({ pageSize, apiKey: "good" });
    expect(record).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
    expect(record.error?.message).toContain(says);
    for (const unsafe of ["good", "\u0000", "\u202e"]) expect(record.error?.message).not.toContain(unsafe);
    expect(stage.asked()["Votes"]).toBeLessThanOrEqual(most);
    expect(stage.facts()).toEqual(before);
    stage.hub().failWith(undefined);
    expect(await stage.fetch()).toMatchObject({ status: "complete", votes: 4, rejected: {} });
  });
});

it.each([
  { failing: "Space", words: "Unexpected error" },
  { failing: "Proposals", words: "request failed" },
])(
  "a database that fails for $failing, with status 200, is asked again, and named if it stays so",
  async (row) => {
    const { failing, words } = row;
    stage.putCrowded();
    stage.hub().failWith(({ operation }) => (operation === failing ? { kind: "database" } : undefined));
    expect((await stage.fetch()).error?.message).toBe(
      `${new URL(stage.hub().url).origin} reports a database failure: "${words}" (given up after 4 attempts)`,
    );
  },
);

function status(code: number, content: unknown): HubFault {
  return { kind: "status", status: code, body: content };
}
function body(content: unknown): HubFault {
  return { kind: "body", body: content };
}
