import type { BallotVotes } from "../ballot-votes.ts";
import { sharesByHead } from "../heads.ts";
import { BANZHAF_HEADS_MAX, banzhafIndexes } from "./banzhaf.ts";
import { entropyBits } from "./entropy.ts";
import { gini } from "./gini.ts";

/** What is reported of the power of human-equivalents on one proposal, and never scored. */
export interface Diagnostics {
  readonly gini: number;
  readonly entropyBits: number;
  /** Normalised Banzhaf index of the strongest; `undefined` where more than 20 heads held power. */
  readonly banzhafTop: number | undefined;
}

/** Diagnostics of one proposal; `undefined` where no power is known. */
export function measureDiagnostics(votes: BallotVotes, humanOfVoter: Int32Array): Diagnostics | undefined {
  const { shares } = sharesByHead(votes, humanOfVoter);
  if (shares === undefined || shares.length === 0) return undefined;
  return {
    gini: gini(shares),
    entropyBits: entropyBits(shares),
    banzhafTop:
      shares.length <= BANZHAF_HEADS_MAX ? Math.max(...banzhafIndexes(shares.slice().sort())) : undefined,
  };
}
