import { join } from "node:path";
import { optOutsPathOf } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import {
  checked,
  DOCTOR_AREAS,
  type DoctorArea,
  type DoctorCheck,
  fail,
  fine,
  isInNodeRange,
  lookAtMachine,
  type MachineSight,
  warn,
} from "./doctor-check.ts";
import {
  checkLeftovers,
  checkSigning,
  judgeAge,
  judgeClock,
  judgeVersion,
  lookAtPublished,
  type PublishedLook,
  publishedDaosOf,
} from "./doctor-published.ts";
import {
  checkOptOuts,
  checkRegistry,
  judgeLastRun,
  judgeWarehouse,
  lookIntoWarehouse,
} from "./doctor-stores.ts";

/** Rights of the group and of everybody. */
const OTHERS = 0o077;
const EVERYBODY = 0o007;

/** Where the proxy keeps keys, quota and pepper when both programs have their defaults. */
const PROXY_FOLDER = "proxy";

/** Less than this is no room for a version and its staging, whatever is published: a small one takes some ten MB. */
const FREE_BYTES_MIN = 100_000_000;

/** Room for so many versions is a reason to look before it is a reason to stop. */
const ROOM_VERSIONS = { fail: 2, warn: 10 } as const;

/** Node against the package's own range. */
export function checkNode({ nodeVersion, wantedNode }: MachineSight): DoctorCheck {
  const isWanted = isInNodeRange(nodeVersion, wantedNode);
  if (isWanted === true) return fine("node", `Node ${nodeVersion} is of ${wantedNode}`);
  const next = `Install a version of ${wantedNode === "" ? "Node that package.json names" : wantedNode}, then \`npm ci\`.`;
  if (isWanted === false) return fail("node", `Node ${nodeVersion} is not of ${wantedNode}`, next);
  return warn("node", `Node ${nodeVersion} cannot be held against package.json`, next);
}

/** That home and snapshots are folders, and may be written. */
export function checkHome({ homeDirectory, snapshotsDirectory }: Settings, sight: MachineSight): DoctorCheck {
  const home = sight.see(homeDirectory);
  if (home === undefined) {
    return warn("home", "there is no home yet", "`govdata init` makes it; a first run does too.");
  }
  const next =
    "Give --home and --snapshots (GOVDATA_HOME, GOVDATA_SNAPSHOTS) folders that this user may write to.";
  for (const [name, path, seen] of [
    ["home", homeDirectory, home],
    ["folder of --snapshots", snapshotsDirectory, sight.see(snapshotsDirectory)],
  ] as const) {
    if (seen === undefined) continue;
    if (!seen.isFolder) return fail("home", `the ${name} is no folder`, next);
    if (!sight.mayWrite(path)) return fail("home", `the ${name} may not be written by this user`, next);
  }
  return fine("home", "home and snapshots may be written");
}

/** The diagnosis names no path, as it is pasted into tickets. */
const CLOSE_HOME = "chmod 700 the folder of --home (GOVDATA_HOME; where neither is given: .govdata)";

/** Files of the home that others could read if they may enter it, by their place in it. */
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

/** That nobody but the owner reads what the home holds: keys, the warehouse, who opted out. */
export function checkRights(settings: Settings, sight: MachineSight): DoctorCheck {
  const home = sight.see(settings.homeDirectory);
  if (home === undefined) return fine("rights", "there is nothing yet that others could read");
  const isHomeOpen = (home.rights & OTHERS) !== 0;
  const files = openFiles(settings, sight);
  if (isHomeOpen && files.length > 0) {
    const next = `${CLOSE_HOME} and chmod 600 these; a key that others may have read must be made anew.`;
    return fail("rights", `others may enter the home and read ${listed(files)}`, next);
  }
  const list = sight.see(optOutsPathOf(settings));
  // Two users may share it by their group, and nobody else.
  if (settings.optOutsPath !== undefined && list !== undefined && (list.rights & EVERYBODY) !== 0) {
    return fail("rights", "everybody may read or write the list of --optouts", "chmod 660 it.");
  }
  if (isHomeOpen) return warn("rights", "others may enter the home and see names of files", `${CLOSE_HOME}.`);
  if (files.length > 0) {
    return warn("rights", `only the home's own rights protect ${listed(files)}`, "chmod 600 these.");
  }
  return fine("rights", "nobody but the owner can read the home");
}

/** The folder that is there, or the nearest above it. */
function nearestFolder(path: string, sight: MachineSight): string {
  if (sight.see(path) !== undefined) return path;
  return path === "/" || path === "." ? path : nearestFolder(join(path, ".."), sight);
}

/** Room for the next version and the next fetch. */
export function checkDisk(settings: Settings, sight: MachineSight, versionBytes: number): DoctorCheck {
  const { homeDirectory, snapshotsDirectory } = settings;
  const free = [homeDirectory, snapshotsDirectory].map((path) => sight.freeBytes(nearestFolder(path, sight)));
  const least = Math.min(...free);
  const shown = `${Math.floor(least / 1_000_000).toLocaleString("en")} MB free`;
  const next = "`govdata status` says what versions take, `govdata prune --dry-run` what would go.";
  const needed = Math.max(FREE_BYTES_MIN, ROOM_VERSIONS.fail * versionBytes);
  if (least < needed) return fail("disk", `${shown}: too little for the next version`, next);
  const wished = Math.max(ROOM_VERSIONS.warn * FREE_BYTES_MIN, ROOM_VERSIONS.warn * versionBytes);
  if (least < wished) return warn("disk", `${shown}: room for a few versions`, next);
  return fine("disk", shown);
}

/** Everything that was looked at, one check an area; it holds no path. */
export interface Diagnosis {
  readonly worst: DoctorCheck["verdict"];
  readonly checks: readonly DoctorCheck[];
}

/** When it is, and how old a version may be. */
export interface DoctorOptions {
  readonly nowMs: number;
  readonly maxAgeHours: number | undefined;
  /** The machine itself where absent. */
  readonly sight?: MachineSight;
}

function latestOf(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : times.reduce((latest, atMs) => Math.max(latest, atMs));
}

function worstOf(checks: readonly DoctorCheck[]): Diagnosis["worst"] {
  const verdicts = checks.map(({ verdict }) => verdict);
  if (verdicts.includes("fail")) return "fail";
  return verdicts.includes("warn") ? "warn" : "ok";
}

/** `govdata doctor`: looks at everything a run needs, and changes nothing. */
export async function runDoctor(settings: Settings, options: DoctorOptions): Promise<Diagnosis> {
  const { nowMs, maxAgeHours } = options;
  const sight = options.sight ?? lookAtMachine(settings.packageDirectory);
  let published: PublishedLook | undefined;
  const version = await checked("version", async () => {
    published = await lookAtPublished(settings, sight);
    return judgeVersion(published);
  });
  const seen = published;
  let fetchedAtMs: number | undefined;
  const warehouse = await checked("warehouse", () => {
    const found = lookIntoWarehouse(settings);
    fetchedAtMs = latestOf(found?.records.map((record) => record.fetchedAtMs) ?? []);
    return judgeWarehouse(found);
  });
  const publishedAtMs = seen === undefined ? undefined : Date.parse(seen.pointer.published_at);
  const isUnknown = version.verdict === "fail" && seen === undefined;
  const looks: Readonly<Record<DoctorArea, () => DoctorCheck | Promise<DoctorCheck>>> = {
    node: () => checkNode(sight),
    home: () => checkHome(settings, sight),
    rights: () => checkRights(settings, sight),
    disk: () => checkDisk(settings, sight, seen?.verification.bytes ?? 0),
    registry: async () => checkRegistry(settings, await publishedDaosOf(settings, seen)),
    warehouse: () => warehouse,
    "opt-outs": () => checkOptOuts(settings),
    version: () => version,
    age: () => judgeAge(seen, { nowMs, maxAgeHours }),
    "last run": () => judgeLastRun(settings),
    signing: () => checkSigning(settings, seen),
    clock: () => judgeClock(nowMs, { publishedAtMs, fetchedAtMs }),
    leftovers: () =>
      isUnknown
        ? fine("leftovers", "not looked for while the pointer cannot be read")
        : checkLeftovers(settings, sight, seen),
  };
  const checks: DoctorCheck[] = [];
  for (const area of DOCTOR_AREAS) checks.push(await checked(area, looks[area]));
  return { worst: worstOf(checks), checks };
}
