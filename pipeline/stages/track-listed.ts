import { isPipelineFailure } from "../facts/errors.ts";
import type { Registry } from "../facts/tracked.ts";
import { keepListedSpaces, readListedSpaces, readRegistry } from "../home/read-registry.ts";
import type { RunEffects, Settings } from "../home/settings.ts";
import type { OpenSource } from "../sources/all.ts";

/** A list that lacks more than this share of the spaces of the last one is a fault of the hub. */
const VANISHED_SHARE_MAX = 0.1;
const VANISHED_MAX = 10;

/**
 * Fetches the hub's list of spaces if the registry tracks it, keeps it in the home, and returns the registry with it;
 * reports how many are not tracked because they have no category, or cannot be read. If the hub is away or its list has lost
 * many spaces, the last list counts, with a warning. Throws `SOURCE_FAILED` if nothing else is tracked.
 */
export async function trackListed(
  settings: Settings,
  registry: Registry,
  effects: Pick<RunEffects, "progress">,
  listSpaces: OpenSource["listSpaces"],
): Promise<Registry> {
  if (registry.spaces === undefined || listSpaces === undefined) return registry;
  const { list, category } = registry.spaces;
  const before = readListedSpaces(settings, list);
  const keepLast = (reason: string, cause?: unknown): Registry => {
    const what = before.length > 0 ? "the last list of spaces counts" : "no list of spaces is tracked yet";
    effects.progress.warn(`${what}: ${reason}`, cause);
    return registry;
  };
  try {
    const { spaces, withheld, invalid } = await listSpaces(list);
    const now = new Set(spaces.map(({ spaceId }) => spaceId));
    const vanished = before.filter(({ spaceId }) => !now.has(spaceId));
    if (vanished.length > VANISHED_MAX && vanished.length > before.length * VANISHED_SHARE_MAX) {
      return keepLast(`the hub's lacks ${vanished.length} of its ${before.length}`);
    }
    // One that the hub has but cannot return may be any of those.
    keepListedSpaces(settings, list, withheld === 0 ? spaces : [...spaces, ...vanished]);
    const uncategorized = spaces.filter((space) => (space.category ?? category) === undefined).length;
    effects.progress.step("list", spaces.length, spaces.length, list, {
      uncategorized,
      withheld,
      invalid,
    });
  } catch (error) {
    if (!isPipelineFailure(error) || error.code !== "SOURCE_FAILED" || registry.daos.length === 0)
      throw error;
    return keepLast(error.message, error);
  }
  return readRegistry(settings);
}
