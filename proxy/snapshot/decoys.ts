/** What is looked up in the place of a name that may not be known. */
export interface Decoys {
  /** The decoy of a hidden name, or any other name itself. */
  of(name: string): string;
}

/** Base 16: both wallets and entity ids may end in any of them. */
const LAST_CHARACTERS = "0123456789abcdef";

/**
 * A name for each hidden one that nobody has and that lies beside it: looking that up takes the very steps of looking
 * up something unknown, where skipping the question would be quicker and could be told apart by a clock.
 */
export function decoysOf(names: readonly string[], isTaken: (name: string) => boolean): Decoys {
  const decoys = new Map<string, string>();
  for (const name of names) {
    const stem = name.slice(0, -1);
    const free = [...LAST_CHARACTERS].map((last) => stem + last).find((each) => !isTaken(each));
    // Sixteen neighbours that all exist: no name of ours is empty, so nothing has this one.
    decoys.set(name, free ?? "");
  }
  return { of: (name) => decoys.get(name) ?? name };
}
