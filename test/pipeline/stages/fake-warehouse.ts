import type { FetchRecord } from "../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";

const neverAsked = (): never => {
  throw new Error("a fetch without records needs no voters");
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

/** A warehouse that takes fetches without records, of which `state` is known, and remembers how they ended. */
export function fakeWarehouse(knownState?: string) {
  const ended: string[] = [];
  const warehouse: Pick<Warehouse, "confirmFetch" | "beginSpaceFetch"> = {
    confirmFetch: ({ spaceId, fetchedAtMs, state }) =>
      state === knownState ? fetchRecord({ spaceId, fetchedAtMs }) : undefined,
    beginSpaceFetch: ({ spaceId, fetchedAtMs }) => ({
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
    }),
  };
  return { ...warehouse, ended };
}
