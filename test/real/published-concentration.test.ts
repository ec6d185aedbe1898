import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { gini, majorityVoters, sumOfSquares } from "../../pipeline/score/components/decentralization.ts";
import { WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { type CsvRow, readCsv } from "./read-csv.ts";
import { packsDirectory, unpackPack } from "./unpack-pack.ts";

const PACK = "tokenomics-as-institutional_design";
const LISTED = ["AAVE", "ARB", "COMP", "OP", "UNI"] as const;
/** The tables were made of the 100 largest. */
const LARGEST = 100;

const directory = packsDirectory([PACK]);

const sharesOf = (amounts: readonly number[]): Float64Array => {
  const ascending = Float64Array.from(amounts).sort();
  const sum = ascending.reduce((total, amount) => total + amount, 0);
  return ascending.map((amount) => amount / sum);
};

/** What the tables print of some amounts, from our own measures. */
function printed(amounts: readonly number[]) {
  const shares = sharesOf(amounts);
  const top = (count: number): number =>
    100 * shares.slice(-count).reduce((total, share) => total + share, 0);
  return {
    hhi: sumOfSquares(shares),
    gini: gini(shares),
    top1Pct: top(1),
    top5Pct: top(5),
    top10Pct: top(10),
    nakamoto: majorityVoters(shares),
  };
}

/** Equal to every digit that a table prints. */
function expectPrinted(amounts: readonly number[], row: CsvRow): void {
  const printedShare = printed(amounts);
  const columns: readonly (readonly [column: string, value: number, decimals: number])[] = [
    ["voting_hhi", printedShare.hhi, 6],
    ["voting_gini", printedShare.gini, 4],
    ["voting_top1_pct", printedShare.top1Pct, 2],
    ["voting_top5_pct", printedShare.top5Pct, 2],
    ["voting_top10_pct", printedShare.top10Pct, 2],
  ];
  for (const [column, value, decimals] of columns) {
    expect(Number(value.toFixed(decimals)), `${row["symbol"]} ${row["source"]} ${column}`).toBe(
      Number(row[column]),
    );
  }
}

describe.skipIf(directory === undefined)(
  `published concentration tables${directory === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    const tables = new Map<string, CsvRow[]>();
    const table = (path: string): readonly CsvRow[] => tables.get(path) ?? [];

    beforeAll(() => {
      const folder = unpackPack(directory ?? "", PACK, "*.csv");
      const paths = [
        "raw/voting_hhi.csv",
        "raw/snapshot_votes.csv",
        "raw/snapshot_proposals.csv",
        "raw/tally_delegates.csv",
        "processed/delegation_adjusted_hhi.csv",
        ...LISTED.map((symbol) => `raw/holder_lists/${symbol}_holders.csv`),
      ];
      for (const path of paths) tables.set(path, readCsv(readFileSync(join(folder, path), "utf8")));
    });

    const rowsOf = (path: string, symbol: string | undefined): readonly CsvRow[] =>
      table(path).filter((row) => row["symbol"] === symbol);
    const delegatedTo = (symbol: string | undefined): number[] =>
      rowsOf("raw/tally_delegates.csv", symbol).map((row) => Number(row["votes_count"]));

    it("of delegates: HHI, Gini and top shares of five of five", () => {
      const published = table("raw/voting_hhi.csv").filter((row) => row["source"] === "tally");
      expect(published.map((row) => row["symbol"]).sort()).toEqual(LISTED);
      for (const row of published) expectPrinted(delegatedTo(row["symbol"]), row);
    });

    it("of voters: HHI, Gini and top shares of six of six", () => {
      const published = table("raw/voting_hhi.csv").filter((row) => row["source"] === "snapshot");
      expect(published).toHaveLength(6);
      for (const row of published) {
        const largest = new Map<string, number>();
        for (const { voter = "", voting_power } of rowsOf("raw/snapshot_votes.csv", row["symbol"])) {
          largest.set(voter, Math.max(largest.get(voter) ?? 0, Number(voting_power)));
        }
        expect(largest.size).toBe(Number(row["n_unique_voters"]));
        expectPrinted([...largest.values()].sort((a, b) => b - a).slice(0, LARGEST), row);
      }
    });

    it("Nakamoto, of holders and of delegates: ten of ten", () => {
      const published = table("processed/delegation_adjusted_hhi.csv");
      expect(published).toHaveLength(5);
      for (const { symbol = "", raw_nakamoto, delegated_nakamoto } of published) {
        const held = table(`raw/holder_lists/${symbol}_holders.csv`).map((row) => Number(row["balance"]));
        expect([printed(held).nakamoto, printed(delegatedTo(symbol)).nakamoto], symbol).toEqual([
          Number(raw_nakamoto),
          Number(delegated_nakamoto),
        ]);
      }
    });

    it("rows and power of every proposal are those it declares: 28 of 28", () => {
      const rows = new Map<string, CsvRow[]>();
      for (const row of table("raw/snapshot_votes.csv")) {
        const { proposal_id = "" } = row;
        const daoRow = rows.get(proposal_id);
        if (daoRow === undefined) rows.set(proposal_id, [row]);
        else daoRow.push(row);
      }
      const declared = table("raw/snapshot_proposals.csv").filter(({ proposal_id = "" }) =>
        rows.has(proposal_id),
      );
      expect(declared).toHaveLength(28);
      for (const { proposal_id = "", votes, scores_total } of declared) {
        const voteRows = rows.get(proposal_id) ?? [];
        const power = voteRows.reduce((sum, row) => sum + Number(row["voting_power"]), 0);
        expect(voteRows).toHaveLength(Number(votes));
        expect(Math.abs(power / Number(scores_total) - 1)).toBeLessThan(1e-6);
      }
    });
  },
);
