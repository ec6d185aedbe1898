import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaoScore } from "../../pipeline/score/score-measures.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { archivedDaos, attacked, scoreCopy } from "./archive-copies.ts";
import { ATTACK_ROWS } from "./attack-rows.ts";
import type { ArchivedDao, Attack } from "./attacks.ts";

const DAOS = [
  "snapshot.dcl.eth",
  "aave-governance-v3",
  "comp-vote.eth",
  "lido-snapshot.eth",
  "arbitrumfoundation.eth",
];
/** With fewer ballots merging does not protect the low end. */
const MANY_BALLOTS = 20;

const archive = realArchive();
const text = readFileSync(new URL("../../pipeline/score/METHODOLOGY.md", import.meta.url), "utf8");
const [, section = ""] = text.split("## How it is gamed, and how far\n");
const table = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));

/** By how much it rises at most, as the table prints it. */
function printed(moves: readonly number[]): string {
  const most = Math.max(...moves)
    .toFixed(3)
    .replace("-0.000", "0.000");
  return Number(most) > 0 ? `+${most}` : most;
}

describe.skipIf(archive === undefined)(
  `the method's table of attacks${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    const root = mkdtempSync(join(tmpdir(), "govdata-attack-figures-"));
    const untouched = new Map<string, DaoScore>();
    let daos: readonly ArchivedDao[];
    const scoreAfter = (dao: ArchivedDao, attack: Attack): Promise<DaoScore> =>
      scoreCopy(root, archive ?? "", attacked(dao, attack));

    beforeAll(async () => {
      daos = await archivedDaos(archive ?? "", DAOS);
      for (const dao of daos) untouched.set(dao.spaceId, await scoreAfter(dao, (same) => same));
    });
    afterAll(() => rmSync(root, { recursive: true, force: true }));

    it.each(ATTACK_ROWS)("$title", async ({ title, trials, before, most }) => {
      const moves: { readonly point: number; readonly low: number; readonly isMany: boolean }[] = [];
      for (const [trial, attack] of trials.entries()) {
        const compared = before?.[trial];
        for (const dao of daos) {
          const was = compared ? await scoreAfter(dao, compared) : untouched.get(dao.spaceId);
          if (was === undefined) throw new Error(`${dao.spaceId} has no score`);
          const now = await scoreAfter(dao, attack);
          const move = { point: now.gvs.point - was.gvs.point, low: now.gvs.low - was.gvs.low };
          moves.push({ ...move, isMany: dao.framed.length >= MANY_BALLOTS });
          if (most === undefined) continue;
          const risk = (now.risk?.score.point ?? Number.NaN) - (was.risk?.score.point ?? Number.NaN);
          expect(Math.abs(move.point), dao.spaceId).toBeLessThan(most);
          expect(Math.abs(risk), dao.spaceId).toBeLessThan(0.12);
        }
      }
      const [many, few] = [true, false].map((isMany) => moves.filter((move) => move.isMany === isMany));
      const lows = [many, few].map((rows = []) => printed(rows.map(({ low }) => low)));
      const row = [title, printed(moves.map(({ point }) => point)), ...lows];
      expect(table.filter((line) => line.startsWith(`|${title}|`))).toEqual([`|${row.join("|")}|`]);
    });

    it("has no other row", () => expect(table).toHaveLength(2 + ATTACK_ROWS.length));
  },
);
