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

const INFINITE = Number.POSITIVE_INFINITY;
const MANY = Array.from({ length: 1_001 }, (_, n) => n + 1);
const UNTYPED = undefined;

/** By voting type: what is chosen of three options, and what is read of it. */
const ROWS: readonly (readonly [
  type: VotingType | undefined,
  rows: readonly (readonly [why: string, raw: unknown, want: object | string])[],
])[] = [
  [
    "single-choice",
    [
      ["the lowest option", 1, single(1)],
      ["the highest option", 3, single(3)],
      ["one past the highest", 4, RANGE],
      ["0, which old clients sent", 0, RANGE],
      ["a fraction", 1.5, RANGE],
      ["infinity", INFINITE, RANGE],
      ["a list", [1], FORM],
      ["nothing", null, FORM],
      ["a word", "yes", FORM],
      ["a sealed choice", "0xdeadbeef", SEALED],
    ],
  ],
  ["basic", [["weights", { "1": 1 }, FORM]]],
  [
    "approval",
    [
      ["an approval is a set: put in order", [3, 1], list(1, 3)],
      ["nothing approved", [], EMPTY],
      ["an option twice", [1, 1], EMPTY],
      ["an option out of range", [1, 4], RANGE],
      ["a word in a list", [1, "2"], FORM],
      ["an integer", 1, FORM],
    ],
  ],
  ["ranked-choice", [["a ranking is an order: kept", [3, 1, 2], list(3, 1, 2)]]],
  ["copeland", [["likewise", [2, 1], list(2, 1)]]],
  [
    "weighted",
    [
      ["by option, zeros dropped", { "3": 2, "2": 0, "1": 0.5 }, weights([1, 0.5], [3, 2])],
      ["all weights 0", { "1": 0, "2": 0 }, ZERO],
      ["no weights at all", {}, ZERO],
      ["a negative weight", { "1": 5, "2": -1 }, NUMBERS],
      ["an infinite weight", { "1": INFINITE }, NUMBERS],
      ["weights whose sum is not finite", { "1": 1e308, "2": 1e308 }, NUMBERS],
      ["a weight that is text", { "1": "5" }, NUMBERS],
      ["an option out of range, even with weight 0", { "1": 1, "4": 0 }, RANGE],
      ["a key that is no option", { "01": 1 }, RANGE],
      ["__proto__ as a key", JSON.parse('{"__proto__": 1}'), RANGE],
    ],
  ],
  ["quadratic", [["likewise", { "2": 1 }, weights([2, 1])]]],
  [
    UNTYPED,
    [
      ["an integer is a single choice", 2, single(2)],
      ["an array is a list", [2, 1], list(2, 1)],
      ["an object is weights", { "1": 1 }, weights([1, 1])],
      ["a sealed choice", "0x", SEALED],
      ["true", true, FORM],
    ],
  ],
  ["unknown", [["is read by form", [1], list(1)]]],
];

describe("createChoiceTable", () => {
  const read = (raw: unknown, votingType: VotingType | undefined, choicesCount: number | undefined) => {
    const table = createChoiceTable({ votingType, choicesCount });
    const number = table.numberOf(raw);
    const [choice] = table.inOrder([number]).choices;
    return { choice, why: table.unreadableBecause(number) };
  };
  const cases = ROWS.flatMap(([type, rows]) => rows.map((row) => [type, ...row] as const));
  it.each(cases)("%s: %s", (type, _why, raw, want) => {
    const { choice, why } = read(raw, type, 3);
    expect(why ?? choice).toEqual(want);
    if (typeof want === "string") expect(choice).toEqual({ kind: "unreadable" });
  });

  it("takes any option where the choices are unknown, but no 0 and not more than any vote has", () => {
    expect(read(900, "single-choice", undefined).choice).toEqual(single(900));
    expect(read(0, "single-choice", undefined).why).toBe(RANGE);
    expect(read(MANY, UNTYPED, undefined).why).toBe(EMPTY);
  });
});

describe("strategiesKey", () => {
  it.each([
    ["none given", undefined, undefined],
    ["null", null, undefined],
    ["an empty list is none of its own", [], undefined],
    ["keys in order", [{ b: 1, a: { d: 2, c: [3] } }], '[{"a":{"c":[3],"d":2},"b":1}]'],
  ])("%s", (_why, strategies, want) => {
    expect(strategiesKey(strategies)).toBe(want);
  });
});

describe("parseUrl", () => {
  it.each([
    ["a link", "https://forum.example/t/1", "https://forum.example/t/1"],
    ["a host beyond ASCII", "http://bücher.example/t", "http://xn--bcher-kva.example/t"],
    ["no scheme", "forum.example", undefined],
    ["nothing", "", undefined],
    ["no host", "https://", undefined],
  ])("%s", (_why, text, href) => {
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
