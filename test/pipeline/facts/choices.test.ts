import { describe, expect, it } from "vitest";
import { createChoiceTable } from "../../../pipeline/facts/choices.ts";
import { strategiesKey, type VotingType } from "../../../pipeline/facts/proposal.ts";
import { parseUrl } from "../../../pipeline/facts/upstream-text.ts";

const single = (option: number) => ({ kind: "single", option });
const list = (...options: number[]) => ({ kind: "list", options });
const weights = (...pairs: [number, number][]) => ({ kind: "weights", weights: pairs });

const FORM = "its form does not fit the voting type";
const RANGE = "it names an option that the proposal does not have";
const EMPTY = "it names no option, or one twice";
const NUMBERS = "its weights are not finite numbers from 0 up";
const ZERO = "all of its weights are 0";
const SEALED = "it was never decrypted";

interface Row {
  readonly why: string;
  readonly raw: unknown;
  readonly type?: VotingType | undefined;
  readonly count?: number | undefined;
  readonly want: object | string;
}

const ROWS: readonly Row[] = [
  { why: "the lowest option", raw: 1, want: single(1) },
  { why: "the highest option", raw: 3, want: single(3) },
  { why: "one past the highest", raw: 4, want: RANGE },
  { why: "0, which old clients sent", raw: 0, want: RANGE },
  { why: "a fraction", raw: 1.5, want: RANGE },
  { why: "infinity", raw: Number.POSITIVE_INFINITY, want: RANGE },
  { why: "any option where choices are unknown", raw: 900, count: undefined, want: single(900) },
  { why: "0 where choices are unknown", raw: 0, count: undefined, want: RANGE },
  { why: "a list on a single choice", raw: [1], want: FORM },
  { why: "weights on a basic vote", raw: { "1": 1 }, type: "basic", want: FORM },
  { why: "nothing", raw: null, want: FORM },
  { why: "a word", raw: "yes", want: FORM },
  { why: "a sealed choice", raw: "0xdeadbeef", want: SEALED },
  { why: "a sealed choice of an unknown type", raw: "0x", type: undefined, want: SEALED },
  { why: "an approval is a set: put in order", raw: [3, 1], type: "approval", want: list(1, 3) },
  { why: "a ranking is an order: kept", raw: [3, 1, 2], type: "ranked-choice", want: list(3, 1, 2) },
  { why: "copeland likewise", raw: [2, 1], type: "copeland", want: list(2, 1) },
  { why: "an approval of nothing", raw: [], type: "approval", want: EMPTY },
  { why: "an option approved twice", raw: [1, 1], type: "approval", want: EMPTY },
  { why: "an option out of range in a list", raw: [1, 4], type: "approval", want: RANGE },
  { why: "a word in a list", raw: [1, "2"], type: "approval", want: FORM },
  { why: "an integer on an approval", raw: 1, type: "approval", want: FORM },
  {
    why: "weights by option, zeros dropped",
    raw: { "3": 2, "2": 0, "1": 0.5 },
    type: "weighted",
    want: weights([1, 0.5], [3, 2]),
  },
  { why: "quadratic likewise", raw: { "2": 1 }, type: "quadratic", want: weights([2, 1]) },
  { why: "all weights 0", raw: { "1": 0, "2": 0 }, type: "weighted", want: ZERO },
  { why: "no weights at all", raw: {}, type: "weighted", want: ZERO },
  { why: "a negative weight", raw: { "1": 5, "2": -1 }, type: "weighted", want: NUMBERS },
  { why: "an infinite weight", raw: { "1": Number.POSITIVE_INFINITY }, type: "weighted", want: NUMBERS },
  {
    why: "weights whose sum is not finite",
    raw: { "1": 1e308, "2": 1e308 },
    type: "weighted",
    want: NUMBERS,
  },
  { why: "a weight that is text", raw: { "1": "5" }, type: "weighted", want: NUMBERS },
  {
    why: "an option out of range, even with weight 0",
    raw: { "1": 1, "4": 0 },
    type: "weighted",
    want: RANGE,
  },
  { why: "a key that is no option", raw: { "01": 1 }, type: "weighted", want: RANGE },
  { why: "__proto__ as a key", raw: JSON.parse('{"__proto__": 1}'), type: "weighted", want: RANGE },
  { why: "no type: an integer is a single choice", raw: 2, type: undefined, want: single(2) },
  { why: "no type: an array is a list", raw: [2, 1], type: undefined, want: list(2, 1) },
  { why: "no type: an object is weights", raw: { "1": 1 }, type: undefined, want: weights([1, 1]) },
  { why: "an unknown type is read by form", raw: [1], type: "unknown", want: list(1) },
  { why: "true", raw: true, type: undefined, want: FORM },
  {
    why: "more options than any vote has",
    raw: Array.from({ length: 1_001 }, (_, n) => n + 1),
    type: undefined,
    count: undefined,
    want: EMPTY,
  },
];

describe("createChoiceTable", () => {
  it.each(ROWS)("$why", (row) => {
    const votingType = "type" in row ? row.type : "single-choice";
    const choicesCount = "count" in row ? row.count : 3;
    const table = createChoiceTable({ votingType, choicesCount });
    const number = table.numberOf(row.raw);
    const [choice] = table.inOrder([number]).choices;
    expect(table.unreadableBecause(number) ?? choice).toEqual(row.want);
    if (typeof row.want === "string") expect(choice).toEqual({ kind: "unreadable" });
  });
});

describe("strategiesKey", () => {
  it.each([
    { why: "none given", strategies: undefined, want: undefined },
    { why: "null", strategies: null, want: undefined },
    { why: "an empty list is none of its own", strategies: [], want: undefined },
    {
      why: "keys in order",
      strategies: [{ b: 1, a: { d: 2, c: [3] } }],
      want: '[{"a":{"c":[3],"d":2},"b":1}]',
    },
  ])("$why", ({ strategies, want }) => {
    expect(strategiesKey(strategies)).toBe(want);
  });
});

describe("parseUrl", () => {
  it.each([
    { why: "a link", text: "https://forum.example/t/1", href: "https://forum.example/t/1" },
    { why: "a host beyond ASCII", text: "http://bücher.example/t", href: "http://xn--bcher-kva.example/t" },
    { why: "no scheme", text: "forum.example", href: undefined },
    { why: "nothing", text: "", href: undefined },
    { why: "no host", text: "https://", href: undefined },
  ])("$why", ({ text, href }) => {
    expect(parseUrl(text)?.href).toBe(href);
  });

  it("resolves against a base where it is given one", () => {
    expect(parseUrl("/b", "https://a.example/x")?.href).toBe("https://a.example/b");
  });

  it("judges a text the same way however often it is asked", () => {
    const asked = Array.from({ length: 20_000 }, () => parseUrl("http://bücher.example/") !== undefined);
    expect(asked.filter((isUrl) => !isUrl)).toEqual([]);
  });
});
