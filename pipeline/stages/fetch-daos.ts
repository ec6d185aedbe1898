import { PipelineError } from "../facts/errors.ts";
import type { GovernanceSource } from "../facts/governance-source.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import type { ProgressFacts, RunEffects } from "../home/settings.ts";
import type { OpenSpaceFetch, WrittenRecord } from "../warehouse/fetch-writer.ts";
import type { FetchRecord } from "../warehouse/fetches.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** Lets one after the other: a turn comes once everybody before is through, and answers how to let the next one in. */
export function createTurns(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    let letNext: () => void = () => undefined;
    last = new Promise((resolve) => {
      letNext = resolve;
    });
    await before;
    return letNext;
  };
}

/** With less room a fetch stops before the disk is full: what is held must still be scored and published. */
const FREE_BYTES_MIN = 200_000_000;

function assertRoom({ freeBytes }: RunEffects): void {
  if (freeBytes === undefined || freeBytes() >= FREE_BYTES_MIN) return;
  const room = `${FREE_BYTES_MIN / 1e6} MB`;
  throw new PipelineError("SOURCE_FAILED", `less than ${room} are free on the disk of the home`, {
    hint: "Make room. What is complete is kept, and the next fetch continues from there.",
  });
}

/** The disk is asked again once records of about so many bytes were taken: asking it for each of them would show. */
const BYTES_BETWEEN_LOOKS = 2_000_000;

/** About as many bytes as a record takes in the warehouse, rather more than fewer. */
function roughBytes(record: WrittenRecord): number {
  if (record.kind === "votes" || record.kind === "packed-votes") return 1_000 + 40 * record.votes.count;
  if (record.kind === "delegation-events") return 1_000 + 500 * record.events.length;
  if (record.kind === "delegate-list") return 1_000 + 500 * record.list.delegates.length;
  return 20_000;
}

/** The same fetch, telling what it has taken so far whenever it takes something, as long as there is room for it. */
function watched(
  fetch: OpenSpaceFetch,
  effects: RunEffects,
  tell: (facts: ProgressFacts) => void,
): OpenSpaceFetch {
  const { memory } = fetch;
  let proposals = 0;
  let votes = 0;
  let logs = 0;
  // The first record is one too many where there is no room.
  let bytesUnseen = BYTES_BETWEEN_LOOKS;
  return {
    ...fetch,
    ...(memory && {
      memory: {
        ...memory,
        checkpoint(page) {
          assertRoom(effects);
          memory.checkpoint(page);
        },
      },
    }),
    put(record) {
      if (record.kind !== "rejection") bytesUnseen += roughBytes(record);
      if (bytesUnseen > BYTES_BETWEEN_LOOKS) {
        assertRoom(effects);
        bytesUnseen = 0;
      }
      fetch.put(record);
      if (record.kind === "proposal") proposals += 1;
      else if (record.kind === "votes" || record.kind === "packed-votes") votes += record.votes.count;
      else if (record.kind === "delegation-events") logs += record.events.length;
      else return;
      tell({ proposals, votes, ...(logs > 0 ? { logs } : {}) });
    },
  };
}

/** What to fetch, from where and into what. */
interface FetchDaosInput {
  readonly daos: readonly TrackedDao[];
  readonly source: GovernanceSource;
  readonly warehouse: Warehouse;
  readonly effects: RunEffects;
  readonly atOnce: number;
  /** What is there to be read of a DAO; with threads the largest begin, so that none of them comes last. */
  readonly bytesOf?: (dao: TrackedDao) => number;
  /** Read again what has not changed. */
  readonly isFull?: boolean | undefined;
  /** Threads that read the DAOs of the archive in a folder; those with a governor are read in this one all the same. */
  readonly inThreads?: { readonly threads: ThreadPool; readonly directory: string } | undefined;
}

/** Fetches one DAO whole, or records why not; what was known before stays in that case. */
async function fetchDao(
  dao: TrackedDao,
  { source, warehouse, effects, inThreads, isFull = false }: FetchDaosInput,
  takeTurn: ReturnType<typeof createTurns>,
): Promise<FetchRecord> {
  const fetchedAtMs = effects.nowMs();
  const tick = (facts: ProgressFacts): void => effects.progress.tick("fetch", dao.spaceId, facts);
  tick({});
  const attempt = { spaceId: dao.spaceId, sourceId: source.sourceId, fetchedAtMs };
  const state = source.stateOf?.(dao, fetchedAtMs);
  if (state !== undefined && !isFull) {
    const letNext = await takeTurn();
    try {
      const confirmed = warehouse.confirmFetch({ ...attempt, state });
      if (confirmed !== undefined) return confirmed;
    } finally {
      letNext();
    }
  }
  let endTurn = (): void => undefined;
  // Asked for by whoever comes first, and never twice: a second turn would wait behind the first.
  let opening: Promise<OpenSpaceFetch> | undefined;
  const begin = (): Promise<OpenSpaceFetch> => {
    opening ??= (async () => {
      // A fetch that replaces has the warehouse to itself.
      if (inThreads !== undefined) endTurn = await takeTurn();
      return watched(warehouse.beginSpaceFetch(attempt), effects, tick);
    })();
    return opening;
  };
  try {
    assertRoom(effects);
    // Its chain is read in order, and a reader of chains asks for one number at a time.
    if (inThreads === undefined || dao.governor !== undefined) await source.fetchSpace(dao, await begin());
    else {
      // Threads read side by side, and only one of them at a time has the warehouse open: from the first that it says.
      const { threads, directory } = inThreads;
      await threads.run({ kind: "fetch", dao, directory }, async ({ records, voters }) => {
        const fetch = await begin();
        for (const record of records) fetch.put(record);
        return voters && fetch.numberVoters(voters);
      });
    }
    const fetch = await begin();
    // Files that were changed while they were read are in no state that can be known again.
    const isSettled = state !== undefined && source.stateOf?.(dao, fetchedAtMs) === state;
    return isSettled ? fetch.commit(state) : fetch.commit();
  } catch (error) {
    const fetch = await begin();
    if (error instanceof PipelineError) return fetch.fail({ code: error.code, message: error.message });
    // The reason is published; what an unforeseen error says may hold a path or an address.
    effects.progress.warn(`${dao.spaceId}: ${error instanceof Error ? error.message : String(error)}`, error);
    return fetch.fail({
      code: "UNEXPECTED",
      message: "the source broke off for a reason we did not foresee",
    });
  } finally {
    endTurn();
  }
}

function factsOf(record: FetchRecord, effects: RunEffects): ProgressFacts {
  const { sourceId, proposals, votes, logs, fetchedAtMs, error } = record;
  const rejected = Object.values(record.rejected).reduce((sum, count) => sum + count, 0);
  return {
    ...(error === undefined ? { proposals, votes, logs } : { error: error.code }),
    ...(rejected > 0 ? { rejected } : {}),
    source: sourceId,
    wall_ms: effects.nowMs() - fetchedAtMs,
  };
}

/**
 * Fetches DAOs into the warehouse, `atOnce` of them side by side (1 for a source whose fetches replace all). A DAO that
 * fails is recorded as failed and does not stop the others.
 */
export async function fetchDaos(input: FetchDaosInput): Promise<readonly FetchRecord[]> {
  const { daos, effects, inThreads, bytesOf = () => 0 } = input;
  const atOnce = inThreads?.threads.atOnce ?? input.atOnce;
  const takeTurn = createTurns();
  const fetched = new Map<string, FetchRecord>();
  const bySize = (): readonly TrackedDao[] =>
    daos
      .map((dao) => ({ dao, bytes: bytesOf(dao) }))
      .sort((a, b) => b.bytes - a.bytes)
      .map(({ dao }) => dao);
  const queue = (inThreads === undefined ? daos : bySize()).values();
  const work = async (): Promise<void> => {
    for (const dao of queue) {
      const record = await fetchDao(dao, input, takeTurn);
      fetched.set(dao.spaceId, record);
      // A warning of its own, as the line of a step is rewritten by the next and unsaid by --quiet.
      if (record.error !== undefined) {
        effects.progress.warn(`${dao.spaceId} could not be fetched: ${record.error.message}`);
      }
      effects.progress.step("fetch", fetched.size, daos.length, dao.spaceId, factsOf(record, effects));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return daos.flatMap((dao) => fetched.get(dao.spaceId) ?? []);
}
