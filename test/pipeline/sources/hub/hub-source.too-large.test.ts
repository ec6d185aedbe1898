import { describe, expect, it } from "vitest";
import { closedProposal, putWithVotes, voteOn } from "../../../support/fake-hub/sample-space.ts";
import type { ArrivedQuery, HubFault } from "../../../support/fake-hub/start-fake-hub.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

/** Answers with `fault` where more than so many rows are asked for. */
const past = (most: number, fault: HubFault) => (query: ArrivedQuery) =>
  Number(query.variables["first"]) > most ? fault : undefined;
const REFUSAL: HubFault = { kind: "status", status: 413, body: { error: "too large" } };
const GATEWAY_TIMEOUT: HubFault = { kind: "status", status: 504, body: "<html>" };
const BOMB: HubFault = { kind: "bomb", bytes: 16 * 1024 * 1024 };
const FLOOD: HubFault = { kind: "body", body: `{"data":{"votes":[${"0,".repeat(600_000)}0]}}` };

describe("an answer that is too large is asked for in parts, and nothing is lost or doubled", () => {
  it.each([
    { why: "the hub says so", fault: REFUSAL, pageSize: 1_000 },
    { why: "it unpacks to more than the door lets in", fault: BOMB, pageSize: 300 },
    { why: "it holds more values than the door lets in", fault: FLOOD, pageSize: 300 },
    { why: "from a page that is small already", fault: REFUSAL, pageSize: 300 },
    { why: "a proxy in front of the hub waits no longer", fault: GATEWAY_TIMEOUT, pageSize: 1_000 },
    { why: "the hub breaks down over it", fault: { kind: "restart" } as const, pageSize: 1_000 },
  ])("$why", async ({ fault, pageSize }) => {
    const { store } = stage.hub();
    stage.putCrowded();
    for (let n = 2; n < 250; n += 1) store.putProposal(closedProposal(`0x${n}`));
    stage.hub().failWith(past(200, fault));
    const record = await stage.fetch({ pageSize });
    expect(record).toMatchObject({ status: "complete", proposals: 249, votes: 2_500, rejected: {} });
    const powers = stage.facts().ballots.get("0x1")?.powers ?? new Float64Array();
    expect(powers.reduce((sum, power) => sum + power, 0)).toBe((2_500 * 2_501) / 2);
  });

  it("also where proposals are asked for by id", async () => {
    const { store } = stage.hub();
    for (let n = 0; n < 90; n += 1) store.putProposal(closedProposal(`0x${n}`));
    await stage.fetch();
    // Out of the listing, so that each is asked for by its id, and found.
    for (const row of [...store.proposals.values()]) {
      store.putProposal({ ...row, start: Number(row["start"]) - 1e8, end: Number(row["end"]) - 1e8 });
    }
    stage.hub().failWith(past(20, REFUSAL));
    expect(await stage.fetch()).toMatchObject({ status: "complete", proposals: 90, rejected: {} });
    expect(stage.facts().proposals.some(({ isDeleted }) => isDeleted)).toBe(false);
  });
});

it.each([
  { why: "refused", fault: REFUSAL, attempts: 1 },
  { why: "too slow", fault: GATEWAY_TIMEOUT, attempts: 2 },
])(
  "a size that worked is kept for the space, and the larger one is tried now and then: $why",
  async (row) => {
    const { fault, attempts } = row;
    const { store } = stage.hub();
    for (let n = 0; n < 3; n += 1) {
      const proposal = closedProposal(`0x${n}`);
      const votes = Array.from({ length: 2_000 }, (_, voter) => voteOn(proposal, voter + 1));
      putWithVotes(store, proposal, votes);
    }
    stage.hub().failWith(past(250, fault));
    expect(await stage.fetch()).toMatchObject({ votes: 6_000, rejected: {} });
    const sizes = stage
      .hub()
      .arrived.flatMap(({ operation, variables }) =>
        operation === "Votes" ? [Number(variables["first"])] : [],
      );
    const failed = (size: number) => Array.from({ length: attempts }, () => size);
    const pages = (count: number) => Array.from({ length: count }, () => 250);
    expect(sizes).toEqual([
      ...[...failed(1_000), ...failed(500), ...pages(8)],
      ...[...failed(500), ...pages(16)],
      ...[...failed(500), ...pages(3)],
    ]);
    // Each ballot ends with an empty page.
    expect(sizes.filter((size) => size === 250)).toHaveLength(24 + 3);
  },
);

it.each([
  { why: "one row", failing: "Votes", requests: 10 },
  { why: "a space", failing: "Space", requests: 1 },
])("fails where even $why is too large, after so many questions", async ({ failing, requests }) => {
  const proposal = closedProposal("0x1");
  stage.cast(proposal, 1);
  stage.hub().failWith(({ operation }) => (operation === failing ? REFUSAL : undefined));
  const record = await stage.fetch();
  expect(record.error).toEqual({
    code: "SOURCE_FAILED",
    message: `the hub's answer is too large (${failing})`,
  });
  expect(stage.asked()[failing]).toBe(requests);
});
