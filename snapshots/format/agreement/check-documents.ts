import { checkDaos } from "./check-daos.ts";
import { checkEntities } from "./check-entities.ts";
import { checkEvidence } from "./check-evidence.ts";
import { checkGraphs } from "./check-graph.ts";
import { checkListing } from "./check-listing.ts";
import { checkSeries } from "./check-series.ts";
import type { Disagreement } from "./disagreement.ts";
import type { DocumentSet } from "./document-set.ts";

/**
 * What the documents of one version say of each other and of themselves that cannot all be true: ids given twice,
 * ranks with holes, totals that are no sums, words that are not those of their numbers. It recomputes no score.
 */
export function checkDocuments(set: DocumentSet): readonly Disagreement[] {
  return [
    ...checkDaos(set),
    ...checkEntities(set),
    ...checkSeries(set),
    ...checkListings(set),
    ...checkGraphs(set),
    ...checkEvidence(set),
  ];
}

function checkListings(set: DocumentSet): Disagreement[] {
  const lastDay = set.asOf.slice(0, 10);
  return set.listings.flatMap((listing) => checkListing(listing, lastDay));
}
