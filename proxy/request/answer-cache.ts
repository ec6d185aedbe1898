import { LRUCache } from "lru-cache";
import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import { ACCESS_TIERS } from "../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import type { Answer, BodyAnswer } from "./answer.ts";

/** Answers by tier and target, for one version as one state of the deny list shows it. */
export interface AnswerCache {
  /** The answer that is cached, or the one that `make` gives. */
  readonly answer: (shown: SnapshotReader, tier: AccessTier, target: string, make: () => Answer) => Answer;
}

/** An answer keeps its body alive in every encoding, and compressed it is hardly smaller where it compresses badly. */
const ENCODINGS_FACTOR = 3;

/** Beyond its body an answer costs its target's text, the map and the objects. */
const ENTRY_OVERHEAD_BYTES = 512;

/** A path under `/v1` and a query without escapes, so that each answer has few spellings here, not thousands. */
const PLAIN_TARGET = /^\/v1\/[\w./:~-]{1,255}(\?[\w.&=~-]{0,255})?$/;

/**
 * Caches answers with the reader that gave them, so that none of another version or another deny list is ever found.
 * What nobody may keep (an entity) is not cached either: all entities, known or not, take the same steps.
 */
export function createAnswerCache(bytesMax: number): AnswerCache {
  const newCache = () =>
    new LRUCache<string, BodyAnswer>({
      maxSize: Math.floor(bytesMax / ACCESS_TIERS.length),
      sizeCalculation: ({ encode }, target) =>
        ENTRY_OVERHEAD_BYTES + 2 * target.length + ENCODINGS_FACTOR * encode("identity").bytes.length,
    });
  const caches = { free: newCache(), pro: newCache(), enterprise: newCache() };
  let of: SnapshotReader | undefined;
  return {
    answer: (shown, tier, target, make) => {
      if (shown !== of) {
        for (const each of ACCESS_TIERS) caches[each].clear();
        of = shown;
      }
      const known = caches[tier].get(target);
      if (known !== undefined) return known;
      const made = make();
      if (made.kind === "body" && made.mayBeKept && PLAIN_TARGET.test(target)) caches[tier].set(target, made);
      return made;
    },
  };
}
