import { describe, expect, it } from "vitest";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { HubProposal, proposalOfHub } from "../../../../pipeline/sources/upstream/hub-objects.ts";

const START_S = Date.UTC(2022, 0, 1) / 1000;

const read = (hub: object): Proposal => proposalOfHub(HubProposal.parse({ id: "QmX", ...hub }));

describe("proposalOfHub", () => {
  const rows: readonly { why: string; hub: object; want: Partial<Proposal> }[] = [
    {
      why: "an id alone: nothing is made up",
      hub: {},
      want: {
        title: undefined,
        link: undefined,
        author: undefined,
        start: undefined,
        end: undefined,
        votingType: undefined,
        choicesCount: undefined,
        discussion: undefined,
        quorum: undefined,
        state: undefined,
        scoresState: undefined,
        scoresTotal: undefined,
        votesCount: undefined,
        strategiesKey: undefined,
        isShutter: false,
        isFlagged: false,
        isDeleted: false,
      },
    },
    {
      why: "a title on one line, cut at 200 characters",
      hub: { title: `A\n${"z".repeat(300)}` },
      want: { title: `A ${"z".repeat(198)}` },
    },
    { why: "a link that is no text", hub: { link: 7 }, want: { link: undefined } },
    {
      why: "seconds",
      hub: { start: START_S, end: START_S },
      want: {
        start: { atMs: START_S * 1000, precision: "second" },
        end: { atMs: START_S * 1000, precision: "second" },
      },
    },
    {
      why: "days: from the first to the last millisecond",
      hub: { start: null, start_date: "2022-01-01", end: null, end_date: "2022-01-01" },
      want: {
        start: { atMs: START_S * 1000, precision: "day" },
        end: { atMs: START_S * 1000 + 86_399_999, precision: "day" },
      },
    },
    {
      why: "seconds before days",
      hub: { created: START_S, created_date: "2020-02-02" },
      want: { created: { atMs: START_S * 1000, precision: "second" } },
    },
    {
      why: "the first second of 2015",
      hub: { start: Date.UTC(2015, 0, 1) / 1000 },
      want: { start: { atMs: Date.UTC(2015, 0, 1), precision: "second" } },
    },
    {
      why: "the last second of 2099",
      hub: { start: Date.UTC(2100, 0, 1) / 1000 - 1 },
      want: { start: { atMs: Date.UTC(2100, 0, 1) - 1000, precision: "second" } },
    },
    { why: "a known type", hub: { type: "copeland" }, want: { votingType: "copeland" } },
    { why: "a type to come", hub: { type: "liquid-futarchy" }, want: { votingType: "unknown" } },
    { why: "no type", hub: { type: null }, want: { votingType: undefined } },
    {
      why: "choices are counted, whatever they say",
      hub: { choices: ["a", null, 3] },
      want: { choicesCount: 3 },
    },
    {
      why: "never edited, counted once",
      hub: { updated: null, scores_updated: 7 },
      want: { revision: "/7" },
    },
    { why: "edited, not counted", hub: { updated: 5, scores_updated: null }, want: { revision: "5/" } },
    { why: "neither key", hub: { votes: 3 }, want: { revision: undefined } },
    { why: "no choices are unknown choices", hub: { choices: [] }, want: { choicesCount: undefined } },
    { why: "an empty discussion is a no", hub: { discussion: "" }, want: { discussion: "" } },
    {
      why: "a null discussion likewise: the key is there",
      hub: { discussion: null },
      want: { discussion: "" },
    },
    { why: "a discussion as given", hub: { discussion: "see forum" }, want: { discussion: "see forum" } },
    { why: "quorum 0 is known to be 0", hub: { quorum: 0 }, want: { quorum: 0 } },
    {
      why: "a veto",
      hub: { quorum: 5, quorumType: "rejection" },
      want: { quorum: 5, isQuorumRejection: true },
    },
    { why: "final", hub: { scores_state: "final" }, want: { scoresState: "final" } },
    { why: "not counted yet", hub: { scores_state: "" }, want: { scoresState: "pending" } },
    {
      why: "the key with nothing in it is not an archive's silence",
      hub: { scores_state: null },
      want: { scoresState: "pending" },
    },
    {
      why: "counted wrongly",
      hub: { scores_state: "invalid", scores_total: 1.2345678901234568e21 },
      want: { scoresState: "invalid", scoresTotal: 1.2345678901234568e21 },
    },
    { why: "one l", hub: { state: "canceled" }, want: { state: "cancelled" } },
    {
      why: "shielded, flagged, deleted",
      hub: { privacy: "shutter", flagged: true, deleted: true },
      want: { isShutter: true, isFlagged: true, isDeleted: true },
    },
    { why: "other privacy", hub: { privacy: "" }, want: { isShutter: false } },
    {
      why: "author in lower case",
      hub: { author: `0x${"AB".repeat(20)}` },
      want: { author: `0x${"ab".repeat(20)}` },
    },
    {
      why: "a title that lies by its direction",
      hub: { title: "pay\u202E xxx\u0000" },
      want: { title: "pay xxx" },
    },
    { why: "a title of nothing visible", hub: { title: "\u200B" }, want: { title: undefined } },
    {
      why: "strategies in one spelling",
      hub: { strategies: [{ params: { b: 1, a: 2 }, name: "x" }] },
      want: { strategiesKey: '[{"name":"x","params":{"a":2,"b":1}}]' },
    },
    {
      why: "keys we do not know",
      hub: { ext: { a: 1 }, __proto__: { isDeleted: true } },
      want: { isDeleted: false },
    },
  ];
  it.each(rows)("$why", ({ hub, want }) => {
    const proposal = read(hub);
    expect(proposal).toMatchObject(want);
    expect(proposal.proposalId).toBe("QmX");
  });

  it("keeps the link to it, though its id is as long as a wallet", () => {
    const id = `0x${"ab".repeat(32)}`;
    const link = `https://vote.example/#/proposal/${id}`;
    expect(read({ id, link }).link).toBe(link);
    expect(read({ link }).link).toBeUndefined();
  });
});
