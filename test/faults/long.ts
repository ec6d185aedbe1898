import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { runFaultCampaign } from "./fault-campaign.ts";
import { FAULT_CODES } from "./faulty-disk.ts";
import { canMountSmallDisk, fillDisks } from "./full-disk.ts";
import { runKillCampaign } from "./kill-campaign.ts";
import { type Figures, proxyFigures } from "./long-proxy.ts";
import { runMutantCampaign } from "./mutant-campaign.ts";
import { replayPowerLoss } from "./power-loss.ts";
import { chosenSeed, seededRandom } from "./seeded-random.ts";
import { soak } from "./soak.ts";
import { fillRoot } from "./staged-root.ts";

// The long run of the faults: `npm run test:faults:long [-- F1 F6 …]`. Prints one row for each figure, and ends with 1
// when one of them is missed. FAULTS_SEED=n runs the random ones again as they were; FAULTS_SCALE=0.1 is a tenth of it.
const seed = chosenSeed();
const scale = Number(process.env["FAULTS_SCALE"] ?? "1");
const asked = process.argv.slice(2);

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

const PUBLISHING: Figures = {
  F1: async () => {
    const tally = await runKillCampaign(scaled(1000), seededRandom(seed));
    const { torn, rolledBack, broken, reads, versionsSeen, midway, published } = tally;
    return {
      did: `${tally.kills} kills -9, ${midway} of them amid staging; ${published} versions published`,
      outcome: `${reads} reads of ${versionsSeen} versions: ${torn.length} torn, ${rolledBack.length} rolled back`,
      wrong: [...torn, ...rolledBack, ...broken],
    };
  },
  F2: async () => {
    const all = () => FAULT_CODES;
    const filled = await onFilledRoot((root) => runFaultCampaign(root, all));
    const empty = await runFaultCampaign(undefined, all);
    return {
      did: `${filled.faults + empty.faults} faults: every operation × ${FAULT_CODES.join(", ")}`,
      outcome: `${filled.refused + empty.refused} refused in plain words, the rest done with a copy or a warning`,
      wrong: [...filled.broken, ...empty.broken],
    };
  },
  F4: async () => {
    const rounds = scaled(60) + 2;
    const filled = await onFilledRoot((root) => replayPowerLoss(root, rounds, seededRandom(seed)));
    const empty = await replayPowerLoss(undefined, rounds, seededRandom(seed + 1));
    return {
      did: `power cut after each of ${filled.prefixes + empty.prefixes} operations, ${rounds} ways: ${filled.states + empty.states} different states`,
      outcome: `${filled.oldVersion + empty.oldVersion} old, ${filled.newVersion + empty.newVersion} new, all whole`,
      wrong: [...filled.broken, ...empty.broken],
    };
  },
  F5: async () => {
    if (!canMountSmallDisk()) return { did: "not run: no mount here", outcome: "-", wrong: [] };
    const sizes = Array.from({ length: scaled(40) }, (_, n) => 240 + 12 * n);
    const { attempts, full, published, broken } = await fillDisks(sizes, 6);
    return {
      did: `${attempts} versions onto ${sizes.length} disks of ${sizes[0]} to ${sizes.at(-1)} KB`,
      outcome: `${full} times full, ${published} published, old version whole each time`,
      wrong: broken,
    };
  },
  F6: async () => {
    const tally = await runMutantCampaign(scaled(10_000), seededRandom(seed));
    const { refusedByHash, refusedByContent, equal, consistent, slowestMs, rssGrowthMb } = tally;
    return {
      did: `${tally.mutants} mutants, slowest ${slowestMs.toFixed(0)} ms, memory ${rssGrowthMb.toFixed(0)} MB more`,
      outcome: `${refusedByHash} refused by hash, ${refusedByContent} by content, ${equal} equal, ${consistent} resealed and true`,
      wrong: [...tally.taken, ...tally.broken],
    };
  },
  F24: async () => {
    const { versions, answers, notOk, descriptors, rssMb } = await soak(scale * 5);
    const show = ([early, late]: readonly [number, number]) => `${early.toFixed(1)} → ${late.toFixed(1)}`;
    return {
      did: `${versions} versions, one each 5 s, under ${answers} answers`,
      outcome: `descriptors ${show(descriptors)}, memory ${show(rssMb)} MB (second third → last third)`,
      wrong: [
        ...(notOk === 0 ? [] : [`${notOk} answers were not 200`]),
        ...(descriptors[1] <= descriptors[0] + 3 ? [] : ["descriptors grow"]),
        ...(rssMb[1] <= rssMb[0] * 1.15 + 10 ? [] : ["memory grows"]),
      ],
    };
  },
};

process.stdout.write(
  `FAULTS_SEED=${seed}\n\n| figure | what was done | what came of it | wrong | s |\n|---|---|---|---|---|\n`,
);
const wrong: string[] = [];
const isAsked = (name: string) => asked.some((begin) => name === begin || name.startsWith(`${begin}-`));
for (const [name, run] of Object.entries({ ...PUBLISHING, ...proxyFigures(seed, scaled) })) {
  if (asked.length > 0 && !isAsked(name)) continue;
  const startedMs = performance.now();
  const { did, outcome, wrong: found } = await run();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stdout.write(`| ${name} | ${did} | ${outcome} | ${found.length} | ${seconds} |\n`);
  wrong.push(...found.map((line) => `${name}: ${line}`));
}
process.stdout.write(wrong.length === 0 ? "\nnothing was wrong\n" : `\n${wrong.slice(0, 100).join("\n")}\n`);
process.exitCode = wrong.length === 0 ? 0 : 1;
