import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { majorityVoters } from "../../pipeline/score/components/decentralization.ts";
import { WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { packsDirectory, readCsv, unpackPack } from "./packs.ts";

const PACK = "tokenomics-as-institutional_design";

const directory = packsDirectory([PACK]);

function nakamotoOf(amounts: readonly number[]): number {
  const ascending = Float64Array.from(amounts).sort();
  const sum = ascending.reduce((total, amount) => total + amount, 0);
  return majorityVoters(ascending.map((amount) => amount / sum));
}

// Published concentration of votes and of delegates is compared in `score-oracles`, as the archive has them.
describe.skipIf(directory === undefined)(
  `published tables of holders and delegates${directory === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    let folder: string;
    beforeAll(() => {
      folder = unpackPack(directory ?? "", PACK, "*.csv");
    });
    const table = (path: string) => readCsv(readFileSync(join(folder, path), "utf8"));

    it("have the Nakamoto coefficient that ours has, ten times of ten", () => {
      const published = table("processed/delegation_adjusted_hhi.csv");
      expect(published).toHaveLength(5);
      const delegates = table("raw/tally_delegates.csv");
      for (const { symbol = "", raw_nakamoto, delegated_nakamoto } of published) {
        const held = table(`raw/holder_lists/${symbol}_holders.csv`).map((row) => Number(row["balance"]));
        const delegated = delegates.filter((row) => row["symbol"] === symbol);
        const votes = delegated.map((row) => Number(row["votes_count"]));
        expect([nakamotoOf(held), nakamotoOf(votes)], symbol).toEqual([
          Number(raw_nakamoto),
          Number(delegated_nakamoto),
        ]);
      }
    });
  },
);
