import { digestOf } from "../../snapshots/format/agreement/check-documents.ts";
import { checkDaoDocuments, checkVersionLists } from "../../snapshots/format/agreement/check-shapes.ts";
import type { PublishedListing, PublishedSet } from "../../snapshots/format/published-set.ts";
import { partsOf } from "../support/parts-of.ts";
import { publishedSet } from "../support/published-set.ts";

/** What a test changes in the fixture set. */
export type Change = (set: PublishedSet) => Partial<PublishedSet>;

/** Checks the fixture with one change: its lists, and the documents of each DAO. Throws with every problem. */
export function changed(change: Change): () => void {
  const set = { ...publishedSet(), ...change(publishedSet()) };
  return () => {
    const parts = partsOf(set);
    const problems = [checkVersionLists(set, parts.map(digestOf)), ...parts.map(checkDaoDocuments)]
      .flatMap((result) => result.problems)
      // What has no shape is told first.
      .toSorted((a, b) => Number(a.code !== "SHAPE_INVALID") - Number(b.code !== "SHAPE_INVALID"));
    if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join("\n"));
  };
}

/** Changes the one at `at`, leaves the others. */
export function changeAt<Item>(
  items: readonly Item[],
  position: number,
  change: (item: Item) => Item,
): Item[] {
  return items.map((item, index) => (index === position ? change(item) : item));
}

/** A change of the first listing. */
export const inListing =
  (change: (listing: PublishedListing) => Partial<PublishedListing>): Change =>
  (set) => ({ listings: changeAt(set.listings, 0, (listing) => ({ ...listing, ...change(listing) })) });

/** A change of the latest listing of the first. */
export const inLatest = (
  change: (latest: PublishedListing["latest"]) => Partial<PublishedListing["latest"]>,
): Change => inListing(({ latest }) => ({ latest: { ...latest, ...change(latest) } }));

/** A change of one listed DAO. */
export const inDao =
  (index: number, change: Partial<PublishedSet["daos"][number]>): Change =>
  (set) => ({ daos: changeAt(set.daos, index, (dao) => ({ ...dao, ...change })) });

/** A change of the first DAO detail. */
export const inDetail =
  (change: (detail: PublishedSet["details"][number]) => object): Change =>
  (set) => ({ details: changeAt(set.details, 0, (detail) => ({ ...detail, ...change(detail) })) });
