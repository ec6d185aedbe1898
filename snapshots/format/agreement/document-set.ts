import type { PublishedEvidence, PublishedListing, PublishedSet } from "../published-set.ts";

/** A set as its JSON files hold it: the whole ranking behind a listing is a CSV of its own, the proposals behind a score are lines. */
export type DocumentSet = Omit<PublishedSet, "listings" | "evidence"> & {
  readonly listings: readonly Omit<PublishedListing, "all" | "days">[];
  readonly evidence: readonly Omit<PublishedEvidence, "proposals">[];
};
