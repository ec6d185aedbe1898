/** `0x` and hex digits. */
export type Hex = `0x${string}`;

/** One question to a contract. */
export interface ContractRead {
  readonly to: Hex;
  readonly data: Hex;
}

/**
 * What came of a question. `refused`: the contract reverted, is none, used up its gas, or said more than anybody asked;
 * that is an answer. `unknown`: the way to it failed, and nothing may be concluded.
 */
export type ReadOutcome =
  | { readonly kind: "answer"; readonly data: Hex }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** Asks contracts of one chain, many at a time; throws INTERRUPTED and nothing else. */
export interface ContractReader {
  /** The outcomes in the order of the questions. */
  read(reads: readonly ContractRead[]): Promise<readonly ReadOutcome[]>;
  /** The node has been given up; whatever is asked from now on is `unknown`. */
  isAway(): boolean;
  /** What went wrong first, fit to be shown; `undefined` where nothing did. */
  trouble(): string | undefined;
}
