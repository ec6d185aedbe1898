import { accessSync, constants, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { versions } from "node:process";

/** What is known of a file or folder. */
export interface Seen {
  readonly isFolder: boolean;
  /** The nine bits of who may read, write and enter. */
  readonly rights: number;
}

/** What `doctor` sees of the machine; a fake stands in for a full disk or an old Node. */
export interface MachineSight {
  /** As `20.19.0`. */
  readonly nodeVersion: string;
  /** The versions of Node that the program was made for, as its package says. */
  readonly wantedNode: string;
  /** `undefined` where nothing is there. */
  see(path: string): Seen | undefined;
  mayWrite(path: string): boolean;
  /** Bytes free for this user on the disk of a folder that is there. */
  freeBytes(path: string): number;
  /** Names in a folder; none where it is not there. */
  names(path: string): readonly string[];
}

function enginesOf(packageDirectory: string): string {
  const value: unknown = JSON.parse(readFileSync(join(packageDirectory, "package.json"), "utf8"));
  const engines =
    typeof value === "object" && value !== null && "engines" in value ? value.engines : undefined;
  const node =
    typeof engines === "object" && engines !== null && "node" in engines ? engines.node : undefined;
  return typeof node === "string" ? node : "";
}

/** The machine as it is. */
export function lookAtMachine(packageDirectory: string): MachineSight {
  return {
    nodeVersion: versions.node,
    wantedNode: enginesOf(packageDirectory),
    see(path) {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? undefined : { isFolder: stat.isDirectory(), rights: stat.mode & 0o777 };
    },
    mayWrite(path) {
      try {
        accessSync(path, constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    freeBytes(path) {
      const { bavail, bsize } = statfsSync(path);
      return bavail * bsize;
    },
    names: (path) =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(path) : [],
  };
}
