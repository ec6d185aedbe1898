import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { versions } from "node:process";
import { freeBytesAt } from "../../snapshots/base/durable-files.ts";
import { readPackage } from "../../snapshots/base/package.ts";
import { nodeProblem } from "../../snapshots/base/platform.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { type RegistryInForce, registryInForce } from "../home/home.ts";
import { LOST_LIST_HINT, optOutsPathOf, readLiveOptOuts } from "../home/opt-outs.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { Settings } from "../home/settings.ts";
import { outcomeText, readLastOutcome, readState } from "../home/state.ts";
import { failedFetches } from "../warehouse/fetches.ts";
import type { WarehouseInspection } from "../warehouse/warehouse-reader.ts";

/** What a check found, and what to do if it is not ok. */
export interface Fact {
  /** `warn`: a run would work. `fail`: the next run would fail, or data is exposed that must be protected. */
  readonly verdict: "ok" | "warn" | "fail";
  readonly message: string;
  readonly next?: string;
}

export const fine = (message: string): Fact => ({ verdict: "ok", message });
export const warn = (message: string, next: string): Fact => ({ verdict: "warn", message, next });
export const fail = (message: string, next: string): Fact => ({ verdict: "fail", message, next });

/** `undefined` if nothing is there; throws if that cannot be told, as `existsSync` does not. */
const seen = (path: string) => statSync(path, { throwIfNoEntry: false });

export const namesIn = (path: string): readonly string[] =>
  seen(path)?.isDirectory() === true ? readdirSync(path) : [];

export function checkNode({ packageDirectory }: Settings): Fact {
  const range = readPackage(packageDirectory).engines.node;
  const problem = nodeProblem(versions.node, range);
  if (problem !== undefined) return fail(problem.message, problem.hint);
  return fine(`Node ${versions.node} is in the range ${range}`);
}

export function checkHome({ homeDirectory, snapshotsDirectory }: Settings): Fact {
  if (seen(homeDirectory) === undefined) {
    return warn("there is no home yet", "`govdata init` or a first run creates it.");
  }
  const next =
    "Set --home and --snapshots (GOVDATA_HOME, GOVDATA_SNAPSHOTS) to folders that this user may write to.";
  const folders = { home: homeDirectory, "folder of --snapshots": snapshotsDirectory };
  for (const [name, path] of Object.entries(folders)) {
    const stat = seen(path);
    if (stat === undefined) continue;
    if (!stat.isDirectory()) return fail(`the ${name} is not a folder`, next);
    try {
      accessSync(path, constants.W_OK);
    } catch {
      return fail(`the ${name} is not writable for this user`, next);
    }
  }
  return fine("home and snapshots are writable");
}

const OTHERS = 0o077;
const EVERYBODY = 0o007;

const isOpen = (path: string, bits: number): boolean => ((seen(path)?.mode ?? 0) & bits) !== 0;

/** Without a path, as diagnoses are pasted into tickets. */
const CLOSE_HOME = "chmod 700 the folder of --home (GOVDATA_HOME, by default .govdata)";

/** Whether only the owner can read the home: keys, the warehouse, opt-outs. */
export function checkRights(settings: Settings): Fact {
  const { homeDirectory: home, optOutsPath } = settings;
  if (seen(home) === undefined) return fine("there is no home yet that others could read");
  // By default the proxy has its keys, quota and pepper in the home.
  const names = [...namesIn(home), ...namesIn(join(home, "proxy")).map((name) => join("proxy", name))];
  const isReadable = (path: string): boolean => seen(path)?.isDirectory() === false && isOpen(path, OTHERS);
  const open = names.filter((name) => isReadable(join(home, name)));
  if (isOpen(home, OTHERS) && open.length > 0) {
    const next = `${CLOSE_HOME} and chmod 600 these files. Replace every key that others may have read.`;
    return fail(`others can enter the home and read ${listed(open, 5)}`, next);
  }
  // Two users may share it through their group.
  if (optOutsPath !== undefined && isOpen(optOutsPath, EVERYBODY)) {
    return fail("everybody can read or write the file of --optouts", "chmod 660 it.");
  }
  if (isOpen(home, OTHERS)) return warn("others can enter the home and see file names", `${CLOSE_HOME}.`);
  if (open.length === 0) return fine("nobody but the owner can read the home");
  return warn(`only the home's permissions protect ${listed(open, 5)}`, "chmod 600 these files.");
}

export function listed(names: readonly string[], count: number): string {
  const more = names.length > count ? ` and ${names.length - count} more` : "";
  return `${names.slice(0, count).join(", ")}${more}`;
}

/** The minimum free space for any version and its staging; a small version takes about 10 MB. */
const FREE_BYTES_MIN = 100_000_000;

/** Whether there is space for the next fetch, and for two or ten more versions. */
export function checkDisk({ homeDirectory, snapshotsDirectory }: Settings, versionBytes: number): Fact {
  const nearest = (path: string): string =>
    seen(path) !== undefined || path === "/" || path === "." ? path : nearest(join(path, ".."));
  const folders = [homeDirectory, snapshotsDirectory];
  const bytes = Math.min(...folders.map((path) => freeBytesAt(nearest(path))));
  const shown = `${Math.floor(bytes / 1_000_000).toLocaleString("en")} MB free`;
  const next =
    "`govdata status` shows the size of versions, `govdata prune --dry-run` what could be deleted.";
  if (bytes < Math.max(FREE_BYTES_MIN, 2 * versionBytes)) {
    return fail(`${shown}: too little for the next version`, next);
  }
  const isAmple = bytes >= 10 * Math.max(FREE_BYTES_MIN, versionBytes);
  return isAmple ? fine(shown) : warn(`${shown}: enough for a few versions`, next);
}

/** Describes the registry in force, without a path of this machine. */
export function registryText({ file, origin }: RegistryInForce): string {
  if (origin === "named") return `${file}, named by --registry`;
  return origin === "home" ? `${file} in the home` : `${file} included with the program`;
}

/** Whether the registry in force is readable and tracks some of the published DAOs. */
export function checkTracked(settings: Settings, publishedIds: readonly string[]): Fact {
  const { daos, entities } = readRegistry(settings);
  const text = registryText(registryInForce(settings));
  if (daos.length === 0) return warn(`tracks no DAO: ${text}`, "Add DAOs to the registry, then run.");
  const published = new Set(publishedIds);
  if (published.size === 0 || daos.some(({ spaceId }) => published.has(spaceId))) {
    return fine(`${text}: ${daos.length} DAOs and ${entities.length} entities`);
  }
  return warn(
    `${text}: none of its ${daos.length} DAOs is among the ${published.size} published ones`,
    "Use the registry that was published from: --registry (GOVDATA_REGISTRY), or copy it over registry.yaml in the home.",
  );
}

/** The share of failed fetches above which the next version would mostly repeat old data. */
const FAILED_SHARE_MAX = 1 / 4;

export function judgeWarehouse(
  inspection: WarehouseInspection | undefined,
  daos: readonly TrackedDao[],
): Fact {
  if (inspection === undefined) return warn("nothing was fetched yet", "`govdata fetch` fills it.");
  const { version, records } = inspection;
  const failed = failedFetches(records, daos);
  if (failed.length === 0) return fine(`intact, version ${version}, ${records.length} fetches complete`);
  const message = `intact; ${failed.length} of ${records.length} newest fetches failed`;
  const missing = failed.filter(({ error }) => error?.code === "NOT_FOUND").length;
  const advice = ` The hub has no space for ${missing}: correct their ids in the registry, or set \`snapshot: none\`.`;
  const next = `\`govdata status\` shows which and why. The next run tries again.${missing === 0 ? "" : advice}`;
  return failed.length > FAILED_SHARE_MAX * records.length ? fail(message, next) : warn(message, next);
}

/** Whether the list of live opt-outs is readable and has not lost entries. */
export function checkOptOuts(settings: Settings): Fact {
  const { list, problem } = readLiveOptOuts(settings);
  if (problem !== undefined) return fail(`no entity is published: ${problem.message}`, LOST_LIST_HINT);
  if (!existsSync(optOutsPathOf(settings))) {
    return warn("there is no list yet", "`govdata init` or a first publish creates an empty one.");
  }
  const before = readState(settings).live_opt_outs ?? 0;
  if (list.count >= before) return fine(`the list is readable and has ${list.count} entries`);
  const next = "If nobody was removed with `govdata-proxy optout remove`, restore the newer file.";
  return warn(`${list.count} entries; at the last publish there were ${before}`, next);
}

/** How the home's last run ended: the published version may be recent while the next run will fail again. */
export function checkLastRun(settings: Settings): Fact {
  const outcome = readLastOutcome(settings);
  if (outcome === undefined) return fine("no run has ended in this home");
  if (outcome.error === null) return fine(outcomeText(outcome));
  const next =
    outcome.gates.length > 0
      ? "`govdata publish` shows what was compared, and the name for --allow once you have checked it."
      : "Read its output. Running again is always safe.";
  return warn(outcomeText(outcome), next);
}
