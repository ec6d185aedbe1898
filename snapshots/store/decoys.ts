import { createHash, timingSafeEqual } from "node:crypto";

/** What is looked up in the place of a name that may not be known. */
export interface Decoys {
  /** The decoy of a hidden name, or any other name itself. */
  of(name: string): string;
}

/** A name of the same shape (`ent_` or `0x`, then digits), anywhere among all that could be. */
function decoyOf(name: string, attempt: number): string {
  const digits = createHash("sha256").update(`${attempt} ${name}`).digest("hex");
  const head = name.slice(0, name.startsWith("0x") ? 2 : 4);
  return head + digits.slice(0, name.length - head.length);
}

/** Bytes of a digest that make a number which is exact as a double: enough to find a name by. */
const KEY_BYTES = 6;

interface Decoy {
  readonly key: number;
  readonly digest: Buffer;
  readonly name: Buffer;
}

/** Where the key is, or where it would be: as many steps for the one as for the other. */
function placeOfKey(keys: Float64Array, key: number): number {
  let from = 0;
  for (let length = keys.length; length > 1; ) {
    const half = length >> 1;
    if ((keys[from + half] ?? 0) <= key) from += half;
    length -= half;
  }
  return from;
}

/**
 * A name for each hidden one that nobody has: looking that up takes the very steps of looking up something unknown,
 * where skipping the question would be quicker and could be told apart by a clock. For the same reason every name is
 * held against the hidden one that lies next to it, and both spellings are made, before one of them is taken.
 */
export function decoysOf(names: readonly string[], isTaken: (name: string) => boolean): Decoys {
  const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
  const decoys = [...new Set(names)]
    .map((name): Decoy => {
      let attempt = 0;
      while (isTaken(decoyOf(name, attempt))) attempt += 1;
      const digest = digestOf(Buffer.from(name, "utf8"));
      const key = digest.readUIntBE(0, KEY_BYTES);
      return { key, digest, name: Buffer.from(decoyOf(name, attempt), "utf8") };
    })
    .sort((a, b) => a.key - b.key);
  const keys = Float64Array.from(decoys, ({ key }) => key);
  // One of the two would be shown: rather nothing is. It takes millions of names to come to this.
  if (new Set(keys).size !== keys.length) throw new Error("invariant: two hidden names have the same key");
  return {
    of: (name) => {
      const bytes = Buffer.from(name, "utf8");
      const digest = digestOf(bytes);
      const nearest = decoys[placeOfKey(keys, digest.readUIntBE(0, KEY_BYTES))];
      if (nearest === undefined) return name;
      const isHidden = timingSafeEqual(nearest.digest, digest);
      const spellings = [bytes.toString("utf8"), nearest.name.toString("utf8")];
      return spellings[Number(isHidden)] ?? name;
    },
  };
}
