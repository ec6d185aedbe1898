import { rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proposalMarks } from "../../../../../pipeline/score/components/deliberation.ts";
import {
  type ClickHouse,
  clickHouseFiles,
  hasClickHouse,
  openClickHouse,
  WITHOUT_CLICKHOUSE,
} from "../../../../support/clickhouse.ts";
import { compareSqlScores } from "../../../../support/compare-sql-scores.ts";
import { sampleProposal } from "../../../score/sample-facts.ts";
import { expectEverythingOdd, exportOddWorld } from "./sql/odd-world.ts";

/** What links are made of; names beyond ASCII are not followed. */
const PIECES = [
  " ",
  "\t",
  ...String.raw`https: // / \ @ a b.example . :80 :99999 ? # %41 %2e % %ff`.split(" "),
];
const NUMBERS = "0 1 08 255 256 377 0377 0x 0xff 0x100 65536 4294967295 4294967296".split(" ");
const ADDRESSES = ["[", "]", ":", "::", "1", "abcd", "12345", "1.2.3.4", "01.2.3.4", "256.1.1.1"];
const oneOf = (pieces: readonly string[], joint: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `http://${parts.join(joint)}`);
const LINKS = fc.oneof(
  oneOf([...PIECES, ...NUMBERS], ""),
  oneOf(NUMBERS, "."),
  oneOf(ADDRESSES, "").map((text) => `${text}]`),
);

// Another world with every run; `exportOddWorld` makes it again of the seed that a failure names.
const seed = Math.floor(Math.random() * 2 ** 31);

describe.skipIf(!hasClickHouse())(
  `the measures in ClickHouse (${hasClickHouse() ? `an odd world, seed ${seed}` : WITHOUT_CLICKHOUSE})`,
  () => {
    let engine: ClickHouse;
    beforeAll(async () => {
      engine = await openClickHouse();
    });
    afterAll(() => engine.close());

    test("every number is the published one, to 1e-9", async () => {
      const { root, exports } = await exportOddWorld(seed);
      try {
        for (const [index, { directory, version }] of exports.entries()) {
          await engine.runFiles(directory, clickHouseFiles());
          if (index === 0) await expectEverythingOdd(engine.rows);
          const { mismatches, furthest, numbers } = await compareSqlScores({ rows: engine.rows, version });
          expect(mismatches).toEqual([]);
          expect(furthest).toBeLessThan(1e-9);
          expect(numbers).toBeGreaterThan(3_000);
        }
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    });

    test("links are read as the scorer reads them, whatever they are made of", async () => {
      const check = async (texts: readonly string[]): Promise<void> => {
        const rows = texts.map((text) => `('${text.replaceAll("\\", "\\\\")}')`).join(", ");
        await engine.rows(
          `CREATE OR REPLACE TABLE proposal ENGINE = Memory AS SELECT toNullable(discussion) AS discussion FROM VALUES('discussion String', ${rows})`,
        );
        await engine.runFiles("", ["settings.sql", "discussion-links.sql"]);
        const links = await engine.rows("SELECT discussion, is_link FROM discussion_link");
        const bySql = new Map(links.map((row) => [row["discussion"], row["is_link"]]));
        const byScorer = (discussion: string) =>
          proposalMarks({ ...sampleProposal("p"), discussion }).discussion?.[0];
        expect(texts.filter((text) => bySql.get(text) !== byScorer(text))).toEqual([]);
      };
      const many = fc.array(LINKS, { minLength: 2_000, maxLength: 2_000, size: "max" });
      await fc.assert(fc.asyncProperty(many, check), { numRuns: 3, endOnFailure: true });
    });
  },
);
