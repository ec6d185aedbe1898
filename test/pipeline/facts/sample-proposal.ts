import type { Moment, Proposal } from "../../../pipeline/facts/proposal.ts";
import { proposal } from "../warehouse/sample-facts.ts";

/** When the sample vote begins. */
export const SAMPLE_START_S = 1_650_000_000;

/** A moment known to the second. */
export const second = (atS: number): Moment => ({ atMs: atS * 1000, precision: "second" });

/** A single-choice proposal with three options whose vote lasts 100,000 seconds. */
export function sampleProposal(change: Partial<Proposal> = {}): Proposal {
  return proposal("0xabc", {
    title: "Sample",
    start: second(SAMPLE_START_S),
    end: second(SAMPLE_START_S + 100_000),
    votingType: "single-choice",
    choicesCount: 3,
    state: "closed",
    scoresState: "final",
    ...change,
  });
}
