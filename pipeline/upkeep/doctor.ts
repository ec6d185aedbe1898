import { isPipelineFailure } from "../facts/errors.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { diskTroubleHint } from "../home/atomic-write.ts";
import { readRegistry } from "../home/home.ts";
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
  lookIntoWarehouse,
  type MachineState,
  readMachine,
} from "./doctor-home.ts";
import {
  checkLeftovers,
  checkPublished,
  checkSigning,
  judgeAge,
  judgeClock,
  judgeVersion,
  publishedDaosOf,
} from "./doctor-published.ts";
import { checkNodes, checkSources, type NamedSources } from "./doctor-sources.ts";

/** The results of all checks, one per area; contains no paths. */
export type Diagnosis = Awaited<ReturnType<typeof runDoctor>>;

/** `govdata doctor`: checks everything that a run needs, and changes nothing. */
export async function runDoctor(
  settings: Settings,
  options: {
    nowMs: number;
    maxAgeHours: number | undefined;
    machine?: MachineState;
    /** Throws `BAD_OPTION` for invalid variables. */
    namedSources?: () => NamedSources | undefined;
  },
) {
  const { nowMs, maxAgeHours, machine = readMachine(settings.packageDirectory) } = options;
  const { namedSources = () => undefined } = options;
  // A failure here becomes the result of one check; the others do without it.
  const published = checkPublished(settings, machine);
  const current = await published.catch(() => undefined);
  const warehouse = lookIntoWarehouse(settings);
  const fetches = await warehouse.then((found) => found?.records ?? []).catch(() => []);
  // In the order of their lines.
  const checksOf: Readonly<Record<string, () => Found | Promise<Found>>> = {
    node: () => checkNode(machine),
    home: () => checkHome(settings, machine),
    rights: () => checkRights(settings, machine),
    disk: () => checkDisk(settings, machine, current?.verification.bytes ?? 0),
    registry: async () => checkRegistry(settings, await publishedDaosOf(settings, current)),
    sources: () => checkSources(settings, namedSources(), () => nowMs),
    nodes: () => checkNodes(settings, namedSources(), () => nowMs),
    warehouse: async () => judgeWarehouse(await warehouse, trackedDaos(settings)),
    "opt-outs": () => checkOptOuts(settings),
    version: async () => judgeVersion(await published),
    age: () => judgeAge(current, { nowMs, maxAgeHours }),
    "last run": () => judgeLastRun(settings),
    signing: () => checkSigning(settings, current),
    clock: () => judgeClock(nowMs, current, fetches),
    leftovers: () =>
      published.then(
        (found) => checkLeftovers(settings, machine, found),
        () => fine("not checked while the pointer is unreadable"),
      ),
  };
  const checks: ({ readonly area: string } & Found)[] = [];
  for (const [area, check] of Object.entries(checksOf)) checks.push({ area, ...(await checked(check)) });
  const verdicts = checks.map(({ verdict }) => verdict);
  const worst = (["fail", "warn"] as const).find((verdict) => verdicts.includes(verdict)) ?? "ok";
  return { worst, checks };
}

/** None if the registry is unreadable, which is a check of its own. */
function trackedDaos(settings: Settings): readonly TrackedDao[] {
  try {
    return readRegistry(settings).daos;
  } catch (error) {
    if (isPipelineFailure(error)) return [];
    throw error;
  }
}

const VERBOSE_HINT = "Run the command again with -v to see the cause.";

/** Runs a check; an expected failure becomes its result, and system errors are reported without paths. */
async function checked(check: () => Found | Promise<Found>): Promise<Found> {
  try {
    return await check();
  } catch (error) {
    if (isPipelineFailure(error)) return fail(error.message, error.hint ?? VERBOSE_HINT);
    // The system's message would contain paths of this machine: report only its code.
    if (error instanceof Error && "code" in error) {
      const code = String(error.code);
      return fail(`cannot be checked (${code})`, diskTroubleHint(code) ?? VERBOSE_HINT);
    }
    throw error;
  }
}
