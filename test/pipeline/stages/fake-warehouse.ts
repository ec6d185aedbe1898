import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import type { FetchRecord } from "../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";

const neverAsked = (): never => {
  throw new Error("nobody should ask for this");
};

/** A record of a fetch that brought what is given. */
export function fetchRecord(given: Partial<FetchRecord> = {}): FetchRecord {
  return {
    spaceId: "a.example",
    sourceId: "archive",
    status: "complete",
    fetchedAtMs: Date.parse("2026-10-31T12:00:00.000Z"),
    error: undefined,
    proposals: 0,
    ballots: 0,
    votes: 0,
    delegateLists: 0,
    logs: 0,
    rejected: {},
    ...given,
  };
}

/** A warehouse that holds what is given, takes fetches and remembers how they ended. */
export function fakeWarehouse(
  held: Partial<Pick<Warehouse, "fetchRecords" | "holdings" | "rejections" | "daoFacts">> & {
    /** Of which every source still is. */
    readonly state?: string;
  } = {},
): Warehouse & { readonly ended: readonly string[] } {
  const ended: string[] = [];
  return {
    ended,
    confirmFetch: ({ spaceId, fetchedAtMs, state }) =>
      state === held.state ? fetchRecord({ spaceId, fetchedAtMs }) : undefined,
    beginSpaceFetch({ spaceId, fetchedAtMs }) {
      const open: OpenSpaceFetch = {
        internVoter: neverAsked,
        numberVoters: neverAsked,
        put: neverAsked,
        commit(state) {
          ended.push(`${spaceId} committed${state === undefined ? "" : ` as ${state}`}`);
          return fetchRecord({ spaceId, fetchedAtMs });
        },
        fail(error) {
          ended.push(`${spaceId} failed`);
          return fetchRecord({ spaceId, fetchedAtMs, status: "failed", error });
        },
      };
      return open;
    },
    heldSpace: () => undefined,
    settleSpaces: () => [],
    visits: {
      factsOf: () => ({ fetchNumber: 0, lastCompleteFetchMs: undefined, isArchive: false }),
      read: () => undefined,
      keep: () => {},
    },
    daoFacts: held.daoFacts ?? neverAsked,
    fetchRecords: held.fetchRecords ?? (() => []),
    holdings: held.holdings ?? (() => []),
    rejections: held.rejections ?? (() => []),
    names: { read: () => undefined, write: neverAsked },
    dailyPoints: { read: () => [], hasOtherMethod: () => false, forget: neverAsked, keep: neverAsked },
    close: () => {},
  };
}
