import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { versions } from "node:process";
import { z } from "zod";
import { freeBytesAt } from "../home/atomic-write.ts";
import { homeWarehouseFiles, type RegistryInForce, readRegistry, registryInForce } from "../home/home.ts";
import { LOST_LIST_HINT, optOutsPathOf, readLiveOptOuts } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { outcomeWords, readLastOutcome, readState } from "../home/state.ts";
import { inspectWarehouse, type WarehouseInspection } from "../warehouse/migrate.ts";

/** What one look at something found: how it stands, and what to do where it does not stand well. */
export interface Found {
  readonly verdict: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do; absent where there is nothing to do. */
  readonly next?: string;
}

/** All is well. */
export const fine = (message: string): Found => ({ verdict: "ok", message });

/** Somebody should look at it, but a run would go on. */
export const warn = (message: string, next: string): Found => ({ verdict: "warn", message, next });

/** The next run would fail, or something is open that must be closed. */
export const fail = (message: string, next: string): Found => ({ verdict: "fail", message, next });

const Package = z.object({ engines: z.object({ node: z.string() }) });

/** What `doctor` sees of the machine; a fake stands in for a full disk or an old Node. */
export type MachineSight = ReturnType<typeof lookAtMachine>;

/** The machine as it is. */
export function lookAtMachine(packageDirectory: string) {
  const text = readFileSync(join(packageDirectory, "package.json"), "utf8");
  return {
    nodeVersion: versions.node as string,
    /** The versions of Node that the program was made for, as its package says. */
    wantedNode: Package.safeParse(JSON.parse(text)).data?.engines.node ?? "",
    /** `undefined` where nothing is there; `rights` are the nine bits of who may read, write and enter. */
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
    /** Names in a folder; none where it is not there. */
    names: (path: string): readonly string[] =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? readdirSync(path) : [],
  };
}

/** Node against the package's own range. */
export function checkNode({ nodeVersion, wantedNode }: MachineSight): Found {
  const isWanted = isInNodeRange(nodeVersion, wantedNode);
  if (isWanted === true) return fine(`Node ${nodeVersion} is of ${wantedNode}`);
  const next = `Install a version of ${wantedNode === "" ? "Node that package.json names" : wantedNode}, then \`npm ci\`.`;
  if (isWanted === false) return fail(`Node ${nodeVersion} is not of ${wantedNode}`, next);
  return warn(`Node ${nodeVersion} cannot be held against package.json`, next);
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

/** That home and snapshots are folders, and may be written. */
export function checkHome({ homeDirectory, snapshotsDirectory }: Settings, sight: MachineSight): Found {
  const home = sight.see(homeDirectory);
  if (home === undefined) {
    return warn("there is no home yet", "`govdata init` makes it; a first run does too.");
  }
  const next =
    "Give --home and --snapshots (GOVDATA_HOME, GOVDATA_SNAPSHOTS) folders that this user may write to.";
  for (const [name, path, seen] of [
    ["home", homeDirectory, home],
    ["folder of --snapshots", snapshotsDirectory, sight.see(snapshotsDirectory)],
  ] as const) {
    if (seen === undefined) continue;
    if (!seen.isFolder) return fail(`the ${name} is no folder`, next);
    if (!sight.mayWrite(path)) return fail(`the ${name} may not be written by this user`, next);
  }
  return fine("home and snapshots may be written");
}

/** Rights of the group and of everybody. */
const OTHERS = 0o077;
const EVERYBODY = 0o007;

/** The diagnosis names no path, as it is pasted into tickets. */
const CLOSE_HOME = "chmod 700 the folder of --home (GOVDATA_HOME; where neither is given: .govdata)";

/** That nobody but the owner reads what the home holds: keys, the warehouse, who opted out. */
export function checkRights(settings: Settings, sight: MachineSight): Found {
  const home = sight.see(settings.homeDirectory);
  if (home === undefined) return fine("there is nothing yet that others could read");
  const isHomeOpen = (home.rights & OTHERS) !== 0;
  const files = openFiles(settings, sight);
  if (isHomeOpen && files.length > 0) {
    const next = `${CLOSE_HOME} and chmod 600 these; a key that others may have read must be made anew.`;
    return fail(`others may enter the home and read ${listed(files)}`, next);
  }
  const list = sight.see(optOutsPathOf(settings));
  // Two users may share it by their group, and nobody else.
  if (settings.optOutsPath !== undefined && list !== undefined && (list.rights & EVERYBODY) !== 0) {
    return fail("everybody may read or write the list of --optouts", "chmod 660 it.");
  }
  if (isHomeOpen) return warn("others may enter the home and see names of files", `${CLOSE_HOME}.`);
  if (files.length > 0) {
    return warn(`only the home's own rights protect ${listed(files)}`, "chmod 600 these.");
  }
  return fine("nobody but the owner can read the home");
}

/** Where the proxy keeps keys, quota and pepper when both programs have their defaults. */
const PROXY_FOLDER = "proxy";

/** Files of the home that others could read if they may enter it, by their path in it. */
function openFiles({ homeDirectory }: Settings, sight: MachineSight): readonly string[] {
  const names = [
    ...sight.names(homeDirectory),
    ...sight.names(join(homeDirectory, PROXY_FOLDER)).map((name) => join(PROXY_FOLDER, name)),
  ];
  return names.filter((name) => {
    const seen = sight.see(join(homeDirectory, name));
    return seen !== undefined && !seen.isFolder && (seen.rights & OTHERS) !== 0;
  });
}

/** How many are named before the rest is counted. */
const NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${names.slice(0, NAMED).join(", ")}${more}`;
}

/** Less than this is no room for a version and its staging, whatever is published: a small one takes some ten MB. */
const FREE_BYTES_MIN = 100_000_000;

/** Room for so many versions is a reason to look before it is a reason to stop. */
const ROOM_VERSIONS = { fail: 2, warn: 10 } as const;

/** Room for the next version and the next fetch. */
export function checkDisk(
  { homeDirectory, snapshotsDirectory }: Settings,
  sight: MachineSight,
  versionBytes: number,
): Found {
  const free = [homeDirectory, snapshotsDirectory].map((path) => sight.freeBytes(nearestFolder(path, sight)));
  const least = Math.min(...free);
  const shown = `${Math.floor(least / 1_000_000).toLocaleString("en")} MB free`;
  const next = "`govdata status` says what versions take, `govdata prune --dry-run` what would go.";
  const needed = Math.max(FREE_BYTES_MIN, ROOM_VERSIONS.fail * versionBytes);
  if (least < needed) return fail(`${shown}: too little for the next version`, next);
  const ample = ROOM_VERSIONS.warn * Math.max(FREE_BYTES_MIN, versionBytes);
  return least < ample ? warn(`${shown}: room for a few versions`, next) : fine(shown);
}

/** The folder that is there, or the nearest above it. */
function nearestFolder(path: string, sight: MachineSight): string {
  if (sight.see(path) !== undefined) return path;
  return path === "/" || path === "." ? path : nearestFolder(join(path, ".."), sight);
}

/** The registry in force as a person is told of it, without a path of this machine. */
export function registryWords({ file, origin }: RegistryInForce): string {
  if (origin === "named") return `${file}, named by --registry`;
  return origin === "home" ? `${file} of the home` : `${file} that comes with the program`;
}

/** That the registry in force can be read, and tracks some of the published DAOs where these are known. */
export function checkRegistry(settings: Settings, publishedIds: readonly string[] | undefined): Found {
  const { daos, entities } = readRegistry(settings);
  const words = registryWords(registryInForce(settings));
  if (daos.length === 0) return warn(`tracks no DAO: ${words}`, "Write some into the registry, then run.");
  const tracked = new Set(daos.map(({ spaceId }) => spaceId));
  if (publishedIds?.some((spaceId) => tracked.has(spaceId)) === false && publishedIds.length > 0) {
    const message = `${words}: none of its ${daos.length} DAOs is among the ${publishedIds.length} published`;
    const next =
      "Name the one that was published from: --registry (GOVDATA_REGISTRY), or copy it over the registry.yaml of the home.";
    return warn(message, next);
  }
  return fine(`${words}: ${daos.length} DAOs and ${entities.length} entities`);
}

/** The warehouse as it lies there; `undefined` where there is none. Throws `PipelineError` for a damaged or busy one. */
export async function lookIntoWarehouse(settings: Settings): Promise<WarehouseInspection | undefined> {
  const files = homeWarehouseFiles(settings);
  return existsSync(files.path) ? inspectWarehouse(files) : undefined;
}

/** Damage, version, and what the last fetches came to. */
export function judgeWarehouse(found: WarehouseInspection | undefined): Found {
  if (found === undefined) return warn("nothing was fetched yet", "`govdata fetch` fills it.");
  const { version, knownVersion, records } = found;
  if (version > knownVersion) {
    const next = "Use the newer program that wrote it, or another --home.";
    return fail(`is of version ${version}; this program knows ${knownVersion}`, next);
  }
  if (version < knownVersion) {
    const next = "Copy it first if you want to go back; the next command that opens it brings it up to date.";
    return warn(`is of version ${version} of ${knownVersion}`, next);
  }
  const failed = records.filter(({ status }) => status === "failed").length;
  if (failed === 0) return fine(`whole, version ${version}, ${records.length} fetches complete`);
  const next = "`govdata status` says which and why; the next run tries again.";
  return warn(`whole; ${failed} of ${records.length} newest fetches failed`, next);
}

/** That the list of live opt-outs can be asked, and has not grown shorter behind our back. */
export function checkOptOuts(settings: Settings): Found {
  const { list, problem } = readLiveOptOuts(settings);
  if (problem !== undefined) return fail(`no entity may be named: ${problem.message}`, LOST_LIST_HINT);
  if (!existsSync(optOutsPathOf(settings))) {
    return warn("there is no list yet", "`govdata init` makes an empty one; a first publish does too.");
  }
  const before = readState(settings).live_opt_outs;
  if (before !== null && list.count < before) {
    const next = "If nobody was taken off with `govdata-proxy optout remove`, put the newer file back.";
    return warn(`${list.count} on the list; at the last publish there were ${before}`, next);
  }
  return fine(`the list can be read: ${list.count} on it`);
}

/** How the last run of the home ended: what is published may be whole and young, and the next run fail all the same. */
export function judgeLastRun(settings: Settings): Found {
  const outcome = readLastOutcome(settings);
  if (outcome === undefined) return fine("none has ended in this home");
  if (outcome.error === null) return fine(outcomeWords(outcome));
  const next =
    outcome.gates.length > 0
      ? "`govdata publish` tells what was compared, and the name that lets it pass once you have looked."
      : "Look at its output; running again is always safe.";
  return warn(outcomeWords(outcome), next);
}
