import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { bytesByPath } from "../../snapshots/store/temporary-root.ts";
import { editFile } from "../../support/journey/stage.ts";
import { AS_OF, makeStands } from "../cli/stand.ts";

const { published } = await makeStands();

it("reports the refusal of a gate, and leaves nothing of what was written or scored", async () => {
  const stand = published();
  openSqlite(join(stand.home, "warehouse.db")).exec("DELETE FROM point_columns").close();
  const pointsCount = () => {
    const database = openSqlite(join(stand.home, "warehouse.db"));
    const count = database.prepare("SELECT count(*) FROM point_columns").pluck().get();
    database.close();
    return count;
  };
  const before = bytesByPath(stand.snapshots);
  const names = readdirSync(stand.snapshots);
  editFile(stand.archive, "registry.yaml", (text) => text.replaceAll("OptOut: true", "OptOut: false"));
  const end = await stand.govdata(["publish", "--as-of", AS_OF]);
  expect(end).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/error GATE_REFUSED: a gate refused this version:\n {2}OPT_OUTS_FELL: /),
  });
  expect(bytesByPath(stand.snapshots)).toEqual(before);
  expect(readdirSync(stand.snapshots)).toEqual(names);
  expect(readdirSync(stand.home).filter((name) => name.startsWith("."))).toEqual([]);
  // The points of a refused version may come from wrong data, and would never be scored again.
  expect(pointsCount()).toBe(0);
  expect(await stand.govdata(["publish", "--as-of", AS_OF, "--allow", "opt-outs"])).toMatchObject({
    code: 0,
  });
  expect(pointsCount()).toBe(2);
});
