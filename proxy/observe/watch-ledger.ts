/** Upper bounds of the classes of batch size. */
export const BATCH_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;

/** What the quota's file was asked to do, and how often it could not. */
export interface QuotaTally {
  failures: number;
  units: number;
  /** Commits in each class of size; one more than there are bounds. */
  readonly perClass: number[];
}

/** A tally of nothing yet. */
export function createQuotaTally(): QuotaTally {
  return {
    failures: 0,
    units: 0,
    perClass: Array<number>(BATCH_BOUNDS.length + 1).fill(0),
  };
}

/** Anything that settles charges and refunds in one commit. */
interface Settles {
  // Method syntax: a ledger's own types of charge and refund are its business.
  settle(charges: readonly never[], refunds: readonly never[]): unknown;
}

/** The same ledger, with its commits counted, whether they are done at once or later. */
export function watchLedger<Ledger extends Settles>(ledger: Ledger, tally: QuotaTally): Ledger {
  const count = (size: number): void => {
    const found = BATCH_BOUNDS.findIndex((bound) => size <= bound);
    const at = found === -1 ? BATCH_BOUNDS.length : found;
    tally.units += size;
    tally.perClass[at] = (tally.perClass[at] ?? 0) + 1;
  };
  const fail = (error: unknown): never => {
    tally.failures += 1;
    throw error;
  };
  const settle = (charges: readonly never[], refunds: readonly never[]): unknown => {
    const done = (answers: unknown): unknown => {
      count(charges.length + refunds.length);
      return answers;
    };
    let answers: unknown;
    try {
      answers = ledger.settle(charges, refunds);
    } catch (error) {
      return fail(error);
    }
    return answers instanceof Promise ? answers.then(done, fail) : done(answers);
  };
  return { ...ledger, settle };
}
