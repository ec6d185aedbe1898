import { afterEach, beforeEach, expect, it } from "vitest";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
import { REJECTED_ROWS_MAX } from "../../../pipeline/warehouse/fetches.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { address, ballot, proposal } from "./sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "./warehouse-home.ts";

let home: WarehouseHome;
let warehouse: Warehouse;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
});
afterEach(() => home.remove());

const begin = () => warehouse.beginSpaceFetch({ spaceId: "a.eth", sourceId: "snapshot-hub", fetchedAtMs: 1 });

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
