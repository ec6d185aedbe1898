import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { PipelineError } from "../facts/errors.ts";
import { putHomeFile } from "./atomic-write.ts";
import { homeFile, inHome } from "./home.ts";
import { readHolder } from "./lock.ts";
import type { RunEffects, Settings } from "./settings.ts";

const Count = z.int().min(0);

const Outcome = z.strictObject({
  ended_at: z.iso.datetime(),
  /** The code of its error; `null` where it published. */
  error: z.string().nullable(),
  /** The gates that refused, by their codes. */
  gates: z.array(z.string()),
});

/** What the last run took, by which the next one is told what it needs. */
const LastRun = z.strictObject({
  daos: Count,
  /** Of the last run that fetched; `null` where there was none. */
  fetch_ms: Count.nullable(),
  publish_ms: Count,
  /** The most that the process held; `null` where nobody could tell. */
  memory_bytes: Count.nullable(),
  /** Written anew: what is linked takes no room. `null` of a version that linked nothing, which tells nothing of the next. */
  version_bytes: Count.nullable(),
  /** Put aside in the home while it ran. */
  scratch_bytes: Count,
});

/** What a home remembers from one command to the next; `null` is what it never knew. Never published. */
const HomeState = z.strictObject({
  /** Entities that had opted out in the registry at the last publish. */
  opted_out_entities: Count.nullable(),
  /** Length of the list of live opt-outs at the last publish, or 0 as soon as there is a list. */
  live_opt_outs: Count.nullable(),
  last_outcome: Outcome.nullable(),
  /** Absent in what releases before it wrote. */
  last_run: LastRun.nullable().default(null),
});
type HomeState = z.output<typeof HomeState>;

/** What 0.6.0 kept in files of their own. They count until there is a state, and go with the first write of one. */
const EARLIER_FILES = {
  "last-run.json": z.strictObject({ opted_out_entities: Count }),
  "live-opt-outs.json": z.strictObject({ live_opt_outs: Count }),
  "last-outcome.json": Outcome.transform((last_outcome) => ({ last_outcome })),
} as const;

/** What this home remembers. Throws `PipelineError` HOME_INVALID: what cannot be read must not pass for "nobody opted out". */
export function readState(settings: Settings): HomeState {
  const path = homeFile(settings, "state");
  if (existsSync(path)) return parseFile(path, HomeState);
  const earlier = Object.entries(EARLIER_FILES).flatMap(([file, shape]) => {
    const own = join(settings.homeDirectory, file);
    try {
      return existsSync(own) ? [parseFile(own, shape)] : [];
    } catch (error) {
      // How a run ended was for people who look later: a note that cannot be read says nothing.
      if (file === "last-outcome.json") return [];
      throw error;
    }
  });
  const nothing = { opted_out_entities: null, live_opt_outs: null, last_outcome: null, last_run: null };
  return Object.assign(nothing, ...earlier);
}

function parseFile<Shape extends z.ZodType>(path: string, shape: Shape): z.output<Shape> {
  try {
    return shape.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const name = basename(path);
    throw new PipelineError("HOME_INVALID", `${name} in the home cannot be read`, {
      cause,
      hint: `Check the registry's opt-outs by hand, and the live ones with \`govdata-proxy optout list\`; then delete ${name}.`,
    });
  }
}

/** Remembers something beside all that is remembered. Throws `PipelineError` HOME_INVALID; nothing is forgotten then. */
export function remember(settings: Settings, change: Partial<HomeState>): void {
  const state = HomeState.parse({ ...readState(settings), ...change });
  inHome(settings, () => {
    putHomeFile(homeFile(settings, "state"), Buffer.from(`${JSON.stringify(state, null, 2)}\n`));
    for (const file of Object.keys(EARLIER_FILES))
      rmSync(join(settings.homeDirectory, file), { force: true });
  });
}

/** How the last `run` or `publish` of a home ended. */
type LastOutcome = NonNullable<ReturnType<typeof readLastOutcome>>;

/** Does what publishes, and notes in the home how it ended; a run that found another at work is not the last one. */
export async function notingOutcome<Result>(
  settings: Settings,
  { nowMs }: Pick<RunEffects, "nowMs">,
  action: () => Promise<Result>,
): Promise<Result> {
  const note = (error: string | null, gates: readonly string[]): void => {
    // Whoever is at work holds the state, and its end is the one that counts.
    if (readHolder(settings)?.isAlive === true) return;
    try {
      remember(settings, { last_outcome: { ended_at: timestampOf(nowMs()), error, gates: [...gates] } });
    } catch {
      // It is for people who look later: no run fails for it, and its own error is what counts.
    }
  };
  try {
    const result = await action();
    note(null, []);
    return result;
  } catch (error) {
    const { code, gates } = error instanceof PipelineError ? error : { code: "UNEXPECTED", gates: [] };
    if (code !== "PUBLISH_LOCKED") note(code, gates);
    throw error;
  }
}

/** What was noted; `undefined` where nothing was, or nothing that can be read. */
export function readLastOutcome(settings: Settings) {
  try {
    const { last_outcome: last } = readState(settings);
    return last === null ? undefined : { endedAt: last.ended_at, error: last.error, gates: last.gates };
  } catch {
    return undefined;
  }
}

/** The outcome in a few words, as `refused at 2026-11-21T19:26:00.000Z: VOTES_FELL`. */
export function outcomeText({ endedAt, error, gates }: LastOutcome): string {
  if (error === null) return `published at ${endedAt}`;
  return gates.length > 0 ? `refused at ${endedAt}: ${gates.join(", ")}` : `failed at ${endedAt}: ${error}`;
}
