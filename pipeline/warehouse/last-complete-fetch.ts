import type { DaoFacts } from "../facts/dao-facts.ts";
import type { TrackedDao } from "../facts/tracked.ts";

/** The newest fetch from one source that was kept whole; what failed since changes nothing. */
export interface CompleteFetch {
  readonly sourceId: string;
  readonly fetchedAtMs: number;
}

/**
 * How fresh a DAO's facts are: as fresh as the oldest of its parts.
 *
 * A part is a live source (any but the archive) that ever gave the DAO whole. The governor is one only while the
 * registry names a governor for the DAO: what nobody fetches any more must not make the rest look old. One that never
 * succeeded is none either: what is missing then is missing from the facts, and its failures stand in the fetch records.
 *
 * An archive counts where no part is left, and then it is all there is: data of closed proposals, which do not age.
 * As soon as a live source counts, what the archive brought and the live one did not replace is beside the point.
 */
export function lastCompleteFetch(
  fetches: readonly CompleteFetch[],
  dao: TrackedDao,
): Pick<DaoFacts, "lastCompleteFetchMs" | "isArchive"> {
  const live = fetches.filter(({ sourceId }) => isLive(sourceId, dao));
  const archives = fetches.filter(({ sourceId }) => sourceId === ARCHIVE);
  const counting = live.length > 0 ? live : archives;
  return {
    lastCompleteFetchMs:
      counting.length === 0 ? undefined : Math.min(...counting.map(({ fetchedAtMs }) => fetchedAtMs)),
    isArchive: live.length === 0 && archives.length > 0,
  };
}

const ARCHIVE = "archive";

function isLive(sourceId: string, { governor }: TrackedDao): boolean {
  return sourceId !== ARCHIVE && (sourceId !== "governor" || governor !== undefined);
}
