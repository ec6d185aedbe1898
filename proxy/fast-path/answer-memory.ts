import { LRUCache } from "lru-cache";
import { ACCESS_TIERS, type AccessTier } from "../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import type { Answer } from "../request/answer.ts";
import { isPlainTarget } from "./plain-request.ts";

/** An answer that has a body. */
export type BodyAnswer = Extract<Answer, { readonly kind: "body" }>;

/** An answer that was given, and the template of the route that gave it. */
export interface RememberedAnswer {
  readonly answer: BodyAnswer;
  readonly route: string;
}

/** Answers that were given, by target and tier, for one version as one state of the deny list shows it. */
export interface AnswerMemory {
  readonly find: (shown: SnapshotReader, target: string, tier: AccessTier) => RememberedAnswer | undefined;
  readonly remember: (
    shown: SnapshotReader,
    target: string,
    tier: AccessTier,
    given: RememberedAnswer,
  ) => void;
}

/** The answer for each tier, in the order of `ACCESS_TIERS`. */
type PerTier = (RememberedAnswer | undefined)[];

/** An answer pins its body in every encoding, and packed it is hardly smaller where it packs badly. */
const ENCODINGS_FACTOR = 3;

/** Beyond its body an answer costs its target's text, the maps and the objects. */
const ENTRY_OVERHEAD_BYTES = 512;

function bytesOf(target: string, perTier: PerTier): number {
  const bodies = perTier.map((given) => given?.answer.encode("identity").bytes.length ?? 0);
  const bodyBytes = bodies.reduce((sum, bytes) => sum + bytes, 0);
  return ENTRY_OVERHEAD_BYTES + 2 * target.length + ENCODINGS_FACTOR * bodyBytes;
}

/**
 * Remembers answers with the reader that gave them, so that one of another version or another deny list is never found.
 * What nobody may keep (an entity) is not remembered either: all entities, known or not, go the same way.
 */
export function createAnswerMemory(bytesMax: number): AnswerMemory {
  const byTarget = new LRUCache<string, PerTier>({
    maxSize: bytesMax,
    sizeCalculation: (perTier, target) => bytesOf(target, perTier),
  });
  let of: SnapshotReader | undefined;
  return {
    find: (shown, target, tier) =>
      shown === of ? byTarget.get(target)?.[ACCESS_TIERS.indexOf(tier)] : undefined,
    remember: (shown, target, tier, given) => {
      if (!given.answer.mayBeKept || !isPlainTarget(target)) return;
      if (shown !== of) {
        byTarget.clear();
        of = shown;
      }
      // Another array, as the cache sizes a value anew only when it is another one.
      const perTier = [...(byTarget.get(target) ?? [])];
      perTier[ACCESS_TIERS.indexOf(tier)] = given;
      byTarget.set(target, perTier);
    },
  };
}
