import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../snapshots/format/canonical-json.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk, type SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { type CrashChoices, type CrashedTree, createCrashModel } from "./crash-model.ts";
import { changedSet, LATE_MS, publishOn, wrongAfterNextRun, wrongIn, wrongInEach } from "./staged-root.ts";

/** What replaying every crash of one publish came to; `broken` is to be empty. */
export interface PowerLossTally {
  /** After how many operations the power was cut. */
  readonly prefixes: number;
  /** Different states found after all these crashes. */
  readonly states: number;
  readonly oldVersion: number;
  readonly newVersion: number;
  readonly broken: readonly string[];
}

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

/** The real disk of a root, with everything that is done to it done to a model as well; `onOperation` is told after each. */
function recordedDisk(root: string, onOperation: (model: ReturnType<typeof createCrashModel>) => void) {
  const real = createSnapshotDisk(root);
  const model = createCrashModel(existsSync(root) ? root : undefined);
  const did = (): void => onOperation(model);
  const disk: SnapshotDisk = {
    ...real,
    async makeDirectory(path) {
      await real.makeDirectory(path);
      model.makeFolder(path);
      did();
    },
    async create(path) {
      const file = await real.create(path);
      const shadow = model.create(path);
      did();
      return {
        async write(bytes) {
          await file.write(bytes);
          shadow.write(bytes);
          did();
        },
        async sync() {
          await file.sync();
          shadow.sync();
          did();
        },
        close: file.close,
      };
    },
    async link(from, to) {
      await real.link(from, to);
      model.link(from, to);
      did();
    },
    async rename(from, to) {
      await real.rename(from, to);
      model.rename(from, to);
      did();
    },
    async syncDirectory(path) {
      await real.syncDirectory(path);
      model.syncFolder(path);
      did();
    },
    async remove(path) {
      await real.remove(path);
      model.remove(path);
      did();
    },
  };
  return disk;
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

/** Publishes once, and cuts the power after every operation `rounds` times: what is left must be old or new, whole, and no obstacle. */
export async function replayPowerLoss(
  base: string | undefined,
  rounds: number,
  random: Random,
): Promise<PowerLossTally> {
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
    let last: ReturnType<typeof createCrashModel> | undefined;
    const disk = recordedDisk(root, (model) => {
      prefixes += 1;
      last = model;
      for (let round = 0; round < rounds; round += 1)
        keep(model.crash(choicesOf(round, random)), [before, after]);
    });
    await publishOn(disk, LATE_MS, changedSet());
    // What was reported as published must survive, whatever was not synced.
    for (let round = 0; round < rounds; round += 1) {
      if (last !== undefined) keep(last.crash(choicesOf(round, random)), [after]);
    }
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
