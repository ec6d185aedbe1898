/** What a body may be sent as. The order is ours where the caller has no preference. */
export const CONTENT_ENCODINGS = ["br", "gzip", "identity"] as const;
export type ContentEncoding = (typeof CONTENT_ENCODINGS)[number];

/** RFC 9110 §12.4.2: 0 to 1 with at most three decimals. */
const WEIGHT = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * The encoding to answer with. Nothing sent means nobody unpacks for the caller: identity. Where all three
 * are excluded we send identity all the same (RFC 9110 §12.5.3 allows it, and 406 would be no better answer).
 */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentEncoding {
  if (acceptEncoding === undefined) return "identity";
  const weights = parseWeights(acceptEncoding);
  let best: ContentEncoding = "identity";
  let bestWeight = 0;
  for (const encoding of CONTENT_ENCODINGS) {
    const weight = weightOf(encoding, weights);
    if (weight > bestWeight) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

/** What is not named weighs nothing: identity is acceptable then, but whoever lists others prefers them. */
function weightOf(encoding: ContentEncoding, weights: ReadonlyMap<string, number>): number {
  const named = weights.get(encoding) ?? (encoding === "gzip" ? weights.get("x-gzip") : undefined);
  return named ?? weights.get("*") ?? 0;
}

/** A coding whose weight cannot be read counts as refused: guessing could send what nobody can unpack. */
function parseWeights(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.length === 0 ? 1 : Number(WEIGHT.exec(parameters.join(";"))?.[1] ?? 0);
    weights.set(coding.toLowerCase(), weight);
  }
  return weights;
}

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
