import { DAY_MS } from "../base/days.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { Frame, FrameProposal } from "./frame.ts";
import { METHODOLOGY } from "./methodology.ts";

const RULES = METHODOLOGY.completeness;

/** What a proposal should be known by; a day counts as known. */
const FIELDS = [
  "author",
  "created",
  "start",
  "end",
  "votingType",
  "choicesCount",
  "discussion",
  "scoresTotal",
  "votesCount",
] as const satisfies readonly (keyof Proposal)[];

/** A plain mean; `undefined` where there is nothing to count. */
function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Fetched votes against the source's own count, by proposal. */
function fetchedShares(frame: Frame): number[] {
  const held = frame.members.flatMap(({ proposal, votes }) =>
    proposal.votesCount === undefined
      ? []
      : [proposal.votesCount === 0 ? 1 : Math.min(1, votes.fetchedCount / proposal.votesCount)],
  );
  // A missing ballot is known to have votes, even where the source does not say how many: none of them was fetched.
  return [...held, ...frame.missing.map(() => 0)];
}

/** Whether the fetched power adds up to the declared one; `undefined` where one of them is unknown. */
export function isReconciled({ proposal, votes }: FrameProposal): boolean | undefined {
  const { scoresTotal } = proposal;
  if (scoresTotal === undefined || votes.fetchedPower === undefined) return undefined;
  return Math.abs(votes.fetchedPower - scoresTotal) <= RULES.reconciledWithin * Math.abs(scoresTotal);
}

function reconciledShare(frame: Frame): number | undefined {
  const held = frame.members.flatMap((member) => isReconciled(member) ?? []);
  const missing = frame.missing.filter(({ proposal }) => proposal.scoresTotal !== undefined).map(() => false);
  return mean([...held, ...missing].map(Number));
}

/** Half for final proposals, half for final votes; eligible proposals are final by definition. */
function finalShare(frame: Frame): number | undefined {
  if (frame.members.length + frame.missing.length === 0) return undefined;
  const fetched = frame.members.reduce((sum, { votes }) => sum + votes.fetchedCount, 0);
  const final = frame.members.reduce((sum, { votes }) => sum + votes.finalCount, 0);
  return fetched === 0 ? 1 : 0.5 + (0.5 * final) / fetched;
}

function fieldsShare(frame: Frame): number | undefined {
  const proposals = [...frame.members, ...frame.missing].map(({ proposal }) => proposal);
  const known = mean(
    proposals.map(
      (proposal) => FIELDS.filter((field) => proposal[field] !== undefined).length / FIELDS.length,
    ),
  );
  const fetched = frame.members.reduce((sum, { votes }) => sum + votes.fetchedCount, 0);
  const readable = frame.members.reduce((sum, { votes }) => sum + votes.readableCount, 0);
  return known === undefined ? undefined : fetched === 0 ? known : (known * readable) / fetched;
}

/** 1 up to a day after the last complete fetch, falling to 0 at seven days. */
export function freshness(lastCompleteFetchMs: number, asOfMs: number): number {
  const ageDays = (asOfMs - lastCompleteFetchMs) / DAY_MS;
  const freshDays = RULES.freshHours / 24;
  return Math.min(1, Math.max(0, (RULES.staleDays - ageDays) / (RULES.staleDays - freshDays)));
}

/**
 * Data completeness: how much of what the source says exists did we see? Arithmetic against its own counts.
 *
 * Range: 0..100 percent.
 * Unit: proposals of the frame and those left out as BALLOT_MISSING, unweighted.
 * Source: proposals, fetched ballots, time of the last complete fetch (`fresh` 1 for archives and past days).
 * Gap: `undefined` where nothing can be counted; a part with nothing to count is left out.
 */
export function dataCompletenessPct(frame: Frame, fresh: number | undefined): number | undefined {
  const parts: Readonly<Record<keyof typeof RULES.weights, number | undefined>> = {
    votes: mean(fetchedShares(frame)),
    final: finalShare(frame),
    reconciled: reconciledShare(frame),
    fields: fieldsShare(frame),
    freshness: fresh,
  };
  if (parts.final === undefined) return undefined;
  let weighted = 0;
  let present = 0;
  for (const key of Object.keys(RULES.weights) as (keyof typeof RULES.weights)[]) {
    const part = parts[key];
    if (part === undefined) continue;
    weighted += RULES.weights[key] * part;
    present += RULES.weights[key];
  }
  return (100 * weighted) / present;
}
