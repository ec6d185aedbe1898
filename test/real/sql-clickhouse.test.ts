import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { measureDeliberation } from "../../pipeline/score/components/deliberation.ts";
import { writeOddArchive } from "../pipeline/readers/partitioned/sql/duckdb/odd-archive.ts";
import { sampleProposal } from "../pipeline/score/sample-facts.ts";
import {
  type ClickHouse,
  clickHouseFiles,
  hasClickHouse,
  openClickHouse,
  WITHOUT_CLICKHOUSE,
} from "../support/clickhouse.ts";
import { compareSqlScores } from "../support/compare-sql-scores.ts";
import { type PartitionedExport, partitionedExports } from "../support/partitioned-export.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";

const archive = realArchive();
const missing = archive === undefined ? WITHOUT_REAL_DATA : hasClickHouse() ? undefined : WITHOUT_CLICKHOUSE;
const SQL = fileURLToPath(new URL("../../pipeline/readers/partitioned/sql", import.meta.url));

/** Two moments with most in them: a farm of wallets and a scored DAO, then delegates, on-chain votes and another scored DAO. */
const MOMENTS = [
  { moment: "2022-05-15T23:59:59.999Z", numbersMin: 37_000 },
  { moment: "2026-04-28T23:59:59.999Z", numbersMin: 17_000 },
] as const;

/** Three times the power for the strongest vote in any frame of the version, of those on which more than one decides. */
const STRONGER = `ALTER TABLE vote UPDATE power = power * 3 WHERE (proposal_no, voter_no) IN (
  SELECT proposal_no, voter_no FROM vote
  WHERE power > 0 AND proposal_no IN (
    SELECT proposal_no FROM measured JOIN frame_of ON frame_of.frame_no = measured.frame_no
    JOIN moment ON moment.moment_no = frame_of.moment_no WHERE is_current = 1 AND effective_voters > 2
  )
  ORDER BY power DESC LIMIT 1
) SETTINGS mutations_sync = 1`;

describe("the SQL for ClickHouse", () => {
  it("says each measure that DuckDB's says, in a file of the same name, and all that it needs before", () => {
    const namesIn = (engine: string): readonly string[] => readdirSync(join(SQL, engine)).sort();
    const own = ["create.sql", "insert.sql", "settings.sql"];
    expect(namesIn("clickhouse")).toEqual([...namesIn("duckdb"), ...own].sort());
    expect([...clickHouseFiles(), "run.sql"].sort()).toEqual(namesIn("clickhouse"));
  });
});

/** What links are made of; names beyond ASCII are not followed. */
const PIECES = [
  "https:",
  "//",
  "/",
  "\\",
  "@",
  "a",
  "b.example",
  ".",
  ":80",
  ":99999",
  " ",
  "\t",
  "?",
  "#",
  "%41",
  "%2e",
  "%",
  "%ff",
];
const NUMBERS = [
  "0",
  "1",
  "08",
  "255",
  "256",
  "377",
  "0377",
  "0x",
  "0xff",
  "0x100",
  "65536",
  "4294967295",
  "4294967296",
];
const ADDRESSES = ["[", "]", ":", "::", "1", "abcd", "12345", "1.2.3.4", "01.2.3.4", "256.1.1.1"];
const oneOf = (pieces: readonly string[], joint: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `http://${parts.join(joint)}`);
const LINKS = fc.oneof(
  oneOf([...PIECES, ...NUMBERS], ""),
  oneOf(NUMBERS, "."),
  oneOf(ADDRESSES, "").map((text) => `${text}]`),
);

describe.skipIf(!hasClickHouse())(
  `links in ClickHouse (${hasClickHouse() ? "found" : WITHOUT_CLICKHOUSE})`,
  () => {
    it("are read as the scorer reads them, whatever they are made of", async () => {
      const engine = await openClickHouse();
      try {
        const check = async (texts: readonly string[]): Promise<void> => {
          const rows = texts.map((text) => `('${text.replaceAll("\\", "\\\\")}')`).join(", ");
          await engine.rows(
            `CREATE OR REPLACE TABLE proposal ENGINE = Memory AS SELECT toNullable(discussion) AS discussion FROM VALUES('discussion String', ${rows})`,
          );
          await engine.runFiles("", ["settings.sql", "discussion-links.sql"]);
          const found = await engine.rows("SELECT discussion, is_link FROM discussion_link");
          const bySql = new Map(found.map((row) => [row["discussion"], row["is_link"] === 1]));
          const isLink = (discussion: string): boolean | undefined =>
            measureDeliberation({ ...sampleProposal("p"), discussion }, undefined).hasDiscussionLink;
          expect(texts.filter((text) => bySql.get(text) !== isLink(text))).toEqual([]);
        };
        const many = fc.array(LINKS, { minLength: 2_000, maxLength: 2_000, size: "max" });
        await fc.assert(fc.asyncProperty(many, check), { numRuns: 3, endOnFailure: true });
      } finally {
        await engine.close();
      }
    });
  },
);

// Another world with every run; `writeOddArchive` makes it again of the seed that a failure names.
const seed = Math.floor(Math.random() * 2 ** 31);

describe.skipIf(!hasClickHouse())(`an odd world in ClickHouse (seed ${seed})`, () => {
  it("has every published number by SQL, in the middle of a day", async () => {
    const root = mkdtempSync(join(tmpdir(), "govdata-sql-odd-"));
    const engine = await openClickHouse();
    try {
      const archive = join(root, "archive");
      writeOddArchive(archive, seed, "2026-10-31");
      const [made] = await partitionedExports({ archive, root, moments: ["2026-10-31T12:00:00.000Z"] });
      if (made === undefined) throw new Error("nothing was exported");
      await engine.runFiles(made.directory, clickHouseFiles());
      const { numbers, mismatches } = await compareSqlScores({ rows: engine.rows, version: made.version });
      expect(mismatches).toEqual([]);
      expect(numbers).toBeGreaterThan(2_500);
    } finally {
      await engine.close();
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe.skipIf(missing !== undefined)(
  `real scores by SQL in ClickHouse (${missing ?? "both found"})`,
  () => {
    let root: string;
    let exports: readonly PartitionedExport[];
    let engine: ClickHouse;

    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "govdata-sql-clickhouse-"));
      const moments = MOMENTS.map(({ moment }) => moment);
      exports = await partitionedExports({ archive: archive ?? "", root, moments });
      engine = await openClickHouse();
    }, 300_000);
    afterAll(async () => {
      await engine?.close();
      rmSync(root, { recursive: true, force: true });
    });

    it.each(MOMENTS.map((each, place) => ({ ...each, place })))(
      "makes every published number as of $moment from the facts alone",
      async ({ place, numbersMin }) => {
        const { directory, version } = exports[place] as PartitionedExport;
        await engine.runFiles(directory, clickHouseFiles());
        const { numbers, mismatches, furthest } = await compareSqlScores({ rows: engine.rows, version });
        expect(mismatches).toEqual([]);
        expect(furthest).toBeLessThan(1e-9);
        expect(numbers).toBeGreaterThan(numbersMin);
      },
    );

    it("sees one vote of another power", async () => {
      const { directory, version } = exports.at(-1) as PartitionedExport;
      await engine.rows(STRONGER);
      await engine.runFiles(directory, clickHouseFiles().slice(clickHouseFiles().indexOf("votes.sql")));
      const { mismatches } = await compareSqlScores({ rows: engine.rows, version });
      expect(mismatches.length).toBeGreaterThan(5);
      expect(mismatches.join("\n")).toMatch(/ top_share: published/);
    });
  },
);
