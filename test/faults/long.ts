import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { runFaultCampaign } from "./fault-campaign.ts";
import { FAULT_CODES } from "./faulty-disk.ts";
import { canMountSmallDisk, fillDisks } from "./full-disk.ts";
import { runKillCampaign } from "./kill-campaign.ts";
import { PROXY_FIGURES, type Row } from "./long-proxy.ts";
import { runMutantCampaign } from "./mutant-campaign.ts";
import { replayPowerLoss } from "./power-loss.ts";
import { chosenSeed, seededRandom } from "./seeded-random.ts";
import { soak } from "./soak.ts";
import { fillRoot } from "./staged-root.ts";

// The long run of the faults: `npm run test:faults:long [-- F1 F6 …]`. Prints one row for each figure, and ends with 1
// when one of them is missed. FAULTS_SEED=n runs the random ones again as they were; FAULTS_SCALE=0.1 is a tenth of it.
const seed = chosenSeed();
const scale = Number(process.env["FAULTS_SCALE"] ?? "1");
const asked = new Set(process.argv.slice(2));

const scaled = (count: number) => Math.max(1, Math.round(count * scale));

/** A filled root to begin from, gone afterwards. */
async function onFilledRoot<Result>(work: (root: string) => Promise<Result>): Promise<Result> {
  const home = mkdtempSync(join(HOME, "govdata-long-"));
  try {
    await fillRoot(join(home, "published"));
    return await work(join(home, "published"));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function kills(): Promise<Row> {
  const tally = await runKillCampaign(scaled(1000), seededRandom(seed));
  const { torn, rolledBack, broken, reads, versionsSeen, midway, published } = tally;
  return {
    figure: "F1",
    did: `${tally.kills} kills -9, ${midway} of them amid staging; ${published} versions published`,
    outcome: `${reads} reads of ${versionsSeen} versions: ${torn.length} torn, ${rolledBack.length} rolled back`,
    wrong: [...torn, ...rolledBack, ...broken],
  };
}

async function shimFaults(): Promise<Row> {
  const all = () => FAULT_CODES;
  const filled = await onFilledRoot((root) => runFaultCampaign(root, all));
  const empty = await runFaultCampaign(undefined, all);
  return {
    figure: "F2",
    did: `${filled.faults + empty.faults} faults: every operation × ${FAULT_CODES.join(", ")}`,
    outcome: `${filled.refused + empty.refused} refused in plain words, the rest done with a copy or a warning`,
    wrong: [...filled.broken, ...empty.broken],
  };
}

async function powerLoss(): Promise<Row> {
  const rounds = scaled(60) + 2;
  const filled = await onFilledRoot((root) => replayPowerLoss(root, rounds, seededRandom(seed)));
  const empty = await replayPowerLoss(undefined, rounds, seededRandom(seed + 1));
  return {
    figure: "F4",
    did: `power cut after each of ${filled.prefixes + empty.prefixes} operations, ${rounds} ways: ${filled.states + empty.states} different states`,
    outcome: `${filled.oldVersion + empty.oldVersion} old, ${filled.newVersion + empty.newVersion} new, all whole`,
    wrong: [...filled.broken, ...empty.broken],
  };
}

async function fullDisk(): Promise<Row> {
  if (!canMountSmallDisk()) return { figure: "F5", did: "not run: no mount here", outcome: "-", wrong: [] };
  const sizes = Array.from({ length: scaled(40) }, (_, n) => 240 + 12 * n);
  const { attempts, full, published, broken } = await fillDisks(sizes, 6);
  return {
    figure: "F5",
    did: `${attempts} versions onto ${sizes.length} disks of ${sizes[0]} to ${sizes.at(-1)} KB`,
    outcome: `${full} times full, ${published} published, old version whole each time`,
    wrong: broken,
  };
}

async function mutants(): Promise<Row> {
  const tally = await runMutantCampaign(scaled(10_000), seededRandom(seed));
  const { refusedByHash, refusedByContent, equal, consistent, slowestMs, rssGrowthMb } = tally;
  return {
    figure: "F6",
    did: `${tally.mutants} mutants, slowest ${slowestMs.toFixed(0)} ms, memory ${rssGrowthMb.toFixed(0)} MB more`,
    outcome: `${refusedByHash} refused by hash, ${refusedByContent} by content, ${equal} equal, ${consistent} resealed and true`,
    wrong: [...tally.taken, ...tally.broken],
  };
}

async function soaked(): Promise<Row> {
  const { versions, answers, notOk, descriptors, rssMb } = await soak(scale * 5);
  const show = ([early, late]: readonly [number, number]) => `${early.toFixed(1)} → ${late.toFixed(1)}`;
  const wrong = [
    ...(notOk === 0 ? [] : [`${notOk} answers were not 200`]),
    ...(descriptors[1] <= descriptors[0] + 3 ? [] : ["descriptors grow"]),
    ...(rssMb[1] <= rssMb[0] * 1.15 + 10 ? [] : ["memory grows"]),
  ];
  return {
    figure: "F24",
    did: `${versions} versions, one each 5 s, under ${answers} answers`,
    outcome: `descriptors ${show(descriptors)}, memory ${show(rssMb)} MB (second third → last third)`,
    wrong,
  };
}

const FIGURES: readonly (readonly [string, () => Promise<Row>])[] = [
  ["F1", kills],
  ["F2", shimFaults],
  ["F4", powerLoss],
  ["F5", fullDisk],
  ["F6", mutants],
  ["F24", soaked],
  ...PROXY_FIGURES.map(([name, run]) => [name, () => run({ seed, scaled })] as const),
];

process.stdout.write(
  `FAULTS_SEED=${seed}\n\n| figure | what was done | what came of it | wrong | s |\n|---|---|---|---|---|\n`,
);
const wrong: string[] = [];
for (const [name, run] of FIGURES) {
  if (asked.size > 0 && !asked.has(name)) continue;
  const startedMs = performance.now();
  const row = await run();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stdout.write(
    `| ${row.figure} | ${row.did} | ${row.outcome} | ${row.wrong.length} | ${seconds} |\n`,
  );
  wrong.push(...row.wrong.map((line) => `${row.figure}: ${line}`));
}
process.stdout.write(wrong.length === 0 ? "\nnothing was wrong\n" : `\n${wrong.slice(0, 100).join("\n")}\n`);
process.exitCode = wrong.length === 0 ? 0 : 1;
