import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../snapshots/format/canonical-json.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { type CrashChoices, type CrashedTree, createCrashModel } from "./crash-model.ts";
import { watchDisk } from "./faulty-disk.ts";
import { changedSet, LATE_MS, publishOn, wrongAfterNextRun, wrongIn, wrongInEach } from "./staged-root.ts";

/** A number in [0, 1), the next of a seeded row. */
export type Random = () => number;

/** The orders in which a file system may have written what was not synced: the worst ones by rule, then random ones. */
function choicesOf(round: number, random: Random): CrashChoices {
  const content = () => Buffer.alloc(0);
  if (round === 0) return { keepsName: () => false, content };
  // The newest name before all the older ones: a pointer, say, before the version that it points at.
  if (round === 1) return { keepsName: (fromNewest) => fromNewest === 0, content };
  if (round === 2) return { keepsName: () => true, content };
  return {
    keepsName: () => random() < 0.5,
    content: (written) => {
      const cut = Buffer.from(written.subarray(0, Math.floor(random() * (written.length + 1))));
      // Delayed allocation: the length is there, the bytes are not.
      return random() < 0.3 ? Buffer.alloc(written.length) : cut;
    },
  };
}

function layOut(tree: CrashedTree, root: string): void {
  mkdirSync(root, { recursive: true });
  for (const [path, bytes] of tree) {
    if (bytes === undefined) mkdirSync(join(root, path));
    else writeFileSync(join(root, path), bytes);
  }
}

function fingerprint(tree: CrashedTree): string {
  const lines = [...tree].map(([path, bytes]) => `${path} ${bytes === undefined ? "" : sha256Hex(bytes)}`);
  return sha256Hex(lines.toSorted().join("\n"));
}

async function judge(tree: CrashedTree, allowed: readonly (number | undefined)[]) {
  const home = mkdtempSync(join(HOME, "govdata-power-"));
  const root = join(home, "published");
  try {
    layOut(tree, root);
    const isThere = existsSync(join(root, "current.json"));
    const wrong = isThere ? [...(await wrongIn(root)), ...(await wrongInEach(root))] : [];
    const sequence = isThere && wrong.length === 0 ? readPointer(root).sequence : undefined;
    if (!allowed.includes(sequence)) wrong.push(`version ${sequence} is current`);
    wrong.push(...(await wrongAfterNextRun(root)));
    return { sequence, wrong };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Publishes once, and cuts the power after every operation `rounds` times: what is left must be old or new, whole, and no
 * obstacle. Says after how many operations, how many different states were found, and what is wrong with them.
 */
export async function replayPowerLoss(base: string | undefined, rounds: number, random: Random) {
  const home = mkdtempSync(join(HOME, "govdata-record-"));
  const root = join(home, "published");
  if (base !== undefined) cpSync(base, root, { recursive: true });
  const before = base === undefined ? undefined : readPointer(root).sequence;
  const after = (before ?? 0) + 1;
  const states = new Map<string, { tree: CrashedTree; at: number; allowed: (number | undefined)[] }>();
  let prefixes = 0;
  const keep = (tree: CrashedTree, allowed: (number | undefined)[]) => {
    const name = `${fingerprint(tree)} ${allowed.join()}`;
    if (!states.has(name)) states.set(name, { tree, at: prefixes, allowed });
  };
  try {
    const model = createCrashModel(base);
    const cutPower = (allowed: (number | undefined)[]) => {
      for (let round = 0; round < rounds; round += 1) keep(model.crash(choicesOf(round, random)), allowed);
    };
    const disk = watchDisk(root, (kind, args) => ({
      end: () => {
        if (!model.apply(kind, args)) return;
        prefixes += 1;
        cutPower([before, after]);
      },
    }));
    await publishOn(disk, LATE_MS, changedSet());
    // What was reported as published must survive, whatever was not synced.
    cutPower([after]);
    const isWhole = readFileSync(join(root, "current.json"), "utf8").includes(`"sequence":${after},`);
    if (!isWhole) throw new Error("the recorded run itself did not publish");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  const broken: string[] = [];
  let [oldVersion, newVersion] = [0, 0];
  for (const { tree, at: step, allowed } of states.values()) {
    const { sequence, wrong } = await judge(tree, allowed);
    if (sequence === after) newVersion += 1;
    else if (sequence === before) oldVersion += 1;
    broken.push(...wrong.map((line) => `after operation ${step}: ${line}`));
  }
  return { prefixes, states: states.size, oldVersion, newVersion, broken };
}
