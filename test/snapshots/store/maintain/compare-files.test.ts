import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { monthOf } from "../../../../snapshots/format/delegates.ts";
import type { DatedListing } from "../../../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { FIXTURE_ENTITY_ID, publishedSet, publishFixture } from "../../../support/published-set.ts";
import { forgeIndex, forgeText, reseal, sharedRoot, temporaryRoot } from "../temporary-root.ts";

const codesOf = async (root: string, deep: boolean) =>
  (await verifySnapshot(root, { deep })).problems.map(({ path, code }) => `${path} ${code}`);

describe("an index forged so that every hash agrees", () => {
  const { root: pristine, remove } = sharedRoot();
  beforeAll(() => publishFixture(pristine));
  afterAll(remove);

  it.each([
    {
      why: "another body",
      says: "is not the envelope of risk/",
      sql: `UPDATE documents SET body = x'7b7d' WHERE kind = 'risk'`,
    },
    {
      why: "another body in gzip",
      says: "has another body in gzip",
      sql: `UPDATE documents SET gzip = (SELECT gzip FROM documents WHERE kind = 'dgi') WHERE kind = 'risk'`,
    },
    {
      why: "another path",
      says: "dgi current names another file than dgi.json",
      sql: `UPDATE documents SET path = 'daos.json' WHERE kind = 'dgi'`,
    },
    {
      why: "a document too few",
      says: "dgi-history 30d is missing",
      sql: `DELETE FROM documents WHERE id = '30d'`,
    },
    {
      why: "a document too many",
      says: "contains a document without a file",
      sql: `INSERT INTO documents SELECT kind, 'quiet-reef', path, meta, body, body_etag, gzip, gzip_etag, brotli, brotli_etag FROM documents WHERE kind = 'dao' LIMIT 1`,
    },
    {
      why: "a delegate's row that differs",
      says: "the table delegates differs from the files",
      sql: `UPDATE delegates SET weight_tier = 'T1' WHERE rank = 50`,
    },
    {
      why: "a wallet too many",
      says: "the table wallets differs from the files",
      sql: `INSERT INTO wallets VALUES ('0x${"9".repeat(40)}', '${FIXTURE_ENTITY_ID}')`,
    },
    {
      why: "a dated listing of another day",
      says: "the table dated_listings differs from the files",
      sql: `UPDATE dated_listings SET date = '2026-03-01' WHERE date = '2026-03-29'`,
    },
    {
      why: "another line's hash",
      says: "the table dated_listings differs from the files",
      sql: `UPDATE dated_listings SET sha256 = '${"0".repeat(64)}' WHERE date = '2026-03-29'`,
    },
    {
      why: "another total",
      says: "the table listings differs from the files",
      sql: `UPDATE listings SET total_delegates = 5 WHERE space_id = 'orchard'`,
    },
    {
      why: "a body of forty megabytes",
      says: "dgi current is not the envelope of dgi.json",
      sql: "UPDATE documents SET body = zeroblob(40000000) WHERE kind = 'dgi'",
    },
    {
      why: "a wallet of somebody else",
      says: "the table wallets differs from the files",
      sql: "UPDATE wallets SET entity_id = 'ent_00000000000000000000mallory'",
    },
  ])("finds an index with $why", async ({ sql, says }) => {
    const root = forgeIndex(pristine, (database) => database.exec(sql));
    expect(await codesOf(root, false)).toEqual([]);
    const { problems } = await verifySnapshot(root, { deep: true });
    expect(new Set(problems.map(({ path, code }) => `${path} ${code}`))).toEqual(
      new Set(["index.sqlite INDEX_DIFFERS"]),
    );
    expect(problems.map(({ message }) => message)).toContainEqual(expect.stringContaining(says));
  });
});

describe("compare days", () => {
  const PATH = "delegates/tidewater.example/days.csv";
  const MONTH = "delegates/tidewater.example/2026-03.ndjson";
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

  async function publishedDays(dated: readonly DatedListing[] = DATED): Promise<string> {
    const root = temporaryRoot();
    const listings = [{ ...set.listings[0]!, dated }, set.listings[1]!];
    await publishFixture(root, { set: { ...set, listings } });
    return root;
  }

  const problemsOf = async (root: string) =>
    (await verifySnapshot(root, { deep: true })).problems.map(({ path, message }) => `${path} ${message}`);

  describe("days.csv", () => {
    it("holds a line for each dated listing, and none where there is none", async () => {
      const root = await publishedDays();
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
      { why: "a day too few", from: /2026-03-31.*\n/, to: "", says: "does not contain as many records" },
      {
        why: "a day of another month",
        from: "2026-02-28,",
        to: "2026-01-28,",
        says: "does not fit the other documents",
      },
      {
        why: "a day that lies elsewhere",
        from: "2026-02-28,",
        to: "2026-03-01,",
        says: "does not fit the other documents",
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
      { why: "a line that is no day", from: "list", to: "lots", says: "contains a line that is no row" },
    ])("is a problem with $why", async ({ from, to, says }) => {
      const root = await publishedDays();
      forgeText(root, PATH, from, to);
      const problems = await problemsOf(root);
      expect(problems.filter((problem) => problem.includes(says))).not.toEqual([]);
      expect(problems.every((problem) => /^(delegates|index|manifest)/.test(problem))).toBe(true);
    });

    it("is missed where there are months", async () => {
      const root = await publishedDays();
      reseal(root, ({ files }) => {
        return { files: files.filter(({ path }) => path !== PATH) };
      });
      expect(await problemsOf(root)).toContain(
        `${MONTH} ${MONTH}: does not fit the other documents of its DAO`,
      );
    });

    it("is refused before a byte is written where it has not its shape", async () => {
      await expect(publishedDays(DATED.map((day) => ({ ...day, total_votes: -1 })))).rejects.toThrow(
        /days\.csv/,
      );
    });
  });
});
