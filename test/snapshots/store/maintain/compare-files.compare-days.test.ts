import { describe, expect, it } from "vitest";
import type { DelegateDay } from "../../../../snapshots/format/delegates.ts";
import type { PublishedListing } from "../../../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { publishedSet, publishFixture } from "../../../support/published-set.ts";
import { temporaryRoot } from "../temporary-root.ts";

const PATH = "delegates/tidewater.example/days.csv";
const set = publishedSet();

/** What each dated listing was made from: the second one from logs. */
function daysOf({ dated }: PublishedListing): DelegateDay[] {
  return dated.map(({ date, listing }, place) => ({
    date,
    block: place === 1 ? 12_345_678 : null,
    as_of: `${date}T00:00:00.000Z`,
    source: place === 1 ? "logs" : "list",
    delegates: listing.total_delegates,
    total_votes: 1234.5,
  }));
}

/** Publishes the fixture with days that somebody changed. */
async function publishDays(change: (days: DelegateDay[]) => DelegateDay[]): Promise<string> {
  const root = temporaryRoot();
  const listings = set.listings.map((listing) => ({ ...listing, days: change(daysOf(listing)) }));
  await publishFixture(root, { set: { ...set, listings } });
  return root;
}

const problemsOf = async (root: string) =>
  (await verifySnapshot(root, { deep: true })).problems.map(({ path, message }) => `${path} ${message}`);

describe("days.csv", () => {
  it("holds a line for each dated listing, and none where there is none", async () => {
    const root = await publishDays((days) => days);
    expect(await problemsOf(root)).toEqual([]);
    const files = publishedFiles(root);
    expect(files.bytes(PATH).toString("utf8")).toBe(
      [
        "date,block,as_of,source,delegates,total_votes",
        "2026-03-29,,2026-03-29T00:00:00.000Z,list,300,1234.5",
        "2026-03-30,12345678,2026-03-30T00:00:00.000Z,logs,301,1234.5",
        "2026-03-31,,2026-03-31T00:00:00.000Z,list,302,1234.5",
        "",
      ].join("\n"),
    );
    expect(files.paths.filter((path) => path.endsWith("days.csv"))).toEqual([PATH]);
  });

  it.each([
    { why: "a day too few", change: (days: DelegateDay[]) => days.slice(1), says: "is not of the days" },
    {
      why: "another day",
      change: (days: DelegateDay[]) =>
        days.map((day) => ({ ...day, date: day.date.replace("03-31", "03-28") })),
      says: "is not of the days",
    },
    {
      why: "other delegates",
      change: (days: DelegateDay[]) => days.map((day) => ({ ...day, delegates: day.delegates + 1 })),
      says: "counts other delegates",
    },
    {
      why: "a block of a list",
      change: (days: DelegateDay[]) => days.map((day) => ({ ...day, block: 1 })),
      says: "names a block for a list",
    },
    {
      why: "logs without a block",
      change: (days: DelegateDay[]) => days.map((day) => ({ ...day, block: null })),
      says: "names a block for a list, or none for logs",
    },
  ])("is a problem with $why", async ({ change, says }) => {
    const problems = await problemsOf(await publishDays(change));
    expect(problems.filter((problem) => problem.includes(says))).not.toEqual([]);
    expect(problems.every((problem) => problem.startsWith("delegates/"))).toBe(true);
  });

  it("is refused before a byte is written where it has not its shape", async () => {
    const negative = publishDays((days) => days.map((day) => ({ ...day, total_votes: -1 })));
    await expect(negative).rejects.toThrow(/days\.csv/);
  });
});
