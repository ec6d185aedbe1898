import { accessSync, constants, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { versions } from "node:process";
import { PipelineError } from "../facts/errors.ts";
import { diskTroubleHint } from "../home/atomic-write.ts";

/** What was looked at; one line each, in this order. */
export const DOCTOR_AREAS = [
  "node",
  "home",
  "rights",
  "disk",
  "registry",
  "warehouse",
  "opt-outs",
  "version",
  "age",
  "last run",
  "signing",
  "clock",
  "leftovers",
] as const;
export type DoctorArea = (typeof DOCTOR_AREAS)[number];

/** One line of `doctor`: how it stands with an area, and what to do where it does not stand well. */
export interface DoctorCheck {
  readonly area: DoctorArea;
  readonly verdict: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do; absent where there is nothing to do. */
  readonly next?: string;
}

/** All is well. */
export function fine(area: DoctorArea, message: string): DoctorCheck {
  return { area, verdict: "ok", message };
}

/** Somebody should look at it, but a run would go on. */
export function warn(area: DoctorArea, message: string, next: string): DoctorCheck {
  return { area, verdict: "warn", message, next };
}

/** The next run would fail, or something is open that must be closed. */
export function fail(area: DoctorArea, message: string, next: string): DoctorCheck {
  return { area, verdict: "fail", message, next };
}

const LOOK = "Run the command again with -v to see where it comes from.";

/** Makes a check; an expected failure in it is its answer, and anything else is told as far as it names no path. */
export async function checked(
  area: DoctorArea,
  look: () => DoctorCheck | Promise<DoctorCheck>,
): Promise<DoctorCheck> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof PipelineError) return fail(area, error.message, error.hint ?? LOOK);
    // What the system says would name paths of the machine: its code is enough.
    if (error instanceof Error && "code" in error) {
      const code = String(error.code);
      return fail(area, `cannot be looked at (${code})`, diskTroubleHint(code) ?? LOOK);
    }
    throw error;
  }
}

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

type Version = readonly [major: number, minor: number, patch: number];

function versionOf(text: string): Version | undefined {
  const [, major, minor = "0", patch = "0"] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** `>=20.19` or `<21`; `undefined` for what we do not write. */
function holds(version: Version, bound: string): boolean | undefined {
  const [, sign, text = ""] = /^(>=|<)([\d.]+)$/.exec(bound) ?? [];
  const limit = versionOf(text);
  if (sign === undefined || limit === undefined) return undefined;
  return sign === "<" ? compare(version, limit) < 0 : compare(version, limit) >= 0;
}

/** Whether a version of Node lies in a range such as `>=20.19 <21 || >=22.12`; `undefined` where the range cannot be read. */
export function isInNodeRange(version: string, range: string): boolean | undefined {
  const given = versionOf(version);
  if (given === undefined || range.trim() === "") return undefined;
  const spans = range.split("||").map((span) =>
    span
      .trim()
      .split(/\s+/)
      .map((bound) => holds(given, bound)),
  );
  if (spans.flat().includes(undefined)) return undefined;
  return spans.some((span) => span.every((each) => each === true));
}
