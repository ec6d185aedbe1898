import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { versions } from "node:process";
import { freeBytesAt } from "../../snapshots/base/durable-files.ts";
import { readPackage } from "../../snapshots/base/package.ts";
import { nodeProblem } from "../../snapshots/base/platform.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { homeFile, type RegistryInForce, readRegistry, registryInForce } from "../home/home.ts";
import { LOST_LIST_HINT, optOutsPathOf, readLiveOptOuts } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { outcomeText, readLastOutcome, readState } from "../home/state.ts";
import { inspectWarehouse, type WarehouseInspection } from "../warehouse/check-schema.ts";
import { failedFetches } from "../warehouse/fetches.ts";

/** The result of one check, with what to do if it is not ok. */
export interface Found {
  readonly verdict: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do; absent if nothing is needed. */
  readonly next?: string;
}

/** The check passed. */
export const fine = (message: string): Found => ({ verdict: "ok", message });

/** Needs attention, but a run would work. */
export const warn = (message: string, next: string): Found => ({ verdict: "warn", message, next });

/** The next run would fail, or data is exposed that must be protected. */
export const fail = (message: string, next: string): Found => ({ verdict: "fail", message, next });

/** The machine's state that `doctor` reads; tests replace it to fake a full disk or an old Node. */
export type MachineState = ReturnType<typeof readMachine>;

/** Reads the state of this machine. */
export function readMachine(packageDirectory: string) {
  return {
    nodeVersion: versions.node as string,
    /** The Node versions that the package supports. */
    wantedNode: readPackage(packageDirectory).engines.node,
    /** `undefined` if the path does not exist; `rights` are the nine permission bits. */
    see(path: string) {
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined ? undefined : { isFolder: stat.isDirectory(), rights: stat.mode & 0o777 };
    },
    mayWrite(path: string): boolean {
      try {
        accessSync(path, constants.W_OK);
        return true;
      } catch {
        return false;
      }
    },
    freeBytes: freeBytesAt,
    /** Names in a folder; empty if it does not exist. */
    names: (path: string): readonly string[] =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(path) : [],
  };
}

/** Checks Node against the package's range. */
export function checkNode({ nodeVersion, wantedNode }: MachineState): Found {
  const problem = nodeProblem(nodeVersion, wantedNode);
  if (problem !== undefined) return fail(problem.message, problem.hint);
  return fine(`Node ${nodeVersion} is in the range ${wantedNode}`);
}

/** Checks that home and snapshots are writable folders. */
export function checkHome({ homeDirectory, snapshotsDirectory }: Settings, machine: MachineState): Found {
  const home = machine.see(homeDirectory);
  if (home === undefined) {
    return warn("there is no home yet", "`govdata init` or a first run creates it.");
  }
  const next =
    "Set --home and --snapshots (GOVDATA_HOME, GOVDATA_SNAPSHOTS) to folders that this user may write to.";
  for (const [name, path, seen] of [
    ["home", homeDirectory, home],
    ["folder of --snapshots", snapshotsDirectory, machine.see(snapshotsDirectory)],
  ] as const) {
    if (seen === undefined) continue;
    if (!seen.isFolder) return fail(`the ${name} is not a folder`, next);
    if (!machine.mayWrite(path)) return fail(`the ${name} is not writable for this user`, next);
  }
  return fine("home and snapshots are writable");
}

/** Permission bits of the group and of everybody. */
const OTHERS = 0o077;
const EVERYBODY = 0o007;

/** Without a path, as diagnoses are pasted into tickets. */
const CLOSE_HOME = "chmod 700 the folder of --home (GOVDATA_HOME, by default .govdata)";

/** Checks that only the owner can read the home: keys, the warehouse, opt-outs. */
export function checkRights(settings: Settings, machine: MachineState): Found {
  const home = machine.see(settings.homeDirectory);
  if (home === undefined) return fine("there is no home yet that others could read");
  const isHomeOpen = (home.rights & OTHERS) !== 0;
  const files = openFiles(settings, machine);
  if (isHomeOpen && files.length > 0) {
    const next = `${CLOSE_HOME} and chmod 600 these files. Replace every key that others may have read.`;
    return fail(`others can enter the home and read ${listed(files)}`, next);
  }
  const list = machine.see(optOutsPathOf(settings));
  // Two users may share it through their group.
  if (settings.optOutsPath !== undefined && list !== undefined && (list.rights & EVERYBODY) !== 0) {
    return fail("everybody can read or write the file of --optouts", "chmod 660 it.");
  }
  if (isHomeOpen) return warn("others can enter the home and see file names", `${CLOSE_HOME}.`);
  if (files.length > 0) {
    return warn(`only the home's permissions protect ${listed(files)}`, "chmod 600 these files.");
  }
  return fine("nobody but the owner can read the home");
}

/** The proxy's folder for keys, quota and pepper when both programs use their defaults. */
const PROXY_FOLDER = "proxy";

/** Files that others could read if they can enter the home, by path. */
function openFiles({ homeDirectory }: Settings, machine: MachineState): readonly string[] {
  const names = [
    ...machine.names(homeDirectory),
    ...machine.names(join(homeDirectory, PROXY_FOLDER)).map((name) => join(PROXY_FOLDER, name)),
  ];
  return names.filter((name) => {
    const seen = machine.see(join(homeDirectory, name));
    return seen !== undefined && !seen.isFolder && (seen.rights & OTHERS) !== 0;
  });
}

/** Files listed; the others are counted. */
const NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${names.slice(0, NAMED).join(", ")}${more}`;
}

/** The minimum free space for any version and its staging; a small version takes about 10 MB. */
const FREE_BYTES_MIN = 100_000_000;

/** Free space in versions below which the check fails or warns. */
const VERSIONS_FREE = { fail: 2, warn: 10 } as const;

/** Checks the free space for the next version and the next fetch. */
export function checkDisk(
  { homeDirectory, snapshotsDirectory }: Settings,
  machine: MachineState,
  versionBytes: number,
): Found {
  const free = [homeDirectory, snapshotsDirectory].map((path) =>
    machine.freeBytes(nearestFolder(path, machine)),
  );
  const least = Math.min(...free);
  const shown = `${Math.floor(least / 1_000_000).toLocaleString("en")} MB free`;
  const next =
    "`govdata status` shows the size of versions, `govdata prune --dry-run` what could be deleted.";
  const needed = Math.max(FREE_BYTES_MIN, VERSIONS_FREE.fail * versionBytes);
  if (least < needed) return fail(`${shown}: too little for the next version`, next);
  const ample = VERSIONS_FREE.warn * Math.max(FREE_BYTES_MIN, versionBytes);
  return least < ample ? warn(`${shown}: enough for a few versions`, next) : fine(shown);
}

function nearestFolder(path: string, machine: MachineState): string {
  if (machine.see(path) !== undefined) return path;
  return path === "/" || path === "." ? path : nearestFolder(join(path, ".."), machine);
}

/** Describes the registry in force, without a path of this machine. */
export function registryText({ file, origin }: RegistryInForce): string {
  if (origin === "named") return `${file}, named by --registry`;
  return origin === "home" ? `${file} in the home` : `${file} included with the program`;
}

/** Checks that the registry in force is readable and tracks some of the published DAOs. */
export function checkRegistry(settings: Settings, publishedIds: readonly string[] | undefined): Found {
  const { daos, entities } = readRegistry(settings);
  const text = registryText(registryInForce(settings));
  if (daos.length === 0) return warn(`tracks no DAO: ${text}`, "Add DAOs to the registry, then run.");
  const tracked = new Set(daos.map(({ spaceId }) => spaceId));
  if (publishedIds?.some((spaceId) => tracked.has(spaceId)) === false && publishedIds.length > 0) {
    const message = `${text}: none of its ${daos.length} DAOs is among the ${publishedIds.length} published ones`;
    const next =
      "Use the registry that was published from: --registry (GOVDATA_REGISTRY), or copy it over registry.yaml in the home.";
    return warn(message, next);
  }
  return fine(`${text}: ${daos.length} DAOs and ${entities.length} entities`);
}

/** Inspects the warehouse; `undefined` if there is none. Throws `PipelineFailure` if it is damaged or busy. */
export async function lookIntoWarehouse(settings: Settings): Promise<WarehouseInspection | undefined> {
  const path = homeFile(settings, "warehouse");
  return existsSync(path) ? inspectWarehouse(path) : undefined;
}

/** The share of failed fetches above which the next version would mostly repeat old data. */
const FAILED_SHARE_MAX = 1 / 4;

/** Checks the warehouse's version and the last fetches of the tracked DAOs. */
export function judgeWarehouse(found: WarehouseInspection | undefined, daos: readonly TrackedDao[]): Found {
  if (found === undefined) return warn("nothing was fetched yet", "`govdata fetch` fills it.");
  const { version, records } = found;
  const failed = failedFetches(records, daos);
  if (failed.length === 0) return fine(`intact, version ${version}, ${records.length} fetches complete`);
  const message = `intact; ${failed.length} of ${records.length} newest fetches failed`;
  const missing = failed.filter(({ error }) => error?.code === "NOT_FOUND").length;
  const next =
    "`govdata status` shows which and why. The next run tries again." +
    (missing === 0
      ? ""
      : ` The hub has no space for ${missing}: correct their ids in the registry, or set \`snapshot: none\`.`);
  return failed.length > FAILED_SHARE_MAX * records.length ? fail(message, next) : warn(message, next);
}

/** Checks that the list of live opt-outs is readable and has not lost entries. */
export function checkOptOuts(settings: Settings): Found {
  const { list, problem } = readLiveOptOuts(settings);
  if (problem !== undefined) return fail(`no entity is published: ${problem.message}`, LOST_LIST_HINT);
  if (!existsSync(optOutsPathOf(settings))) {
    return warn("there is no list yet", "`govdata init` or a first publish creates an empty one.");
  }
  const before = readState(settings).live_opt_outs;
  if (before !== null && list.count < before) {
    const next = "If nobody was removed with `govdata-proxy optout remove`, restore the newer file.";
    return warn(`${list.count} entries; at the last publish there were ${before}`, next);
  }
  return fine(`the list is readable and has ${list.count} entries`);
}

/** How the home's last run ended: the published version may be recent while the next run will fail again. */
export function judgeLastRun(settings: Settings): Found {
  const outcome = readLastOutcome(settings);
  if (outcome === undefined) return fine("no run has ended in this home");
  if (outcome.error === null) return fine(outcomeText(outcome));
  const next =
    outcome.gates.length > 0
      ? "`govdata publish` shows what was compared, and the name for --allow once you have checked it."
      : "Read its output. Running again is always safe.";
  return warn(outcomeText(outcome), next);
}
