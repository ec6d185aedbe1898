import type { Choice } from "../facts/proposal-votes.ts";

/** Packs the distinct choices of a ballot as compact JSON: 2 · [1,3] · {"w":[1,0.5,2,0.5]} · null if unreadable. */
export function packChoices(choices: readonly Choice[]): Buffer {
  return Buffer.from(JSON.stringify(choices.map(plainOf)), "utf8");
}

/** The inverse of `packChoices`; `undefined` if the bytes are not such a list. */
export function unpackChoices(bytes: Uint8Array): readonly Choice[] | undefined {
  let plain: unknown;
  try {
    plain = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(plain)) return undefined;
  const choices = plain.map(choiceOf);
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
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
  for (let index = 0; index < plain.w.length; index += 2) {
    const option = plain.w[index];
    const weight = plain.w[index + 1];
    if (option === undefined || weight === undefined) return undefined;
    weights.push([option, weight]);
  }
  return { kind: "weights", weights };
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}

/** Packs ascending 32-bit numbers: the first, then each difference, as LEB128. */
export function packSteps(numbers: Uint32Array): Uint8Array {
  const count = numbers.length;
  const bytes = Buffer.allocUnsafe(STEP_BYTES_MAX * count);
  let offset = 0;
  let previous = 0;
  for (let index = 0; index < count; index += 1) {
    const number = numbers[index] as number;
    let step = number - previous;
    while (step >= 0x80) {
      bytes[offset] = (step & 0x7f) | 0x80;
      offset += 1;
      step >>>= 7;
    }
    bytes[offset] = step;
    offset += 1;
    previous = number;
  }
  return bytes.subarray(0, offset);
}

const STEP_BYTES_MAX = 5;

/** Reads the `count` numbers between `start` and `end`; `undefined` if they do not fill exactly these bytes. */
export function readSteps(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
): Uint32Array | undefined {
  const numbers = new Uint32Array(count);
  let offset = start;
  let number = 0;
  for (let index = 0; index < count; index += 1) {
    if (offset >= end) return undefined;
    let byte = bytes[offset] as number;
    offset += 1;
    let step = byte & 0x7f;
    for (let worth = 0x80; byte >= 0x80; worth *= 0x80) {
      if (offset >= end) return undefined;
      byte = bytes[offset] as number;
      offset += 1;
      step += (byte & 0x7f) * worth;
    }
    number += step;
    numbers[index] = number;
  }
  return offset === end ? numbers : undefined;
}
