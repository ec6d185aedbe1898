import { buildPublishedSet } from "../../../pipeline/documents/build-published-set.ts";
import { checkGates } from "../../../pipeline/gate/check-gates.ts";
import type { GateInput } from "../../../pipeline/gate/gate-input.ts";
import type { GateCode, GateFinding } from "../../../pipeline/gate/gate-rules.ts";
import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import type { PublishedListing, PublishedSet } from "../../../snapshots/format/published-set.ts";
import { AS_OF_MS, smallWorld } from "../documents/scored-daos.ts";

/** A set that passes every gate: the small, fictional world as it is published. */
export function validSet(): PublishedSet {
  return buildPublishedSet(smallWorld());
}

/** The set with its first listed DAO changed. */
export function withDao(change: Partial<DaoSummary>, place = 0): PublishedSet {
  const set = validSet();
  return { ...set, daos: set.daos.map((dao, index) => (index === place ? { ...dao, ...change } : dao)) };
}

/** The set with the listing of `tidewater` changed. */
export function withListing(change: (listing: PublishedListing) => PublishedListing): PublishedSet {
  const set = validSet();
  return {
    ...set,
    listings: set.listings.map((each) => (each.spaceId === "tidewater" ? change(each) : each)),
  };
}

/** What gates are given of a first version that nothing is wrong with, but for one change. */
export function gateInput(change: Partial<GateInput>): GateInput {
  return {
    set: validSet(),
    optedOut: [],
    optOuts: 0,
    previous: undefined,
    votes: 10,
    votesOfSpace: new Map(),
    previousOptOuts: undefined,
    rows: [],
    differences: [],
    fetchTimes: [],
    nowMs: AS_OF_MS + 3_600_000,
    overrides: [],
    ...change,
  };
}

/** What one gate finds. */
export function findingsOf(code: GateCode, change: Partial<GateInput>): readonly GateFinding[] {
  return checkGates(gateInput(change)).findings.filter((finding) => finding.code === code);
}

/** What findings say, and whether they refuse. */
export function spoken(findings: readonly GateFinding[]): string[] {
  return findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
}
