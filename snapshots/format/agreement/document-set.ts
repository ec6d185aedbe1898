import type { PublishedListing, PublishedSet } from "../published-set.ts";

/** A set as its JSON files hold it: the whole ranking behind a listing is a CSV of its own. */
export type DocumentSet = Omit<PublishedSet, "listings"> & {
  readonly listings: readonly Omit<PublishedListing, "all">[];
};
