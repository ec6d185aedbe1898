import { describe, expect, it } from "vitest";
import type { Space } from "../../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { HubProposal, proposalOfHub, spaceOfHub } from "../../../../pipeline/sources/upstream/hub-objects.ts";

const readSpace = (hub: object) => spaceOfHub({ id: "x.example", ...hub }, "x.example");

describe("spaceOfHub", () => {
  const rows: readonly { why: string; hub: object; want: Partial<Space> }[] = [
    {
      why: "an id alone",
      hub: {},
      want: {
        name: undefined,
        isProposingGated: undefined,
        hasFixedPeriod: undefined,
        quorum: undefined,
        adminsAndModeratorsCount: undefined,
      },
    },
    {
      why: "marks of the hub",
      hub: { flagged: true, hibernated: false, verified: null },
      want: { isFlagged: true, isHibernated: false, isVerified: undefined },
    },
    {
      why: "its own pages",
      hub: { website: "http://x.example", discussions: "https://forum.x.example/c/1" },
      want: { website: "http://x.example/", forum: "https://forum.x.example/c/1" },
    },
    {
      why: "pages that are none of the web, hold a password or lead to a wallet, and what is no text",
      hub: {
        website: `https://scan.example/${"0xab".padEnd(42, "c")}`,
        discussions: "https://a:b@x.example/",
      },
      want: { website: undefined, forum: undefined },
    },
    {
      why: "pages that are no text",
      hub: { website: 5, discussions: {} },
      want: { website: undefined, forum: undefined },
    },
    { why: "members only", hub: { filters: { onlyMembers: true } }, want: { isProposingGated: true } },
    {
      why: "open by its filter",
      hub: { filters: { onlyMembers: false } },
      want: { isProposingGated: false },
    },
    {
      why: "a filter's score, where no validation is named",
      hub: { filters: { onlyMembers: false, minScore: 5 } },
      want: { isProposingGated: true },
    },
    {
      why: "no score asked for, and no word on members",
      hub: { filters: { minScore: 0 } },
      want: { isProposingGated: undefined },
    },
    {
      why: "a basic validation takes the filter's score where it has none",
      hub: { filters: { minScore: 5 }, validation: { name: "basic", params: {} } },
      want: { isProposingGated: true },
    },
    {
      why: "and no parameters",
      hub: { filters: { onlyMembers: false, minScore: 0.5 }, validation: { name: "basic", params: null } },
      want: { isProposingGated: true },
    },
    {
      why: "and a score of nothing",
      hub: { filters: { minScore: 5 }, validation: { name: "basic", params: { minScore: 0 } } },
      want: { isProposingGated: true },
    },
    {
      why: "a validation without a name is basic",
      hub: { filters: { minScore: 5 }, validation: { name: null, params: {} } },
      want: { isProposingGated: true },
    },
    {
      why: "a filter's score of nothing",
      hub: { filters: { minScore: 0 }, validation: { name: "basic", params: {} } },
      want: { isProposingGated: false },
    },
    {
      why: "a filter's score beside validation any",
      hub: { filters: { minScore: 5 }, validation: { name: "any", params: {} } },
      want: { isProposingGated: false },
    },
    {
      why: "validation any, whatever its parameters",
      hub: { validation: { name: "any", params: { minScore: 5 } } },
      want: { isProposingGated: false },
    },
    {
      why: "a validation of another kind, whatever its parameters",
      hub: { validation: { name: "passport-gated", params: {} } },
      want: { isProposingGated: true },
    },
    {
      why: "a basic validation",
      hub: { validation: { name: "basic", params: { minScore: 1 } } },
      want: { isProposingGated: true },
    },
    {
      why: "a basic validation that asks for something else",
      hub: { validation: { name: "basic", params: { strategies: [{}] } } },
      want: { isProposingGated: false },
    },
    {
      why: "a basic validation without parameters",
      hub: { validation: { name: "basic" } },
      want: { isProposingGated: false },
    },
    {
      why: "members alone, beside validation any",
      hub: { filters: { onlyMembers: true }, validation: { name: "any" } },
      want: { isProposingGated: true },
    },
    {
      why: "a period",
      hub: { voting: { period: 86_400 } },
      want: { hasFixedPeriod: true, quorum: undefined },
    },
    {
      why: "a free period",
      hub: { voting: { period: null, quorum: null } },
      want: { hasFixedPeriod: false, quorum: 0 },
    },
    { why: "a quorum", hub: { voting: { quorum: 12.5 } }, want: { quorum: 12.5 } },
    {
      why: "a veto says nothing of a quorum",
      hub: { voting: { quorum: 12.5, quorumType: "rejection" } },
      want: { quorum: undefined },
    },
    {
      why: "one wallet in two offices",
      hub: { admins: ["0xAB"], moderators: ["0xab", "0xcd"] },
      want: { adminsAndModeratorsCount: 2 },
    },
    { why: "nobody", hub: { admins: [] }, want: { adminsAndModeratorsCount: 0 } },
    { why: "a name that hides something", hub: { name: "De\u200Bfi " }, want: { name: "Defi" } },
  ];
  it.each(rows)("$why", ({ hub, want }) => {
    const { space, unknown } = readSpace(hub);
    expect(space).toMatchObject(want);
    expect(unknown).toEqual([]);
  });

  const OPEN = { filters: { onlyMembers: false, minScore: 0 }, validation: { name: "any", params: {} } };
  it.each<{ why: string; hub: object; names?: readonly string[]; want: Partial<Space> }>([
    { why: "a name that is a list", hub: { name: ["X"] }, names: ["name"], want: { name: undefined } },
    {
      why: "a quorum of words, and with it all else of voting",
      hub: { name: "X", voting: { period: 9, quorum: "many" } },
      names: ["voting"],
      want: { name: "X", quorum: undefined, hasFixedPeriod: undefined },
    },
    {
      why: "a quorum below 0",
      hub: { voting: { quorum: -1 } },
      names: ["voting"],
      want: { quorum: undefined },
    },
    {
      why: "an infinite quorum",
      hub: { voting: { quorum: Number.POSITIVE_INFINITY } },
      names: ["voting"],
      want: { quorum: undefined },
    },
    {
      why: "moderators that are none, so that nobody can count them",
      hub: { admins: ["0xab"], moderators: [7] },
      names: ["moderators"],
      want: { adminsAndModeratorsCount: undefined },
    },
    {
      why: "marks of a wrong type",
      hub: { flagged: 1, hibernated: "no", verified: true },
      names: ["flagged", "hibernated"],
      want: { isFlagged: undefined, isHibernated: undefined, isVerified: true },
    },
    {
      why: "filters, which may be a gate",
      hub: { ...OPEN, filters: { minScore: "5" } },
      names: ["filters"],
      want: { isProposingGated: undefined },
    },
    {
      why: "filters, where the validation is a gate already",
      hub: { filters: 0, validation: { name: "passport-gated" } },
      names: ["filters"],
      want: { isProposingGated: true },
    },
    {
      why: "a validation, which decides whether the filter's score is asked for",
      hub: { filters: { onlyMembers: false, minScore: 5 }, validation: "any" },
      names: ["validation"],
      want: { isProposingGated: undefined },
    },
    {
      why: "a validation, where members alone may propose",
      hub: { filters: { onlyMembers: true }, validation: [] },
      names: ["validation"],
      want: { isProposingGated: true },
    },
  ])("takes for unknown $why", ({ hub, names = [], want }) => {
    const { space, unknown } = readSpace(hub);
    expect(space).toMatchObject(want);
    expect(unknown).toEqual(names.map((name) => `${name} is not valid and counts as unknown`));
  });

  it.each([
    { why: "another space", value: { id: "y.example" }, code: "ID_INVALID" },
    { why: "no id", value: { name: "X" }, code: "BAD_SHAPE" },
    { why: "an id that is a list of it", value: { id: ["x.example"] }, code: "BAD_SHAPE" },
    { why: "a list", value: [], code: "BAD_SHAPE" },
    { why: "a word", value: "x.example", code: "BAD_SHAPE" },
  ])("refuses $why", ({ value, code }) => {
    expect(() => spaceOfHub(value, "x.example")).toThrow(expect.objectContaining({ code }));
  });
});

const START_S = Date.UTC(2022, 0, 1) / 1000;

const readProposal = (hub: object): Proposal => proposalOfHub(HubProposal.parse({ id: "QmX", ...hub }));

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
    {
      why: "a quorum for which nobody knows what counts",
      hub: { quorum: 5, quorumType: "of-next-year" },
      want: { quorum: undefined, isQuorumRejection: false },
    },
    { why: "a quorum of no type", hub: { quorum: 5, quorumType: "" }, want: { quorum: 5 } },
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
    const proposal = readProposal(hub);
    expect(proposal).toMatchObject(want);
    expect(proposal.proposalId).toBe("QmX");
  });

  it("keeps the link to it, though its id is as long as a wallet", () => {
    const id = `0x${"ab".repeat(32)}`;
    const link = `https://vote.example/#/proposal/${id}`;
    expect(readProposal({ id, link }).link).toBe(link);
    expect(readProposal({ link }).link).toBeUndefined();
  });
});
