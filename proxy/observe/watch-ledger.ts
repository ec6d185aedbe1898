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

/** Units that one commit moves together. */
type Units = readonly { readonly units: number }[];

/** Anything that settles what is asked and given back in one commit. */
interface Settles {
  // Method syntax: a ledger's own types are its business.
  settle(asked: Units, returned: Units): Promise<unknown>;
}

/** The same ledger, with its commits counted. */
export function watchLedger<Ledger extends Settles>(ledger: Ledger, tally: QuotaTally): Ledger {
  const settle = async (asked: Units, returned: Units): Promise<unknown> => {
    try {
      const granted = await ledger.settle(asked, returned);
      const size = [...asked, ...returned].reduce((sum, { units }) => sum + units, 0);
      const found = BATCH_BOUNDS.findIndex((bound) => size <= bound);
      const at = found === -1 ? BATCH_BOUNDS.length : found;
      tally.units += size;
      tally.perClass[at] = (tally.perClass[at] ?? 0) + 1;
      return granted;
    } catch (error) {
      tally.failures += 1;
      throw error;
    }
  };
  return { ...ledger, settle };
}
