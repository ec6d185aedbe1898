import { buildPublishedSet } from "../../../pipeline/documents/build-published-set.ts";
import type { GateFinding } from "../../../pipeline/gate/gate-rules.ts";
import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import type { PublishedListing, PublishedSet } from "../../../snapshots/format/published-set.ts";
import { smallWorld } from "../documents/scored-daos.ts";

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

/** What findings say, and whether they refuse. */
export function spoken(findings: readonly GateFinding[]): string[] {
  return findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`);
}
