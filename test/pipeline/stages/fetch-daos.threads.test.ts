import { describe, expect, it } from "vitest";
import { pipelineFailure } from "../../../pipeline/facts/errors.ts";
import type { GovernanceSource } from "../../../pipeline/facts/governance-source.ts";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import { fetchDaos } from "../../../pipeline/stages/fetch-daos.ts";
import type { FetchPart, ThreadPool } from "../../../pipeline/stages/thread-pool.ts";
import { fakeWarehouse } from "./fake-warehouse.ts";

const daos = ["a", "b", "c"].map(
  (spaceId): TrackedDao => ({ spaceId, name: spaceId, category: "defi", governor: undefined }),
);
const source: GovernanceSource = { sourceId: "archive", fetchSpace: () => Promise.reject(new Error("here")) };
const effects = {
  nowMs: () => 7,
  runId: "0",
  progress: { step: () => {}, tick: () => {}, warn: () => {} },
};
const NOTHING = { records: [], voters: undefined };

/** Threads that read a DAO as `work` says: what they hand over is heard as of real ones. */
function threadsThat(
  work: (spaceId: string, hear: (said: FetchPart) => unknown) => Promise<void>,
): ThreadPool {
  return {
    atOnce: 3,
    run: async (task, hear = () => undefined) => {
      if (task.kind === "visit") throw new Error("building fetches nothing");
      await work(task.dao.spaceId, hear);
      return undefined as never;
    },
    close: async () => undefined,
  };
}

describe("fetching in threads", () => {
  it("writes one DAO at a time, in the order of their first records", async () => {
    const fake = fakeWarehouse();
    const order: string[] = [];
    const warehouse: typeof fake = {
      ...fake,
      beginSpaceFetch(attempt) {
        order.push(`${attempt.spaceId} begins`);
        const fetch = fake.beginSpaceFetch(attempt);
        return {
          ...fetch,
          commit() {
            order.push(`${attempt.spaceId} ends`);
            return fetch.commit();
          },
        };
      },
    };
    const threads = threadsThat(async (_, hear) => void (await hear(NOTHING)));
    await fetchDaos({ daos, source, warehouse, effects, atOnce: 1, inThreads: { threads, directory: "" } });
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("ends with the error where the warehouse cannot be opened, and lets nobody wait behind it", async () => {
    const warehouse = {
      ...fakeWarehouse(),
      beginSpaceFetch() {
        throw pipelineFailure("WAREHOUSE_BUSY", "another process is writing to the warehouse");
      },
    };
    const threads = threadsThat(async (_, hear) => void (await hear(NOTHING)));
    const fetched = fetchDaos({
      daos,
      source,
      warehouse,
      effects,
      atOnce: 1,
      inThreads: { threads, directory: "" },
    });
    await expect(fetched).rejects.toMatchObject({ code: "WAREHOUSE_BUSY" });
  });

  it("goes on where a thread ends while its DAO waits for its turn", async () => {
    const warehouse = fakeWarehouse();
    let end: (error: Error) => void = () => undefined;
    const threads = threadsThat((spaceId, hear) => {
      const heard = Promise.resolve(hear(NOTHING)).then(() => undefined);
      if (spaceId !== "b") return heard;
      // What the pool does to the tasks of a thread that dies, while "a" has the turn that "b" waits for.
      const died = new Promise<void>((_, reject) => {
        end = reject;
      });
      queueMicrotask(() => end(new Error("a thread ended with 1")));
      return died;
    });
    const records = await fetchDaos({
      daos,
      source,
      warehouse,
      effects,
      atOnce: 1,
      inThreads: { threads, directory: "" },
    });
    expect(records).toMatchObject([
      { spaceId: "a", status: "complete" },
      { spaceId: "b", status: "failed", error: { code: "UNEXPECTED" } },
      { spaceId: "c", status: "complete" },
    ]);
    expect([...warehouse.ended].sort()).toEqual(["a committed", "b failed", "c committed"]);
  });
});
