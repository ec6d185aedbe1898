import type { Choice } from "../facts/ballot.ts";

/** The distinct choices of a ballot as compact JSON: 2 · [1,3] · {"w":[1,0.5,2,0.5]} · null for an unreadable one. */
export function packChoices(choices: readonly Choice[]): Buffer {
  return Buffer.from(JSON.stringify(choices.map(plainOf)), "utf8");
}

/** Back from `packChoices`; `undefined` where the bytes are not such a list. */
export function unpackChoices(bytes: Uint8Array): readonly Choice[] | undefined {
  let plain: unknown;
  try {
    plain = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(plain)) return undefined;
  const choices: Choice[] = [];
  for (const item of plain) {
    const choice = choiceOf(item);
    if (choice === undefined) return undefined;
    choices.push(choice);
  }
  return choices;
}

function plainOf(choice: Choice): unknown {
  switch (choice.kind) {
    case "single":
      return choice.option;
    case "list":
      return choice.options;
    case "weights":
      return { w: choice.weights.flat() };
    case "unreadable":
      return null;
  }
}

function choiceOf(plain: unknown): Choice | undefined {
  if (plain === null) return { kind: "unreadable" };
  if (typeof plain === "number") return { kind: "single", option: plain };
  if (isNumbers(plain)) return { kind: "list", options: plain };
  if (typeof plain !== "object" || !("w" in plain) || !isNumbers(plain.w)) return undefined;
  const weights: [number, number][] = [];
  for (let at = 0; at < plain.w.length; at += 2) {
    const option = plain.w[at];
    const weight = plain.w[at + 1];
    if (option === undefined || weight === undefined) return undefined;
    weights.push([option, weight]);
  }
  return { kind: "weights", weights };
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}
