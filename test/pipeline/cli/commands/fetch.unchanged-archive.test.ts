import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqlite } from "../../../../snapshots/base/sqlite.ts";
import { appendLines } from "../../../support/journey/stage.ts";
import { makeStands, TOAST } from "../stand.ts";

const { published } = await makeStands();

it("is not read again: a fetch goes on where an interrupted one stopped, and reads what was changed", async () => {
  const setup = published();
  let nowMs = Date.now() + 3_600_000;
  const fetch = async (...more: readonly string[]): Promise<unknown> => {
    nowMs += 3_600_000;
    const end = await setup.govdata(["fetch", "--source", "archive", "--from", setup.archive, ...more], {
      nowMs: () => nowMs,
    });
    expect(end.code, end.stderr).toBe(0);
    const database = openSqlite(join(setup.home, "warehouse.db"), { readonly: true });
    try {
      return database
        .prepare("SELECT space_id, fetch_number FROM daos ORDER BY space_id")
        .raw()
        .all()
        .map((row) => (row as unknown[])[1]);
    } finally {
      database.close();
    }
  };
  // By name, how often each DAO was fetched and not confirmed; the stand's own fetch was the first.
  expect(await fetch(), "the stand's was of files made at that very moment").toEqual([2, 2]);
  expect(await fetch()).toEqual([2, 2]);
  appendLines(setup.archive, `votes/${TOAST}.ndjson`, ["no vote"]);
  expect(await fetch()).toEqual([2, 3]);
  expect(await fetch("--full")).toEqual([3, 4]);
});
