import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_END_DAY, DEMO_SEED } from "../../../../fixtures/demo/demo-world.ts";
import { writeWorld } from "../../../../fixtures/world.ts";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import type { Mark } from "../../../../pipeline/score/method/marks.ts";
import { type DaoMeasures, weightAt } from "../../../../pipeline/score/method/measures.ts";
import { type DaoScore, scoreMeasures } from "../../../../pipeline/score/score-measures.ts";
import { COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { markdownTable } from "../../../documents/documents.ts";
import { readArchive } from "../../../real/archive-facts.ts";

/** The smallest DAO of the invented world that has a score. */
export const EXAMPLE = "second-breakfast.example";

/** What is measured of the example, and what follows from it. */
interface Assessed {
  readonly measures: DaoMeasures;
  readonly score: DaoScore;
}

/** The example as of the last day of the world that `npm run demo` shows. */
export async function assessExample(): Promise<Assessed> {
  const directory = mkdtempSync(join(tmpdir(), "govdata-example-"));
  try {
    const { asOf } = writeWorld({ directory, seed: DEMO_SEED, endDay: DEMO_END_DAY, spaceIds: [EXAMPLE] });
    const reader = readArchive(directory);
    const measurer = createDaoMeasurer(await reader.factsOf(EXAMPLE), reader.entityIdOfWallet);
    const measures = measurer.measureAt(Date.parse(asOf));
    return { measures, score: scoreMeasures(measures) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const fixed = (value: number | undefined, decimals: number): string =>
  value === undefined ? "not known" : value.toFixed(decimals);
const ends = (mark: Mark | undefined): string =>
  mark === undefined ? "not known" : [...new Set(mark.map((end) => end.toFixed(4)))].join(" to ");

function proposalsTable({ measures }: Assessed): string {
  return markdownTable(
    ["proposal", "ended", "votes", "S", "ω", "w", "effective", "majority", "top", "loyalty"],
    measures.proposals.map((line) => [
      `\`${line.proposalId.slice(0, 8)}…\``,
      new Date(line.endMs).toISOString().slice(0, 10),
      String(line.votes),
      fixed(line.power, 1),
      fixed(line.attention, 4),
      fixed(weightAt(line, measures.asOfMs), 4),
      ends(line.marks.effective),
      ends(line.marks.majority),
      ends(line.marks.top),
      ends(line.marks.loyalty),
    ]),
    true,
  );
}

function indicatorsTable({ score }: Assessed): string {
  return markdownTable(
    ["component", "indicator", "k", "low", "high"],
    COMPONENT_KEYS.flatMap((key) =>
      score.components[key].indicators.map(({ id, mark: [low, high], weight }) => [
        key,
        id,
        fixed(weight, 4),
        fixed(low, 4),
        fixed(high, 4),
      ]),
    ),
    true,
  );
}

function scoresTable({ score }: Assessed): string {
  const { components, gvs, risk, knownShare, presence } = score;
  return markdownTable(
    ["step", "low", "point", "high"],
    [
      ["presence", fixed(presence[0], 4), "", fixed(presence[1], 4)],
      ...[...COMPONENT_KEYS.map((key) => [key, components[key]] as const), ["gvs", gvs] as const].map(
        ([name, { low, point, high }]) => [name, fixed(low, 4), fixed(point, 4), fixed(high, 4)],
      ),
      ["risk", fixed(risk?.score.low, 2), fixed(risk?.score.point, 2), fixed(risk?.score.high, 2)],
      ["known share", "", fixed(knownShare, 4), ""],
    ],
    true,
  );
}

/** The generated parts of the worked example, by name. */
export async function exampleBlocks(): Promise<readonly (readonly [name: string, block: string])[]> {
  const assessed = await assessExample();
  return [
    ["example proposals", proposalsTable(assessed)],
    ["example indicators", indicatorsTable(assessed)],
    ["example scores", scoresTable(assessed)],
  ];
}
