import { accessSync, constants, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { versions } from "node:process";
import { z } from "zod";

/** What one look at something found: how it stands, and what to do where it does not stand well. */
export interface Found {
  readonly verdict: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do; absent where there is nothing to do. */
  readonly next?: string;
}

/** All is well. */
export function fine(message: string): Found {
  return { verdict: "ok", message };
}

/** Somebody should look at it, but a run would go on. */
export function warn(message: string, next: string): Found {
  return { verdict: "warn", message, next };
}

/** The next run would fail, or something is open that must be closed. */
export function fail(message: string, next: string): Found {
  return { verdict: "fail", message, next };
}

/** What `doctor` sees of the machine; a fake stands in for a full disk or an old Node. */
export interface MachineSight {
  /** As `20.19.0`. */
  readonly nodeVersion: string;
  /** The versions of Node that the program was made for, as its package says. */
  readonly wantedNode: string;
  /** `undefined` where nothing is there; `rights` are the nine bits of who may read, write and enter. */
  see(path: string): { readonly isFolder: boolean; readonly rights: number } | undefined;
  mayWrite(path: string): boolean;
  /** Bytes free for this user on the disk of a folder that is there. */
  freeBytes(path: string): number;
  /** Names in a folder; none where it is not there. */
  names(path: string): readonly string[];
}

const Package = z.object({ engines: z.object({ node: z.string() }) });

/** The machine as it is. */
export function lookAtMachine(packageDirectory: string): MachineSight {
  const text = readFileSync(join(packageDirectory, "package.json"), "utf8");
  return {
    nodeVersion: versions.node,
    wantedNode: Package.safeParse(JSON.parse(text)).data?.engines.node ?? "",
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

/** Whether a version of Node lies in a range such as `>=20.19 <21 || >=22.12`; `undefined` where the range cannot be read. */
export function isInNodeRange(version: string, range: string): boolean | undefined {
  const given = versionNumber(version);
  const spans = range.split("||").map((span) =>
    span
      .trim()
      .split(/\s+/)
      .map((bound) => {
        const [, sign, limitText = ""] = /^(>=|<)([\d.]+)$/.exec(bound) ?? [];
        const limit = versionNumber(limitText);
        if (given === undefined || limit === undefined) return undefined;
        return sign === "<" ? given < limit : given >= limit;
      }),
  );
  if (spans.flat().includes(undefined)) return undefined;
  return spans.some((span) => span.every((each) => each === true));
}

/** One number of `20.19.0` or a beginning of it, which grows as versions do. */
function versionNumber(text: string): number | undefined {
  const [, major, minor = 0, patch = 0] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(text) ?? [];
  return major === undefined ? undefined : (Number(major) * 1e4 + Number(minor)) * 1e4 + Number(patch);
}
