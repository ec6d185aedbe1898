import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { errorCode } from "../failure.ts";
import { badOption } from "./values.ts";

/** More links than a system follows. */
const LINKS_MAX = 40;

/** Whether a path is a folder or leads into it, after every link; neither has to exist yet. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(realPathOf(folder), realPathOf(path));
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

/** Refuses a path in the folder of published versions, which everybody may read; throws `BAD_OPTION`. */
export function requireOutside(published: string, name: string, path: string): void {
  if (!isWithin(published, path)) return;
  throw badOption(
    `${name} must not be in the folder of --snapshots`,
    `Everything under ${resolve(published)} is public, also what a link leads to from elsewhere: name another folder.`,
  );
}

/** The path without links. What does not exist is taken as it is named, below the last folder that does. */
function realPathOf(path: string, links = 0): string {
  const whole = resolve(path);
  try {
    return realpathSync.native(whole);
  } catch {
    const target = links < LINKS_MAX ? targetOf(whole) : undefined;
    // A link to what does not exist yet is followed by whoever creates it.
    if (target !== undefined) return realPathOf(resolve(dirname(whole), target), links + 1);
    const parent = dirname(whole);
    return parent === whole ? whole : join(realPathOf(parent, links), basename(whole));
  }
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
