import { describe, expect, it } from "vitest";
import type { Space } from "../../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../../pipeline/facts/proposal.ts";
import { HubProposal, proposalOfHub, spaceOfHub } from "../../../../pipeline/sources/upstream/hub-objects.ts";

const readSpace = (hub: object) => spaceOfHub({ id: "x.example", ...hub }, "x.example");

describe("spaceOfHub", () => {
  const UNKNOWN: Partial<Space> = {
    name: undefined,
    isProposingGated: undefined,
    hasFixedPeriod: undefined,
    quorum: undefined,
    adminsAndModeratorsCount: undefined,
  };
  const PAGES = { website: "http://x.example", discussions: "https://forum.x.example/c/1" };
  /** An address of a wallet, and a password. */
  const BAD_PAGES = {
    website: `https://scan.example/${"0xab".padEnd(42, "c")}`,
    discussions: "https://a:b@x.example/",
  };
  it.each<[why: string, hub: object, want: Partial<Space>]>([
    ["an id alone", {}, UNKNOWN],
    [
      "marks of the hub",
      { flagged: true, hibernated: false, verified: null },
      { isFlagged: true, isHibernated: false, isVerified: undefined },
    ],
    ["its own pages", PAGES, { website: "http://x.example/", forum: "https://forum.x.example/c/1" }],
    ["pages that hold a password or lead to a wallet", BAD_PAGES, { website: undefined, forum: undefined }],
    ["pages that are no text", { website: 5, discussions: {} }, { website: undefined, forum: undefined }],
    ["a period", { voting: { period: 86_400 } }, { hasFixedPeriod: true, quorum: undefined }],
    ["a free period", { voting: { period: null, quorum: null } }, { hasFixedPeriod: false, quorum: 0 }],
    ["a quorum", { voting: { quorum: 12.5 } }, { quorum: 12.5 }],
    [
      "a veto says nothing of a quorum",
      { voting: { quorum: 12.5, quorumType: "rejection" } },
      { quorum: undefined },
    ],
    [
      "one wallet in two offices",
      { admins: ["0xAB"], moderators: ["0xab", "0xcd"] },
      { adminsAndModeratorsCount: 2 },
    ],
    ["nobody", { admins: [] }, { adminsAndModeratorsCount: 0 }],
    ["a name that hides something", { name: "De\u200Bfi " }, { name: "Defi" }],
  ])("%s", (_why, hub, want) => {
    const { space, unknown } = readSpace(hub);
    expect(space).toMatchObject(want);
    expect(unknown).toEqual([]);
  });

  const basic = (params?: object | null) => ({ name: "basic", ...(params === undefined ? {} : { params }) });
  const scoring = (minScore: number) => ({ onlyMembers: false, minScore });
  it.each<[why: string, filters: object | undefined, validation: object | undefined, isGated?: boolean]>([
    ["members only", { onlyMembers: true }, undefined, true],
    ["open by its filter", { onlyMembers: false }, undefined, false],
    ["a filter's score, where no validation is named", scoring(5), undefined, true],
    ["no score asked for, and no word on members", { minScore: 0 }, undefined],
    ["a basic validation takes the filter's score where it has none", { minScore: 5 }, basic({}), true],
    ["and no parameters", scoring(0.5), basic(null), true],
    ["and a score of nothing", { minScore: 5 }, basic({ minScore: 0 }), true],
    ["a validation without a name is basic", { minScore: 5 }, { name: null, params: {} }, true],
    ["a filter's score of nothing", { minScore: 0 }, basic({}), false],
    ["a filter's score beside validation any", { minScore: 5 }, { name: "any", params: {} }, false],
    ["validation any, whatever its parameters", undefined, { name: "any", params: { minScore: 5 } }, false],
    ["a validation of another kind", undefined, { name: "passport-gated", params: {} }, true],
    ["a basic validation", undefined, basic({ minScore: 1 }), true],
    ["a basic validation that asks for something else", undefined, basic({ strategies: [{}] }), false],
    ["a basic validation without parameters", undefined, basic(), false],
    ["members alone, beside validation any", { onlyMembers: true }, { name: "any" }, true],
  ])("is proposing gated: %s", (_why, filters, validation, isGated) => {
    const { space, unknown } = readSpace({ filters, validation });
    expect(space.isProposingGated).toBe(isGated);
    expect(unknown).toEqual([]);
  });

  const ANY = { name: "any", params: {} };
  it.each<[why: string, hub: object, names: readonly string[], want: Partial<Space>]>([
    ["a name that is a list", { name: ["X"] }, ["name"], { name: undefined }],
    [
      "a quorum of words, and with it all else of voting",
      { name: "X", voting: { period: 9, quorum: "many" } },
      ["voting"],
      { name: "X", quorum: undefined, hasFixedPeriod: undefined },
    ],
    ["a quorum below 0", { voting: { quorum: -1 } }, ["voting"], { quorum: undefined }],
    ["an infinite quorum", { voting: { quorum: Infinity } }, ["voting"], { quorum: undefined }],
    [
      "moderators that are none, so that nobody can count them",
      { admins: ["0xab"], moderators: [7] },
      ["moderators"],
      { adminsAndModeratorsCount: undefined },
    ],
    [
      "marks of a wrong type",
      { flagged: 1, hibernated: "no", verified: true },
      ["flagged", "hibernated"],
      { isFlagged: undefined, isHibernated: undefined, isVerified: true },
    ],
    [
      "filters, which may be a gate",
      { filters: { minScore: "5" }, validation: ANY },
      ["filters"],
      { isProposingGated: undefined },
    ],
    [
      "filters, where the validation is a gate already",
      { filters: 0, validation: { name: "passport-gated" } },
      ["filters"],
      { isProposingGated: true },
    ],
    [
      "a validation, which decides whether the filter's score is asked for",
      { filters: scoring(5), validation: "any" },
      ["validation"],
      { isProposingGated: undefined },
    ],
    [
      "a validation, where members alone may propose",
      { filters: { onlyMembers: true }, validation: [] },
      ["validation"],
      { isProposingGated: true },
    ],
  ])("takes for unknown %s", (_why, hub, names, want) => {
    const { space, unknown } = readSpace(hub);
    expect(space).toMatchObject(want);
    expect(unknown).toEqual(names.map((name) => `${name} is not valid and counts as unknown`));
  });

  it.each<[why: string, value: unknown, code: string]>([
    ["another space", { id: "y.example" }, "ID_INVALID"],
    ["no id", { name: "X" }, "BAD_SHAPE"],
    ["an id that is a list of it", { id: ["x.example"] }, "BAD_SHAPE"],
    ["a list", [], "BAD_SHAPE"],
    ["a word", "x.example", "BAD_SHAPE"],
  ])("refuses %s", (_why, value, code) => {
    expect(() => spaceOfHub(value, "x.example")).toThrow(expect.objectContaining({ code }));
  });
});

describe("proposalOfHub", () => {
  const readProposal = (hub: object): Proposal => proposalOfHub(HubProposal.parse({ id: "QmX", ...hub }));
  const START_MS = Date.UTC(2022, 0, 1);
  const START_S = START_MS / 1000;
  const second = (atMs: number) => ({ atMs, precision: "second" as const });
  const day = (atMs: number) => ({ atMs, precision: "day" as const });
  const DAY_OF = { start: null, start_date: "2022-01-01", end: null, end_date: "2022-01-01" };
  const NOTHING: Partial<Proposal> = {
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
  };
  const id64 = `0x${"ab".repeat(32)}`;
  const link = `https://vote.example/#/proposal/${id64}`;
  const address = (byte: string) => `0x${byte.repeat(20)}`;
  it.each<[why: string, hub: object, want: Partial<Proposal>]>([
    ["an id alone: nothing is made up", {}, NOTHING],
    [
      "a title on one line, cut at 200 characters",
      { title: `A\n${"z".repeat(300)}` },
      { title: `A ${"z".repeat(198)}` },
    ],
    ["a title that lies by its direction", { title: "pay\u202E xxx\u0000" }, { title: "pay xxx" }],
    ["a title of nothing visible", { title: "\u200B" }, { title: undefined }],
    ["a link that is no text", { link: 7 }, { link: undefined }],
    ["a link to it, though its id is as long as a wallet", { id: id64, link }, { link }],
    ["a link to another of that length", { link }, { link: undefined }],
    ["seconds", { start: START_S, end: START_S }, { start: second(START_MS), end: second(START_MS) }],
    [
      "days: from the first to the last millisecond",
      DAY_OF,
      { start: day(START_MS), end: day(START_MS + 86_399_999) },
    ],
    ["seconds before days", { created: START_S, created_date: "2020-02-02" }, { created: second(START_MS) }],
    [
      "the first second of 2015",
      { start: Date.UTC(2015, 0, 1) / 1000 },
      { start: second(Date.UTC(2015, 0, 1)) },
    ],
    [
      "the last second of 2099",
      { start: Date.UTC(2100, 0, 1) / 1000 - 1 },
      { start: second(Date.UTC(2100, 0, 1) - 1000) },
    ],
    ["a known type", { type: "copeland" }, { votingType: "copeland" }],
    ["a type to come", { type: "liquid-futarchy" }, { votingType: "unknown" }],
    ["no type", { type: null }, { votingType: undefined }],
    ["choices are counted, whatever they say", { choices: ["a", null, 3] }, { choicesCount: 3 }],
    ["no choices are unknown choices", { choices: [] }, { choicesCount: undefined }],
    ["never edited, counted once", { updated: null, scores_updated: 7 }, { revision: "/7" }],
    ["edited, not counted", { updated: 5, scores_updated: null }, { revision: "5/" }],
    ["neither key", { votes: 3 }, { revision: undefined }],
    ["an empty discussion is a no", { discussion: "" }, { discussion: "" }],
    ["a null discussion likewise: the key is there", { discussion: null }, { discussion: "" }],
    ["a discussion as given", { discussion: "see forum" }, { discussion: "see forum" }],
    ["quorum 0 is known to be 0", { quorum: 0 }, { quorum: 0 }],
    ["a veto", { quorum: 5, quorumType: "rejection" }, { quorum: 5, isQuorumRejection: true }],
    [
      "a quorum for which nobody knows what counts",
      { quorum: 5, quorumType: "of-next-year" },
      { quorum: undefined, isQuorumRejection: false },
    ],
    ["a quorum of no type", { quorum: 5, quorumType: "" }, { quorum: 5 }],
    ["final", { scores_state: "final" }, { scoresState: "final" }],
    ["not counted yet", { scores_state: "" }, { scoresState: "pending" }],
    [
      "the key with nothing in it is not an archive's silence",
      { scores_state: null },
      { scoresState: "pending" },
    ],
    [
      "counted wrongly",
      { scores_state: "invalid", scores_total: 1.2345678901234568e21 },
      { scoresState: "invalid", scoresTotal: 1.2345678901234568e21 },
    ],
    ["one l", { state: "canceled" }, { state: "cancelled" }],
    [
      "shielded, flagged, deleted",
      { privacy: "shutter", flagged: true, deleted: true },
      { isShutter: true, isFlagged: true, isDeleted: true },
    ],
    ["other privacy", { privacy: "" }, { isShutter: false }],
    ["author in lower case", { author: address("AB") }, { author: address("ab") }],
    [
      "strategies in one spelling",
      { strategies: [{ params: { b: 1, a: 2 }, name: "x" }] },
      { strategiesKey: '[{"name":"x","params":{"a":2,"b":1}}]' },
    ],
    ["keys we do not know", { ext: { a: 1 }, __proto__: { isDeleted: true } }, { isDeleted: false }],
  ])("%s", (_why, hub, want) => {
    expect(readProposal(hub)).toMatchObject({ proposalId: "id" in hub ? hub.id : "QmX", ...want });
  });
});
