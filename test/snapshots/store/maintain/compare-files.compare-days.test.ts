import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { monthOf } from "../../../../snapshots/format/delegate-months.ts";
import type { DatedListing } from "../../../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { publishedSet, publishFixture } from "../../../support/published-set.ts";
import { currentDirectory, replaceFile, reseal, temporaryRoot } from "../temporary-root.ts";

const PATH = "delegates/tidewater.example/days.csv";
const set = publishedSet();

/** The listings of the fixture: the second one from logs, the first one of the month before. */
const DATED = set.listings[0]!.dated.map(
  (day, index): DatedListing => ({
    ...day,
    date: index === 0 ? "2026-02-28" : day.date,
    total_votes: 1234.5,
    ...(index === 1 ? { block: 12_345_678, source: "logs" } : {}),
  }),
);

async function published(dated: readonly DatedListing[] = DATED): Promise<string> {
  const root = temporaryRoot();
  const listings = [{ ...set.listings[0]!, dated }, set.listings[1]!];
  await publishFixture(root, { set: { ...set, listings } });
  return root;
}

const problemsOf = async (root: string) =>
  (await verifySnapshot(root, { deep: true })).problems.map(({ path, message }) => `${path} ${message}`);

describe("days.csv", () => {
  it("holds a line for each dated listing, and none where there is none", async () => {
    const root = await published();
    expect(await problemsOf(root)).toEqual([]);
    const files = publishedFiles(root);
    expect(files.bytes(PATH).toString("utf8")).toBe(
      [
        "date,block,as_of,source,delegates,total_votes",
        "2026-02-28,,2026-03-29T00:00:00.000Z,list,300,1234.5",
        "2026-03-30,12345678,2026-03-30T00:00:00.000Z,logs,301,1234.5",
        "2026-03-31,,2026-03-31T00:00:00.000Z,list,302,1234.5",
        "",
      ].join("\n"),
    );
    expect(files.paths.filter((path) => path.endsWith("days.csv"))).toEqual([PATH]);
    expect(new Set(DATED.map(({ date }) => `delegates/tidewater.example/${monthOf(date)}.ndjson`))).toEqual(
      new Set(files.paths.filter((path) => /^delegates\/.*\.ndjson$/.test(path))),
    );
  });

  it.each([
    { why: "a day too few", from: /2026-03-31.*\n/, to: "", says: "does not have a line for each listing" },
    {
      why: "a day of another month",
      from: "2026-02-28,",
      to: "2026-01-28,",
      says: "does not have a line for",
    },
    {
      why: "a day that lies elsewhere",
      from: "2026-02-28,",
      to: "2026-03-01,",
      says: "does not have a line for",
    },
    { why: "days out of order", from: "2026-03-30,", to: "2026-03-31,", says: "not sorted by day" },
    { why: "other delegates", from: ",302,", to: ",303,", says: "counts other delegates" },
    { why: "a block of a list", from: "2026-03-31,,", to: "2026-03-31,1,", says: "has a block for a list" },
    {
      why: "logs without a block",
      from: "12345678",
      to: "",
      says: "has a block for a list, or none for logs",
    },
    { why: "another spelling", from: "1234.5", to: "1234.50", says: "is not canonical" },
    { why: "a line that is no day", from: "list", to: "lots", says: "contains a line that is no day" },
  ])("is a problem with $why", async ({ from, to, says }) => {
    const root = await published();
    const file = join(currentDirectory(root), PATH);
    replaceFile(file, readFileSync(file, "utf8").replace(from, to));
    reseal(root);
    const problems = await problemsOf(root);
    expect(problems.filter((problem) => problem.includes(says))).not.toEqual([]);
    expect(problems.every((problem) => /^(delegates|index|manifest)/.test(problem))).toBe(true);
  });

  it("is missed where there are months", async () => {
    const root = await published();
    reseal(root, ({ files }) => {
      return { files: files.filter(({ path }) => path !== PATH) };
    });
    expect(await problemsOf(root)).toContain(
      "delegates delegates: a DAO with dated listings has no days.csv",
    );
  });

  it("is refused before a byte is written where it has not its shape", async () => {
    await expect(published(DATED.map((day) => ({ ...day, total_votes: -1 })))).rejects.toThrow(/days\.csv/);
  });
});
