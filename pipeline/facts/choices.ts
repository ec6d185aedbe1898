import type { Proposal } from "./proposal.ts";
import type { Choice } from "./proposal-votes.ts";

const WRONG_FORM = "its form does not fit the voting type";
const NO_SUCH_OPTION = "it names an option that the proposal does not have";

/** Every reason for which a choice is set aside. Reasons are published, so they contain nothing of the vote. */
type UnreadableReason =
  | typeof WRONG_FORM
  | typeof NO_SUCH_OPTION
  | "it names no option, or one twice"
  | "its weights are not finite numbers from 0 up"
  | "all of its weights are 0"
  | "it was never decrypted";

/** The largest proposals of the hub have 1,000 options; a longer list is rejected. */
const OPTIONS_MAX = 1_000;

const OPTION_KEY = /^[1-9]\d{0,5}$/;

type Rules = Pick<Proposal, "votingType" | "choicesCount">;

/** The form of choice that each voting type uses; for an unknown type, each choice decides by its own form. */
const FORMS: Readonly<Record<NonNullable<Rules["votingType"]>, "single" | "list" | "weights" | "any">> = {
  basic: "single",
  "single-choice": "single",
  approval: "list",
  "ranked-choice": "list",
  copeland: "list",
  weighted: "weights",
  quadratic: "weights",
  fractional: "weights",
  unknown: "any",
};

/**
 * Reads a choice as the voter sent it; returns the reason if it cannot be counted. Equal choices give equal values:
 * approvals are sorted (rankings are not), weights are sorted by option, and weights of 0 are dropped.
 */
function readChoice(raw: unknown, rules: Rules): Choice | UnreadableReason {
  const form = FORMS[rules.votingType ?? "unknown"];
  const fits = (wanted: typeof form) => form === wanted || form === "any";
  if (typeof raw === "string") {
    return raw.startsWith("0x") ? "it was never decrypted" : WRONG_FORM;
  }
  if (typeof raw === "number" && fits("single")) {
    return isOption(raw, rules) ? { kind: "single", option: raw } : NO_SUCH_OPTION;
  }
  if (Array.isArray(raw) && fits("list")) return readList(raw, rules);
  const isObject = typeof raw === "object" && raw !== null && !Array.isArray(raw);
  if (isObject && fits("weights")) return readWeights(raw, rules);
  return WRONG_FORM;
}

function isOption(value: unknown, { choicesCount }: Rules): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= (choicesCount ?? Infinity);
}

function readList(raw: readonly unknown[], rules: Rules): Choice | UnreadableReason {
  const distinct = new Set(raw);
  const isPlain = raw.length > 0 && raw.length <= OPTIONS_MAX && distinct.size === raw.length;
  if (!isPlain) return "it names no option, or one twice";
  const options: number[] = [];
  for (const option of raw) {
    if (typeof option !== "number") return WRONG_FORM;
    if (!isOption(option, rules)) return NO_SUCH_OPTION;
    options.push(option);
  }
  if (rules.votingType === "approval") options.sort((a, b) => a - b);
  return { kind: "list", options };
}

function readWeights(raw: object, rules: Rules): Choice | UnreadableReason {
  const entries = Object.entries(raw);
  if (entries.length > OPTIONS_MAX) return WRONG_FORM;
  const weights: [number, number][] = [];
  let sum = 0;
  for (const [key, weight] of entries) {
    if (!OPTION_KEY.test(key) || !isOption(Number(key), rules)) {
      return NO_SUCH_OPTION;
    }
    if (typeof weight !== "number" || !(weight >= 0) || !Number.isFinite(sum + weight)) {
      return "its weights are not finite numbers from 0 up";
    }
    sum += weight;
    if (weight > 0) weights.push([Number(key), weight]);
  }
  if (sum === 0) return "all of its weights are 0";
  weights.sort(([a], [b]) => a - b);
  return { kind: "weights", weights };
}

export type ChoiceTable = ReturnType<typeof createChoiceTable>;

const UNREADABLE: Choice = { kind: "unreadable" };
const KIND_ORDER = { single: 0, list: 1, weights: 2, unreadable: 3 } as const;

/** Creates an empty table for the votes on one proposal. */
export function createChoiceTable(rules: Rules) {
  const entries: (Choice | UnreadableReason)[] = [];
  const byText = new Map<string, number>();
  // Nearly every vote names one option, so these are looked up without building a text.
  const byOption = new Map<number, number>();

  const add = (raw: unknown): number => {
    const read = readChoice(raw, rules);
    const text = typeof read === "string" ? read : textOf(read);
    const number = byText.get(text) ?? entries.push(read) - 1;
    byText.set(text, number);
    return number;
  };
  return {
    /** Why a choice cannot be counted; `undefined` if it can. */
    unreadableBecause(number: number): UnreadableReason | undefined {
      const read = entries[number];
      if (read === undefined) throw new RangeError("a choice was never added");
      return typeof read === "string" ? read : undefined;
    },
    /** The number of a choice; a new choice gets the next one. */
    numberOf(raw: unknown): number {
      if (typeof raw !== "number") return add(raw);
      const known = byOption.get(raw);
      if (known !== undefined) return known;
      const number = add(raw);
      byOption.set(raw, number);
      return number;
    },
    /** The distinct choices behind these numbers, sorted; `indexOf` maps a number to the index of its choice. */
    inOrder(numbers: Iterable<number>) {
      const sorted = [...numbers]
        .map((number) => {
          const read = entries[number];
          const choice = read === undefined || typeof read === "string" ? UNREADABLE : read;
          return { number, choice, text: textOf(choice) };
        })
        .sort((a, b) => compare(a.choice, a.text, b.choice, b.text));
      const choices: Choice[] = [];
      const indexOf = new Uint32Array(entries.length);
      let previous: string | undefined;
      for (const { number, choice, text } of sorted) {
        if (text !== previous) choices.push(choice);
        indexOf[number] = choices.length - 1;
        previous = text;
      }
      return { choices, indexOf };
    },
  };
}

function textOf(choice: Choice): string {
  switch (choice.kind) {
    case "single":
      return String(choice.option);
    case "list":
      return JSON.stringify(choice.options);
    case "weights":
      return `w${JSON.stringify(choice.weights)}`;
    case "unreadable":
      return "unreadable";
  }
}

function compare(a: Choice, textA: string, b: Choice, textB: string): number {
  if (a.kind === "single" && b.kind === "single") return a.option - b.option;
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || (textA < textB ? -1 : textA > textB ? 1 : 0);
}
