import { existsSync } from "node:fs";
import { errorCode } from "../../snapshots/base/failure.ts";
import { isPipelineFailure } from "../facts/errors.ts";
import { diskTroubleHint } from "../home/atomic-write.ts";
import { homeFile } from "../home/home.ts";
import { readRegistry } from "../home/read-registry.ts";
import type { Settings } from "../home/settings.ts";
import { inspectWarehouse } from "../warehouse/warehouse-reader.ts";
import * as home from "./check-home.ts";
import * as version from "./check-published.ts";
import { checkDelegates, checkNodes, checkSources, type NamedSources } from "./check-sources.ts";

/** All facts, one per area, and the worst verdict; contains no paths. */
export type Diagnosis = Awaited<ReturnType<typeof runDoctor>>;

/** `govdata doctor`: checks everything that a run needs, and changes nothing. */
export async function runDoctor(
  settings: Settings,
  options: {
    readonly nowMs: number;
    readonly maxAgeHours: number | undefined;
    /** Throws `BAD_OPTION` for invalid variables. */
    readonly namedSources: () => NamedSources | undefined;
  },
) {
  const { nowMs, maxAgeHours, namedSources } = options;
  const clock = { nowMs: () => nowMs };
  // Read once. A failure becomes the fact of one area; the others do without it.
  const published = version.readPublished(settings);
  const current = await published.catch(() => undefined);
  const publishedMs = current && Date.parse(current.pointer.published_at);
  const path = homeFile(settings, "warehouse");
  const warehouse = (async () => (existsSync(path) ? inspectWarehouse(path) : undefined))();
  const records = (await warehouse.catch(() => undefined))?.records ?? [];
  const fetchedMs = records.map(({ fetchedAtMs }) => fetchedAtMs);
  const daos = async () => readRegistry(settings).daos;
  // In the order of their lines.
  const areas: Readonly<Record<string, () => home.Fact | Promise<home.Fact>>> = {
    node: () => home.checkNode(settings),
    home: () => home.checkHome(settings),
    rights: () => home.checkRights(settings),
    disk: () => home.checkDisk(settings, current?.bytes ?? 0),
    registry: () => home.checkTracked(settings, current?.spaceIds ?? []),
    sources: () => checkSources(settings, namedSources(), clock),
    nodes: () => checkNodes(settings, namedSources(), clock),
    delegates: () => checkDelegates(settings, namedSources(), clock),
    warehouse: async () => home.judgeWarehouse(await warehouse, await daos().catch(() => [])),
    "opt-outs": () => home.checkOptOuts(settings),
    version: async () => version.judgeVersion(await published),
    age: () => version.judgeAge(publishedMs && (nowMs - publishedMs) / 3_600_000, maxAgeHours),
    "last run": () => home.checkLastRun(settings),
    signing: () => version.checkSigning(settings, current),
    clock: () => version.judgeClock(nowMs, publishedMs, fetchedMs),
    leftovers: () =>
      published.then(
        (read) => version.checkLeftovers(settings, read),
        () => home.fine("not checked while the pointer is unreadable"),
      ),
  };
  const checks: ({ readonly area: string } & home.Fact)[] = [];
  for (const [area, check] of Object.entries(areas)) checks.push({ area, ...(await factOf(check)) });
  const verdicts = checks.map(({ verdict }) => verdict);
  const worst = (["fail", "warn"] as const).find((verdict) => verdicts.includes(verdict)) ?? "ok";
  return { worst, checks };
}

const VERBOSE_HINT = "Run the command again with -v to see the cause.";

/** Runs a check; an expected failure becomes its fact, and system errors are reported without paths. */
async function factOf(check: () => home.Fact | Promise<home.Fact>): Promise<home.Fact> {
  try {
    return await check();
  } catch (error) {
    if (isPipelineFailure(error)) return home.fail(error.message, error.hint ?? VERBOSE_HINT);
    // The system's message would contain paths of this machine: report only its code.
    const code = errorCode(error);
    if (code === undefined) throw error;
    return home.fail(`cannot be checked (${code})`, diskTroubleHint(code) ?? VERBOSE_HINT);
  }
}
