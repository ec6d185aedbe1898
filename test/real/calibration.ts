import { fileURLToPath } from "node:url";
import { percentile } from "../../pipeline/score/method/statistics.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";
import { type CalibratedDao, calibrateDao, type Found } from "./calibration-rows.ts";

/** How one measure falls on everything that has it. */
export interface CalibrationRow {
  readonly measure: string;
  readonly count: number;
  readonly min: number;
  readonly quartiles: readonly [low: number, median: number, high: number];
  readonly max: number;
  /** Of the marks (0–1): the median, and the shares of those with none and with all; `undefined` where it earns none. */
  readonly medianMarks: number | undefined;
  readonly atNothing: number | undefined;
  readonly atFull: number | undefined;
}

/** The day of the crawl in the middle of which most spaces of 2021 lie, and the others' own. */
const CRAWL_DAY = "2021-11-24";
const LATER_CRAWL_DAY = "2021-12-19";

/** The last day to which the votes of a space were collected, where that is another day. */
const DAYS: Readonly<Record<string, string>> = {
  "doodles.eth": LATER_CRAWL_DAY,
  "jadeprotocol.eth": LATER_CRAWL_DAY,
  "klimadao.eth": LATER_CRAWL_DAY,
  "paraswap-dao.eth": LATER_CRAWL_DAY,
  "theheaddao.eth": LATER_CRAWL_DAY,
  "snapshot.dcl.eth": "2022-05-15",
  "aave-governance-v3": "2026-04-28",
  "arbitrumfoundation.eth": "2025-07-31",
  "uniswapgovernance.eth": "2025-12-07",
  "lido-snapshot.eth": "2025-07-28",
  "comp-vote.eth": "2026-02-06",
  "dimo.eth": "2025-08-29",
  "weatherxm.eth": "2026-02-15",
};

/** A DAO of tokens and delegates whose votes the archive does not have. */
const WITHOUT_VOTES: readonly string[] = ["nouns.eth", "opcollective.eth"];

/** One row a measure, in the order in which measures first appear. */
export function calibrationRows(found: readonly Found[]): CalibrationRow[] {
  const byMeasure = new Map<string, Found[]>();
  for (const item of found) {
    const known = byMeasure.get(item.measure);
    if (known === undefined) byMeasure.set(item.measure, [item]);
    else known.push(item);
  }
  return [...byMeasure].map(([measure, items]) => {
    const ascending = items.map(({ raw }) => raw).sort((a, b) => a - b);
    const marks = items.flatMap((item) => item.marks ?? []).sort((a, b) => a - b);
    const share = (wanted: number): number | undefined =>
      marks.length === 0 ? undefined : marks.filter((mark) => mark === wanted).length / marks.length;
    return {
      measure,
      count: items.length,
      min: percentile(ascending, 0),
      quartiles: [percentile(ascending, 0.25), percentile(ascending, 0.5), percentile(ascending, 0.75)],
      max: percentile(ascending, 1),
      medianMarks: marks.length === 0 ? undefined : percentile(marks, 0.5),
      atNothing: share(0),
      atFull: share(1),
    };
  });
}

const short = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(3);
const pct = (share: number | undefined): string =>
  share === undefined ? "–" : `${(100 * share).toFixed(0)} %`;

/** The rows as a table in Markdown; `whose` says what is counted. */
export function calibrationTable(rows: readonly CalibrationRow[], whose: string): string {
  const cells = rows.map(({ measure, count, min, quartiles, max, ...marks }) => [
    measure,
    String(count),
    ...[min, ...quartiles, max].map(short),
    marks.medianMarks === undefined ? "–" : marks.medianMarks.toFixed(2),
    pct(marks.atNothing),
    pct(marks.atFull),
  ]);
  const head = [`measure`, whose, "min", "¼", "½", "¾", "max", "marks ½", "no marks", "full marks"];
  return [head, head.map((_, place) => (place === 0 ? "---" : "--:")), ...cells]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

/** Every measure over the real DAOs of an archive; only those named, where some are. */
export async function calibrate(archive: string, spaceIds?: readonly string[]): Promise<CalibratedDao[]> {
  const reader = readArchive(archive);
  const calibrated: CalibratedDao[] = [];
  for (const { spaceId } of reader.registry.daos) {
    if (WITHOUT_VOTES.includes(spaceId) || spaceIds?.includes(spaceId) === false) continue;
    calibrated.push(await calibrateDao(reader, spaceId, DAYS[spaceId] ?? CRAWL_DAY));
  }
  return calibrated;
}

/** `npx tsx test/real/calibration.ts`: both tables, of DAOs and of single proposals. */
async function main(): Promise<void> {
  const archive = realArchive();
  if (archive === undefined) {
    process.stderr.write(`${WITHOUT_REAL_DATA}\n`);
    process.exitCode = 1;
    return;
  }
  const calibrated = await calibrate(archive);
  const daos = calibrationRows(calibrated.flatMap((dao) => dao.daos));
  const proposals = calibrationRows(calibrated.flatMap((dao) => dao.proposals));
  process.stdout.write(`${calibrationTable(daos, "DAOs")}\n\n${calibrationTable(proposals, "proposals")}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
