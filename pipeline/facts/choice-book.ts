import type { Choice } from "./ballot.ts";
import type { Proposal } from "./proposal.ts";
import { readChoice, type UnreadableReason } from "./read-choice.ts";

/** A choice of the book, with the reason where nobody can read it. */
export interface BookedChoice {
  readonly choice: Choice;
  readonly unreadableBecause: UnreadableReason | undefined;
}

/** The distinct choices of one proposal, each read once. */
export interface ChoiceBook {
  /** The number of a choice, as long as the book lives. */
  numberOf(raw: unknown): number;
  at(number: number): BookedChoice;
  /** How many numbers were given, from 0. */
  count(): number;
  /** The choices behind these numbers, each given once, in an order of their own; and by number the place among them. */
  inOrder(numbers: readonly number[]): {
    readonly choices: readonly Choice[];
    readonly placeOf: Uint32Array;
  };
}

const UNREADABLE: Choice = { kind: "unreadable" };
const KIND_ORDER = { single: 0, list: 1, weights: 2, unreadable: 3 } as const;

/** Opens an empty book for the votes on one proposal. */
export function createChoiceBook(rules: Pick<Proposal, "votingType" | "choicesCount">): ChoiceBook {
  const booked: BookedChoice[] = [];
  const byText = new Map<string, number>();
  // Nearly every vote names one option: it is found without making a text of it.
  const byOption = new Map<number, number>();

  const book = (raw: unknown): number => {
    const read = readChoice(raw, rules);
    const isReadable = read.kind === "readable";
    const text = isReadable ? textOf(read.choice) : `unreadable ${read.because}`;
    const known = byText.get(text);
    if (known !== undefined) return known;
    booked.push(
      isReadable
        ? { choice: read.choice, unreadableBecause: undefined }
        : { choice: UNREADABLE, unreadableBecause: read.because },
    );
    byText.set(text, booked.length - 1);
    return booked.length - 1;
  };
  const at = (number: number): BookedChoice => {
    const found = booked[number];
    if (found === undefined) throw new RangeError("a choice was never booked");
    return found;
  };
  return {
    at,
    count: () => booked.length,
    numberOf(raw) {
      if (typeof raw !== "number") return book(raw);
      const known = byOption.get(raw);
      if (known !== undefined) return known;
      const number = book(raw);
      byOption.set(raw, number);
      return number;
    },
    inOrder(numbers) {
      const sorted = numbers
        .map((number) => ({ number, choice: at(number).choice, text: textOf(at(number).choice) }))
        .sort((a, b) => compare(a.choice, a.text, b.choice, b.text));
      const choices: Choice[] = [];
      const placeOf = new Uint32Array(booked.length);
      let previous: string | undefined;
      for (const { number, choice, text } of sorted) {
        if (text !== previous) choices.push(choice);
        placeOf[number] = choices.length - 1;
        previous = text;
      }
      return { choices, placeOf };
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
