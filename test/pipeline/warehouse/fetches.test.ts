import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import {
  type CompleteFetch,
  type FetchRecord,
  failedFetches,
  lastCompleteFetch,
} from "../../../pipeline/warehouse/fetches.ts";
import { REJECTED_ROWS_MAX } from "../../../pipeline/warehouse/rejections.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { fetchRecord } from "../stages/fake-warehouse.ts";
import { address, dao, putBallot, putProposal, putRejection } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const GOVERNED = dao("a.eth");
const UNGOVERNED = { ...GOVERNED, governor: undefined };
const of = (sourceId: string, given: Partial<FetchRecord> = {}) =>
  fetchRecord({ spaceId: "a.eth", sourceId, ...given });
const failed = (sourceId: string, code = "SOURCE_FAILED") =>
  of(sourceId, { status: "failed", error: { code, message: "" } });

const AWAY = failed("snapshot-hub");
const LACKS_SPACE = failed("snapshot-hub", "NOT_FOUND");
it.each<readonly [count: number, why: string, daos: readonly TrackedDao[], records: readonly FetchRecord[]]>([
  [1, "a hub that did not answer", [UNGOVERNED], [AWAY]],
  [0, "a complete fetch", [UNGOVERNED], [of("snapshot-hub")]],
  [0, "a DAO that is not tracked any more", [], [AWAY]],
  [1, "a space that the hub does not have, of a DAO without another source", [UNGOVERNED], [LACKS_SPACE]],
  [0, "the same, of a DAO that votes on a chain", [GOVERNED], [LACKS_SPACE, of("governor")]],
  [2, "the same while the chain failed too", [GOVERNED], [LACKS_SPACE, failed("governor")]],
  [1, "a hub that did not answer for a DAO that votes on a chain too", [GOVERNED], [AWAY, of("governor")]],
  [0, "a hub that the registry no longer names", [{ ...UNGOVERNED, snapshot: "none" }], [AWAY]],
  [0, "a governor that the registry no longer names", [UNGOVERNED], [failed("governor")]],
])("finds %i fetches that have to be mended: %s", (count, _why, daos, records) => {
  expect(failedFetches(records, daos)).toHaveLength(count);
});

const archive = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "archive", fetchedAtMs });
const hub = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "snapshot-hub", fetchedAtMs });
const governor = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "governor", fetchedAtMs });

describe("lastCompleteFetch", () => {
  it.each<
    readonly [
      why: string,
      tracked: TrackedDao,
      fetches: readonly CompleteFetch[],
      ms: number | undefined,
      isArchive: boolean,
    ]
  >([
    ["never fetched whole", GOVERNED, [], undefined, false],
    ["an archive alone", GOVERNED, [archive(5)], 5, true],
    ["a hub alone, of a DAO whose governor never succeeded", GOVERNED, [hub(5)], 5, false],
    ["a governor alone", GOVERNED, [governor(5)], 5, false],
    ["an archive first and a hub later: the hub", UNGOVERNED, [archive(1), hub(5)], 5, false],
    [
      "a hub first and an archive later: still the hub, which ages",
      UNGOVERNED,
      [archive(9), hub(5)],
      5,
      false,
    ],
    ["an archive and a governor: the governor", GOVERNED, [archive(1), governor(5)], 5, false],
    ["a hub and an older governor (it failed since): the older", GOVERNED, [governor(3), hub(5)], 3, false],
    ["a governor and an older hub: the older", GOVERNED, [governor(7), hub(5)], 5, false],
    [
      "a governor that the registry no longer names ages nothing",
      UNGOVERNED,
      [governor(3), hub(5)],
      5,
      false,
    ],
    [
      "nor does a hub that it no longer names",
      { ...GOVERNED, snapshot: "none" },
      [hub(3), governor(5)],
      5,
      false,
    ],
    ["nor does it keep an archive from counting", UNGOVERNED, [archive(1), governor(5)], 1, true],
    ["and alone it is nothing", UNGOVERNED, [governor(5)], undefined, false],
    ["a fetch at the epoch is one", GOVERNED, [hub(0), governor(5)], 0, false],
  ])("%s", (_why, tracked, fetches, lastCompleteFetchMs, isArchive) => {
    for (const order of [fetches, fetches.toReversed()])
      expect(lastCompleteFetch(order, tracked)).toEqual({ lastCompleteFetchMs, isArchive });
  });
});

describe("rejections", () => {
  let home: WarehouseHome;
  let warehouse: Warehouse;
  beforeEach(() => {
    home = createWarehouseHome();
    warehouse = home.open();
  });
  afterEach(() => home.remove());

  const begin = () =>
    warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 1 });

  function bring(fetch: OpenSpaceFetch, id: string, refused: number): void {
    putProposal(fetch, id);
    putBallot(fetch, id, [address(1)]);
    refuse(fetch, `votes/${id}`, refused);
  }
  function refuse(fetch: OpenSpaceFetch, file: string, count: number, code = "POWER_INVALID"): void {
    for (let line = 1; line <= count; line += 1) putRejection(fetch, file, line, code);
  }
  function keep(fetch: OpenSpaceFetch, id: string): void {
    putProposal(fetch, id);
    fetch.memory?.keepVotes(id);
  }
  const files = () => [...new Set(warehouse.rejections().map(({ file }) => file))];

  /** Two ballots with rejections, and a listing with one. */
  function fetchTwo(): void {
    const fetch = begin();
    bring(fetch, "1", 2);
    bring(fetch, "2", 3);
    refuse(fetch, "proposals/a.eth", 1, "BAD_SHAPE");
    expect(fetch.commit().rejected).toEqual({ BAD_SHAPE: 1, POWER_INVALID: 5 });
  }

  it("stay with the ballots that are kept, and go with the listing, which is told anew", () => {
    fetchTwo();
    const fetch = begin();
    keep(fetch, "1");
    keep(fetch, "2");
    refuse(fetch, "proposals/a.eth", 2, "BAD_SHAPE");
    expect(fetch.commit().rejected).toEqual({ BAD_SHAPE: 2, POWER_INVALID: 5 });
    expect(files()).toEqual(["votes/1", "votes/2", "proposals/a.eth"]);
  });

  it("go with a ballot that is put again, or neither put nor kept", () => {
    fetchTwo();
    const fetch = begin();
    bring(fetch, "1", 1);
    expect(fetch.commit().rejected).toEqual({ POWER_INVALID: 1 });
    expect(files()).toEqual(["votes/1"]);
  });

  it("are said once of a kept ballot of which a fetch says the same again", () => {
    const first = begin();
    bring(first, "1", 2);
    refuse(first, "votes/1", 1, "VOTES_INCOMPLETE");
    first.commit();
    const fetch = begin();
    keep(fetch, "1");
    refuse(fetch, "votes/1", 1, "VOTES_INCOMPLETE");
    expect(fetch.commit().rejected).toEqual({ POWER_INVALID: 2, VOTES_INCOMPLETE: 1 });
    expect(warehouse.rejections()).toHaveLength(3);
  });

  it("of ballots that are held outlive fetches that fail, which tell the rest of their own", () => {
    fetchTwo();
    for (const count of [3, 4]) {
      const fetch = begin();
      refuse(fetch, "votes/1", 9);
      refuse(fetch, "votes/3", count, "BAD_SHAPE");
      expect(fetch.fail({ code: "SOURCE_FAILED", message: "gone" })).toMatchObject({
        votes: 0,
        rejected: { BAD_SHAPE: count, POWER_INVALID: 5 },
      });
      expect(files()).toEqual(["votes/1", "votes/2", "votes/3"]);
    }
    const later = begin();
    keep(later, "1");
    expect(later.commit().rejected, "what failed kept nothing").toEqual({ POWER_INVALID: 2 });
  });

  it("are all counted, and the newest thousand of their rows kept", () => {
    const first = begin();
    bring(first, "1", REJECTED_ROWS_MAX);
    first.commit();
    const fetch = begin();
    keep(fetch, "1");
    bring(fetch, "2", 7);
    expect(fetch.commit().rejected).toEqual({ POWER_INVALID: REJECTED_ROWS_MAX + 7 });
    const rows = warehouse.rejections();
    expect(rows).toHaveLength(REJECTED_ROWS_MAX);
    expect(rows.filter(({ file }) => file === "votes/2")).toHaveLength(7);
  });
});
