import { checked, DOCTOR_AREAS, type DoctorArea, type DoctorCheck, fine } from "./doctor-check.ts";
import { checkDisk, checkHome, checkNode, checkRights } from "./doctor-machine.ts";
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
import { checkOptOuts, checkRegistry, judgeWarehouse, lookIntoWarehouse } from "./doctor-stores.ts";
import { judgeLastRun } from "./judge-last-run.ts";
import { lookAtMachine, type MachineSight } from "./machine-sight.ts";
import type { Settings } from "./settings.ts";

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
