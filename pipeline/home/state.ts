import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import { homeFile, inHome, writeHomeFile } from "./home.ts";
import { readHolder } from "./lock.ts";
import type { RunEffects, Settings } from "./settings.ts";

const Count = z.int().min(0);

const Outcome = z.strictObject({
  ended_at: z.iso.datetime(),
  /** The code of its error; `null` if it published. */
  error: z.string().nullable(),
  gates: z.array(z.string()),
});

/** The resources that the last run used, from which those of the next run are estimated. */
const LastRun = z.strictObject({
  daos: Count,
  /** Of the last run that fetched; `null` if there was none. */
  fetch_ms: Count.nullable(),
  publish_ms: Count,
  memory_bytes: Count.nullable(),
  /** Bytes written, without hard-linked files. `null` if nothing was linked, which says nothing about the next version. */
  version_bytes: Count.nullable(),
  /** Temporary files in the home while it ran. */
  home_bytes: Count,
});

/** What a home remembers between commands; `null` means unknown. Never published. */
const HomeState = z.strictObject({
  /** Entities that had opted out in the registry at the last publish. */
  opted_out_entities: Count.nullable(),
  /** Length of the list of live opt-outs at the last publish, or 0 as soon as there is a list. */
  live_opt_outs: Count.nullable(),
  last_outcome: Outcome.nullable(),
  /** Absent in files of earlier releases. */
  last_run: LastRun.nullable().default(null),
});
type HomeState = z.output<typeof HomeState>;

/** Files of 0.6.0 with parts of the state: read until there is a state file, and deleted when one is first written. */
const EARLIER_FILES = {
  "last-run.json": z.strictObject({ opted_out_entities: Count }),
  "live-opt-outs.json": z.strictObject({ live_opt_outs: Count }),
} as const;
/** How the last run ended is only informative, and not taken over. */
const EARLIER_OUTCOME = "last-outcome.json";

/** Reads the state. Throws `HOME_INVALID`, because a damaged file must not count as "nobody opted out". */
export function readState(settings: Settings): HomeState {
  const path = homeFile(settings, "state");
  if (existsSync(path)) return parseFile(path, HomeState);
  const nothing = { opted_out_entities: null, live_opt_outs: null, last_outcome: null, last_run: null };
  const earlier = Object.entries(EARLIER_FILES).map(([file, shape]) => {
    const path = join(settings.homeDirectory, file);
    return existsSync(path) ? parseFile(path, shape) : {};
  });
  return Object.assign(nothing, ...earlier);
}

function parseFile<Shape extends z.ZodType>(path: string, shape: Shape): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const name = basename(path);
    throw pipelineFailure("HOME_INVALID", `${name} in the home cannot be read`, {
      cause,
      hint: `Check the registry's opt-outs by hand, and the live ones with \`govdata-proxy optout list\`; then delete ${name}.`,
    });
  }
}

/** Changes parts of the state. Throws `HOME_INVALID` and then changes nothing. */
export function updateState(settings: Settings, change: Partial<HomeState>): void {
  const state = HomeState.parse({ ...readState(settings), ...change });
  writeHomeFile(settings, "state", `${JSON.stringify(state, null, 2)}\n`);
  inHome(settings, () => {
    for (const file of [...Object.keys(EARLIER_FILES), EARLIER_OUTCOME])
      rmSync(join(settings.homeDirectory, file), { force: true });
  });
}

type LastOutcome = NonNullable<ReturnType<typeof readLastOutcome>>;

/** Runs `action`, which publishes, and stores its outcome, unless another run held the lock. */
export async function recordingOutcome<Result>(
  settings: Settings,
  { nowMs }: Pick<RunEffects, "nowMs">,
  action: () => Promise<Result>,
): Promise<Result> {
  const note = (error: string | null, gates: readonly string[]): void => {
    // If another run is active, its outcome counts.
    if (readHolder(settings)?.isAlive === true) return;
    try {
      updateState(settings, { last_outcome: { ended_at: timestampOf(nowMs()), error, gates: [...gates] } });
    } catch {
      // The note is only informative: it must not fail the run or hide its error.
    }
  };
  try {
    const result = await action();
    note(null, []);
    return result;
  } catch (error) {
    const failure = isPipelineFailure(error) ? error : undefined;
    if (failure?.code !== "PUBLISH_LOCKED") note(failure?.code ?? "UNEXPECTED", failure?.data?.gates ?? []);
    throw error;
  }
}

/** The stored outcome; `undefined` if there is none or it cannot be read. */
export function readLastOutcome(settings: Settings) {
  try {
    const { last_outcome: last } = readState(settings);
    return last === null ? undefined : { endedAt: last.ended_at, error: last.error, gates: last.gates };
  } catch {
    return undefined;
  }
}

/** The outcome as text, such as `refused at 2026-11-21T19:26:00.000Z: VOTES_FELL`. */
export function outcomeText({ endedAt, error, gates }: LastOutcome): string {
  if (error === null) return `published at ${endedAt}`;
  return gates.length > 0 ? `refused at ${endedAt}: ${gates.join(", ")}` : `failed at ${endedAt}: ${error}`;
}
