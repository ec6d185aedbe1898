import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { type Child, startChild } from "./child.ts";
import { EVERY_KIND_AS_OF_MS, everyKindSet } from "./every-kind-set.ts";
import { litterIn, wrongIn } from "./staged-root.ts";

/** What two publishers at once came to. */
export interface RaceTally {
  readonly published: readonly number[];
  readonly locked: number;
  readonly sequence: number;
  readonly broken: readonly string[];
}

async function linesOf(child: Child): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let line = await child.nextLine(); line !== "done"; line = await child.nextLine()) lines.push(line);
  return lines;
}

/** Lets two publishers in processes of their own publish `times` versions each into the same root, both at once. */
export async function raceTwoPublishers(times: number): Promise<RaceTally> {
  const home = mkdtempSync(join(HOME, "govdata-race-"));
  const [root, setPath] = [join(home, "published"), join(home, "set.json")];
  writeFileSync(setPath, JSON.stringify(everyKindSet()));
  const copy = compileCopy(join(import.meta.dirname, "publisher-process.ts"));
  const children = [0, 1].map(() => startChild([copy, root, setPath]));
  try {
    for (const child of children) await child.nextLine();
    // A second apart, so that no two versions can have one name.
    children.forEach((child, n) => {
      child.say(`${times} ${EVERY_KIND_AS_OF_MS + 86_400_000 + n * 1000} 2000`);
    });
    const lines = (await Promise.all(children.map(linesOf))).flat();
    const isLocked = (line: string) => line.startsWith("PUBLISH_LOCKED another process is publishing");
    const published = lines.flatMap((line) => /^published (\d+)$/.exec(line)?.[1] ?? []).map(Number);
    return {
      published: published.toSorted((a, b) => a - b),
      locked: lines.filter(isLocked).length,
      sequence: readPointer(root).sequence,
      broken: [
        ...lines.filter((line) => !line.startsWith("published ") && !isLocked(line)),
        ...(await wrongIn(root, true)),
        ...litterIn(root),
      ],
    };
  } finally {
    for (const child of children) child.process.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}
