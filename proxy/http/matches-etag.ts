/** One entity tag of a list; RFC 9110 §8.8.3 lets a tag hold commas, so a list cannot be split at them. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Whether `If-None-Match` names this strong ETag: by `*`, or by any tag of the list, compared weakly. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  for (const [, opaqueTag] of ifNoneMatch.matchAll(ENTITY_TAG)) {
    if (opaqueTag === etag) return true;
  }
  return false;
}
