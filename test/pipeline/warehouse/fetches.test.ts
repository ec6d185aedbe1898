import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
import { address, ballot, dao, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

const GOVERNED = dao("a.eth");
const UNGOVERNED = { ...GOVERNED, governor: undefined };
const of = (sourceId: string, given: Partial<FetchRecord> = {}) =>
  fetchRecord({ spaceId: "a.eth", sourceId, ...given });
const failed = (sourceId: string, code = "SOURCE_FAILED") =>
  of(sourceId, { status: "failed", error: { code, message: "" } });

it.each([
  { why: "a hub that did not answer", daos: [UNGOVERNED], records: [failed("snapshot-hub")], count: 1 },
  { why: "a complete fetch", daos: [UNGOVERNED], records: [of("snapshot-hub")], count: 0 },
  { why: "a DAO that is not tracked any more", daos: [], records: [failed("snapshot-hub")], count: 0 },
  {
    why: "a space that the hub does not have, of a DAO without another source",
    daos: [UNGOVERNED],
    records: [failed("snapshot-hub", "NOT_FOUND")],
    count: 1,
  },
  {
    why: "a space that the hub does not have, of a DAO that votes on a chain",
    daos: [GOVERNED],
    records: [failed("snapshot-hub", "NOT_FOUND"), of("governor")],
    count: 0,
  },
  {
    why: "the same while the chain failed too",
    daos: [GOVERNED],
    records: [failed("snapshot-hub", "NOT_FOUND"), failed("governor")],
    count: 2,
  },
  {
    why: "a hub that did not answer for a DAO that votes on a chain too",
    daos: [GOVERNED],
    records: [failed("snapshot-hub"), of("governor")],
    count: 1,
  },
  {
    why: "a hub that the registry no longer names",
    daos: [{ ...UNGOVERNED, snapshot: "none" as const }],
    records: [failed("snapshot-hub")],
    count: 0,
  },
  {
    why: "a governor that the registry no longer names",
    daos: [UNGOVERNED],
    records: [failed("governor")],
    count: 0,
  },
])("finds the fetches that have to be mended: $why", ({ daos, records, count }) => {
  expect(failedFetches(records, daos)).toHaveLength(count);
});

const archive = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "archive", fetchedAtMs });
const hub = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "snapshot-hub", fetchedAtMs });
const governor = (fetchedAtMs: number): CompleteFetch => ({ sourceId: "governor", fetchedAtMs });

describe("lastCompleteFetch", () => {
  it.each([
    { why: "never fetched whole", fetches: [], tracked: GOVERNED, ms: undefined, isArchive: false },
    { why: "an archive alone", fetches: [archive(5)], tracked: GOVERNED, ms: 5, isArchive: true },
    { why: "a hub alone", fetches: [hub(5)], tracked: UNGOVERNED, ms: 5, isArchive: false },
    {
      why: "an archive first and a hub later: the hub",
      fetches: [archive(1), hub(5)],
      tracked: UNGOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a hub first and an archive later: still the hub, which ages",
      fetches: [archive(9), hub(5)],
      tracked: UNGOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a hub and an older governor (it failed since): the older",
      fetches: [governor(3), hub(5)],
      tracked: GOVERNED,
      ms: 3,
      isArchive: false,
    },
    {
      why: "a governor and an older hub: the older",
      fetches: [governor(7), hub(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a governor that the registry names and that never succeeded does not count",
      fetches: [hub(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a governor alone",
      fetches: [governor(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "an archive and a governor: the governor",
      fetches: [archive(1), governor(5)],
      tracked: GOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "a governor that the registry no longer names does not make the hub look old",
      fetches: [governor(3), hub(5)],
      tracked: UNGOVERNED,
      ms: 5,
      isArchive: false,
    },
    {
      why: "nor does it keep an archive from counting",
      fetches: [archive(1), governor(5)],
      tracked: UNGOVERNED,
      ms: 1,
      isArchive: true,
    },
    {
      why: "and alone it is nothing",
      fetches: [governor(5)],
      tracked: UNGOVERNED,
      ms: undefined,
      isArchive: false,
    },
    {
      why: "a fetch at the epoch is one",
      fetches: [hub(0), governor(5)],
      tracked: GOVERNED,
      ms: 0,
      isArchive: false,
    },
  ])("$why", ({ fetches, tracked, ms, isArchive }) => {
    expect(lastCompleteFetch(fetches, tracked)).toEqual({ lastCompleteFetchMs: ms, isArchive });
    expect(lastCompleteFetch(fetches.toReversed(), tracked), "in any order").toEqual({
      lastCompleteFetchMs: ms,
      isArchive,
    });
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

  function putBallot(fetch: OpenSpaceFetch, id: string, refused = 0): void {
    fetch.put({ kind: "proposal", proposal: proposal(id) });
    fetch.put({ kind: "votes", votes: ballot(fetch, id, [address(1)]), isFinal: true });
    refuse(fetch, `votes/${id}`, refused);
  }
  function refuse(fetch: OpenSpaceFetch, file: string, count: number, code = "POWER_INVALID"): void {
    for (let line = 1; line <= count; line += 1)
      fetch.put({ kind: "rejection", file, line, code, message: "odd" });
  }
  function keep(fetch: OpenSpaceFetch, id: string): void {
    fetch.put({ kind: "proposal", proposal: proposal(id) });
    fetch.memory?.keepVotes(id);
  }
  const files = () => [...new Set(warehouse.rejections().map(({ file }) => file))];

  /** Two ballots with rejections, and a listing with one. */
  function fetchTwo(): void {
    const fetch = begin();
    putBallot(fetch, "1", 2);
    putBallot(fetch, "2", 3);
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
    putBallot(fetch, "1", 1);
    expect(fetch.commit().rejected).toEqual({ POWER_INVALID: 1 });
    expect(files()).toEqual(["votes/1"]);
  });

  it("are said once of a kept ballot of which a fetch says the same again", () => {
    const first = begin();
    putBallot(first, "1", 2);
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
    putBallot(first, "1", REJECTED_ROWS_MAX);
    first.commit();
    const fetch = begin();
    keep(fetch, "1");
    putBallot(fetch, "2", 7);
    expect(fetch.commit().rejected).toEqual({ POWER_INVALID: REJECTED_ROWS_MAX + 7 });
    const rows = warehouse.rejections();
    expect(rows).toHaveLength(REJECTED_ROWS_MAX);
    expect(rows.filter(({ file }) => file === "votes/2")).toHaveLength(7);
  });
});
