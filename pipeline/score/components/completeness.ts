import { DAY_MS } from "../../facts/days.ts";
import type { Proposal } from "../../facts/proposal.ts";
import type { MemberMeasures, MissingMeasures } from "../method/measures.ts";
import { METHODOLOGY } from "../method/methodology.ts";

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

/** What completeness is made of. */
interface CompletenessMeasures {
  readonly members: readonly Pick<
    MemberMeasures,
    | "declaredVotes"
    | "declaredPower"
    | "fetchedVotes"
    | "fetchedPower"
    | "finalVotes"
    | "readableVotes"
    | "fieldsKnown"
  >[];
  readonly missing: readonly Pick<MissingMeasures, "declaredPower" | "fieldsKnown">[];
}

/** How many of the fields that completeness looks at are known of a proposal. */
export function countFieldsKnown(proposal: Proposal): number {
  return FIELDS.filter((field) => proposal[field] !== undefined).length;
}

/** Fetched votes against the source's own count, by proposal. */
function fetchedShares({ members, missing }: CompletenessMeasures): number[] {
  const held = members.flatMap(({ declaredVotes, fetchedVotes }) =>
    declaredVotes === undefined ? [] : [declaredVotes === 0 ? 1 : Math.min(1, fetchedVotes / declaredVotes)],
  );
  // A missing ballot is known to have votes, even where the source does not say how many: none of them was fetched.
  return [...held, ...missing.map(() => 0)];
}

/** Whether the fetched power adds up to the declared one; `undefined` where one of them is unknown. */
function isPowerReconciled(declared: number | undefined, fetched: number | undefined): boolean | undefined {
  if (declared === undefined || fetched === undefined) return undefined;
  return Math.abs(fetched - declared) <= RULES.reconciledWithin * Math.abs(declared);
}

function reconciledShare({ members, missing }: CompletenessMeasures): number | undefined {
  const held = members.flatMap(
    ({ declaredPower, fetchedPower }) => isPowerReconciled(declaredPower, fetchedPower) ?? [],
  );
  const lost = missing.filter(({ declaredPower }) => declaredPower !== undefined).map(() => false);
  return mean([...held, ...lost].map(Number));
}

const totalOf = (
  { members }: CompletenessMeasures,
  column: "fetchedVotes" | "finalVotes" | "readableVotes",
): number => members.reduce((sum, member) => sum + member[column], 0);

/** Half for final proposals, half for final votes; eligible proposals are final by definition. */
function finalShare(measures: CompletenessMeasures): number | undefined {
  if (measures.members.length + measures.missing.length === 0) return undefined;
  const fetched = totalOf(measures, "fetchedVotes");
  return fetched === 0 ? 1 : 0.5 + (0.5 * totalOf(measures, "finalVotes")) / fetched;
}

function fieldsShare(measures: CompletenessMeasures): number | undefined {
  const known = mean(
    [...measures.members, ...measures.missing].map(({ fieldsKnown }) => fieldsKnown / FIELDS.length),
  );
  const fetched = totalOf(measures, "fetchedVotes");
  return known === undefined
    ? undefined
    : fetched === 0
      ? known
      : (known * totalOf(measures, "readableVotes")) / fetched;
}

/** 1 up to a day after the last complete fetch, falling to 0 at seven days. */
export function freshness(lastCompleteFetchMs: number, asOfMs: number): number {
  const ageDays = (asOfMs - lastCompleteFetchMs) / DAY_MS;
  const freshDays = RULES.freshHours / 24;
  return Math.min(1, Math.max(0, (RULES.staleDays - ageDays) / (RULES.staleDays - freshDays)));
}

type CompletenessPart = keyof typeof RULES.weights;
const PARTS = Object.keys(RULES.weights) as CompletenessPart[];

/** Completeness with its parts. */
export interface Completeness {
  /** 0–100; `undefined` where there is nothing to count. */
  readonly pct: number | undefined;
  /** Each 0–1; `undefined` where there is nothing to count. */
  readonly parts: Readonly<Record<CompletenessPart, number | undefined>>;
}

type LastingParts = Omit<Completeness["parts"], "freshness">;

/** The parts of completeness but for freshness, of a frame. */
export function completenessOfFrame(measures: CompletenessMeasures): LastingParts {
  return {
    votes: mean(fetchedShares(measures)),
    final: finalShare(measures),
    reconciled: reconciledShare(measures),
    fields: fieldsShare(measures),
  };
}

/**
 * Data completeness: how much of what the source says exists did we see? Arithmetic against its own counts.
 *
 * Range: 0..100 percent.
 * Unit: proposals of the frame and those left out as BALLOT_MISSING, unweighted.
 * Source: proposals, fetched ballots, time of the last complete fetch (`fresh` 1 for archives and past days).
 * Gap: `undefined` where nothing can be counted; a part with nothing to count is left out.
 */
export function scoreCompleteness(
  measures: CompletenessMeasures,
  fresh: number | undefined,
  lasting: LastingParts = completenessOfFrame(measures),
): Completeness {
  const { votes, final, reconciled, fields } = lasting;
  const parts: Completeness["parts"] = { votes, final, reconciled, fields, freshness: fresh };
  if (parts.final === undefined) return { pct: undefined, parts };
  let weighted = 0;
  let present = 0;
  for (const key of PARTS) {
    const part = parts[key];
    if (part === undefined) continue;
    weighted += RULES.weights[key] * part;
    present += RULES.weights[key];
  }
  return { pct: (100 * weighted) / present, parts };
}
