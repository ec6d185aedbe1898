import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { filesUnder } from "../../../support/published-files.ts";
import { AS_OF, LEAF, makeStands, TOAST } from "../../cli/stand.ts";

let stands: Awaited<ReturnType<typeof makeStands>>;
beforeAll(async () => {
  stands = await makeStands();
});

it("writes open and full reports of a version, and names nobody in them who opted out since", async () => {
  const setup = stands.published();
  const fileAt = (name: string) => join(setup.directory, name);
  const page = (report: string) => readFileSync(join(fileAt(report), "daos", `${LEAF}.html`), "utf8");
  const { set, version } = readVersion(setup.snapshots);
  const detail = set.details.find(({ space_id }) => space_id === LEAF)!;
  const entity = set.entities.find(({ entity_id }) => entity_id === detail.top_entities[0]?.entity_id)!;

  // The folder above it is made too.
  const open = await setup.govdata(["report", "-o", fileAt("new/open"), "--json"]);
  // All but the mark of the folder itself.
  const written = filesUnder(fileAt("new/open")).size - 1;
  expect(JSON.parse(open.stdout)).toEqual({ version, asOf: AS_OF, isFull: false, files: written });
  expect(page("new/open")).toContain(`<data value="${detail.gvs}">`);
  expect(page("new/open")).not.toContain(entity.label);

  expect((await setup.govdata(["report", "-o", fileAt("full"), "--full"])).code).toBe(0);
  expect(page("full")).toContain(entity.label);
  expect(page("full")).toMatch(/rank 1 of 2|rank 2 of 2/);
  expect(page("full")).toContain("How participation is scored");
  // The band of the year ends with the interval that is published now, and every point of it lies inside.
  const { gvs } = set.evidence.find(({ evidence }) => evidence.space_id === LEAF)!.evidence;
  const year = readFileSync(join(fileAt("full"), "daos/charts", LEAF, "year.csv"), "utf8")
    .trim()
    .split("\n");
  const band = year.slice(1).flatMap((line) => {
    const [date = "", ...cells] = line.split(",");
    return cells[1] === "" ? [] : [{ date, ends: cells.slice(0, 3).map(Number) }];
  });
  expect(band.at(-1)).toEqual({
    date: AS_OF.slice(0, 10),
    ends: [gvs.point, gvs.low, gvs.high].map((end) => Number(end.toFixed(2))),
  });
  for (const { date, ends } of band) {
    const [point = 0, low = 0, high = 0] = ends;
    expect(low <= point && point <= high, date).toBe(true);
  }

  expect((await setup.govdata(["entity", "opt-out", entity.entity_id])).code).toBe(0);
  expect((await setup.govdata(["report", "-o", fileAt("full"), "--full"])).code).toBe(0);
  const files = [...filesUnder(fileAt("full")).values()].map(String);
  expect(files.length).toBeGreaterThan(12);
  expect(files.filter((text) => text.includes(entity.label) || text.includes(entity.entity_id))).toEqual([]);
  expect(existsSync(join(fileAt("full"), "daos", `${TOAST}.html`))).toBe(true);
});

it("writes nothing without a version, over somebody's folder, or to no folder", async () => {
  const setup = stands.fresh();
  const report = (...args: string[]) => setup.govdata(["report", ...args]);
  const target = join(setup.directory, "report");
  const unpublished = await report("-o", target);
  expect([unpublished.code, unpublished.stderr]).toEqual([1, expect.stringContaining("SNAPSHOT_MISSING")]);
  expect(existsSync(target)).toBe(false);
  expect((await report()).code).toBe(2);
  expect((await report("-o", "")).code).toBe(2);
  const published = stands.published();
  mkdirSync(target);
  writeFileSync(join(target, "thesis.txt"), "");
  const refused = await published.govdata(["report", "-o", target]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("is not a report")]);
});
