import { describe, expect, it } from "vitest";
import type { Space } from "../../../../pipeline/facts/dao-facts.ts";
import { spaceOfHub } from "../../../../pipeline/sources/upstream/hub-objects.ts";

const read = (hub: object) => spaceOfHub({ id: "x.example", ...hub }, "x.example");

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
    const { space, unknown } = read(hub);
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
    const { space, unknown } = read(hub);
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
