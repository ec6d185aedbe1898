import { PipelineError } from "../facts/errors.ts";
import { diskTroubleHint } from "../home/atomic-write.ts";
import type { Settings } from "../home/settings.ts";
import {
  checkDisk,
  checkHome,
  checkNode,
  checkOptOuts,
  checkRegistry,
  checkRights,
  type Found,
  fail,
  fine,
  judgeLastRun,
  judgeWarehouse,
  lookAtMachine,
  lookIntoWarehouse,
  type MachineSight,
} from "./doctor-home.ts";
import {
  checkLeftovers,
  checkSigning,
  judgeAge,
  judgeClock,
  judgeVersion,
  lookAtPublished,
  publishedDaosOf,
} from "./doctor-published.ts";
import { checkNodes, checkSources, type NamedSources } from "./doctor-sources.ts";

/** What is looked at; one line each, in this order. */
export const DOCTOR_AREAS = [
  "node",
  "home",
  "rights",
  "disk",
  "registry",
  "sources",
  "nodes",
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

/** Everything that was looked at, one check an area; it holds no path. */
export type Diagnosis = Awaited<ReturnType<typeof runDoctor>>;

/** `govdata doctor`: looks at everything a run needs, and changes nothing. */
export async function runDoctor(
  settings: Settings,
  options: {
    nowMs: number;
    maxAgeHours: number | undefined;
    sight?: MachineSight;
    /** Throws `PipelineError` BAD_OPTION for variables that cannot be meant. */
    namedSources?: () => NamedSources | undefined;
  },
) {
  const { nowMs, maxAgeHours, sight = lookAtMachine(settings.packageDirectory) } = options;
  const { namedSources = () => undefined } = options;
  // What fails here is the answer of one look; the others go on without it.
  const published = lookAtPublished(settings, sight);
  const current = await published.catch(() => undefined);
  const warehouse = lookIntoWarehouse(settings);
  const fetches = await warehouse.then((found) => found?.records ?? []).catch(() => []);
  const looks: Readonly<Record<DoctorArea, () => Found | Promise<Found>>> = {
    node: () => checkNode(sight),
    home: () => checkHome(settings, sight),
    rights: () => checkRights(settings, sight),
    disk: () => checkDisk(settings, sight, current?.verification.bytes ?? 0),
    registry: async () => checkRegistry(settings, await publishedDaosOf(settings, current)),
    sources: () => checkSources(settings, namedSources(), () => nowMs),
    nodes: () => checkNodes(settings, namedSources(), () => nowMs),
    warehouse: async () => judgeWarehouse(await warehouse),
    "opt-outs": () => checkOptOuts(settings),
    version: async () => judgeVersion(await published),
    age: () => judgeAge(current, { nowMs, maxAgeHours }),
    "last run": () => judgeLastRun(settings),
    signing: () => checkSigning(settings, current),
    clock: () => judgeClock(nowMs, current, fetches),
    leftovers: () =>
      published.then(
        (found) => checkLeftovers(settings, sight, found),
        () => fine("not looked for while the pointer cannot be read"),
      ),
  };
  const checks: ({ readonly area: DoctorArea } & Found)[] = [];
  for (const area of DOCTOR_AREAS) checks.push({ area, ...(await checked(looks[area])) });
  const verdicts = checks.map(({ verdict }) => verdict);
  const worst = (["fail", "warn"] as const).find((verdict) => verdicts.includes(verdict)) ?? "ok";
  return { worst, checks };
}

const LOOK = "Run the command again with -v to see where it comes from.";

/** Takes a look; an expected failure in it is its answer, and anything else is told as far as it names no path. */
async function checked(look: () => Found | Promise<Found>): Promise<Found> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof PipelineError) return fail(error.message, error.hint ?? LOOK);
    // What the system says would name paths of the machine: its code is enough.
    if (error instanceof Error && "code" in error) {
      const code = String(error.code);
      return fail(`cannot be looked at (${code})`, diskTroubleHint(code) ?? LOOK);
    }
    throw error;
  }
}
