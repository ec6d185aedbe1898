import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { startChild } from "./child.ts";
import { everyKindSet } from "./every-kind-set.ts";

/** A place in which we may mount a disk of our own. */
export const NAMESPACE = ["unshare", "--mount", "--map-root-user"];

/** Whether this system lets us mount a small disk of our own. */
export function canMountSmallDisk(): boolean {
  const [command = "", ...args] = NAMESPACE;
  const home = mkdtempSync(join(HOME, "govdata-mount-"));
  const mount = spawnSync(command, [...args, "mount", "-t", "tmpfs", "-o", "size=64k", "none", home]);
  rmSync(home, { recursive: true, force: true });
  return mount.status === 0;
}

/**
 * Publishes onto a tmpfs that has room for some versions and no more, with sizes in steps, so that it fills up at
 * every stage of publishing; the process that publishes also verifies, as the mount is seen by nobody else.
 */
export async function fillDisks(sizesKb: readonly number[], timesEach: number) {
  const home = mkdtempSync(join(HOME, "govdata-full-"));
  const setPath = join(home, "set.json");
  const mountPoint = join(home, "disk");
  mkdirSync(mountPoint);
  writeFileSync(setPath, JSON.stringify(everyKindSet()));
  const copy = compileCopy(join(import.meta.dirname, "full-disk-process.ts"));
  const tally = { attempts: 0, full: 0, published: 0 };
  const broken: string[] = [];
  try {
    for (const sizeKb of sizesKb) {
      const mount = `mount -t tmpfs -o size=${sizeKb}k none ${mountPoint} && exec "$@"`;
      const words = [copy, join(mountPoint, "published"), setPath, String(timesEach)];
      const child = startChild(words, [...NAMESPACE, "sh", "-c", mount, "sh"]);
      const seen = JSON.parse(await child.nextLine());
      await child.ended;
      tally.attempts += timesEach;
      tally.full += seen.full;
      tally.published += seen.published;
      broken.push(...seen.broken.map((line: string) => `${sizeKb} KB: ${line}`));
    }
    return { ...tally, broken };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
