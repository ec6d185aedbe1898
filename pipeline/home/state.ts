import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { PipelineError } from "../facts/errors.ts";
import { inHome } from "./home.ts";
import type { RunEffects, Settings } from "./settings.ts";

/** How many live opt-outs were seen last, so that a list that shrank is noticed. */
export const MEMORY_FILE = "live-opt-outs.json";

/** How long the list was when it was last looked at; its being there says that there is a list. Never published. */
const Memory = z.strictObject({ live_opt_outs: z.int().min(0) });

/** Length of the list at the last publish from this home; `undefined` before this home had one. */
export function rememberedLiveOptOuts({ homeDirectory }: Settings): number | undefined {
  const path = join(homeDirectory, MEMORY_FILE);
  if (!existsSync(path)) return undefined;
  try {
    return Memory.parse(JSON.parse(readFileSync(path, "utf8"))).live_opt_outs;
  } catch (cause) {
    throw new PipelineError("HOME_INVALID", `${MEMORY_FILE} in the home cannot be read`, {
      cause,
      hint: `Check with \`govdata-proxy optout list\` that no opt-out is gone, then delete ${MEMORY_FILE}.`,
    });
  }
}

/** Remembers how long the list is; throws `PipelineError` HOME_INVALID. */
export function rememberLiveOptOuts({ homeDirectory }: Settings, count: number): void {
  const path = join(homeDirectory, MEMORY_FILE);
  const text = `${JSON.stringify(Memory.parse({ live_opt_outs: count }))}\n`;
  inHome(homeDirectory, () => {
    mkdirSync(homeDirectory, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  });
}

const LAST_RUN_FILE = "last-run.json";

/** What one run remembers for the next; never published. */
const LastRun = z.strictObject({ opted_out_entities: z.int().min(0) });

/** How many entities had opted out at the last publish from this home; `undefined` before the first. */
export function rememberedOptOuts(settings: Settings): number | undefined {
  const path = join(settings.homeDirectory, LAST_RUN_FILE);
  if (!existsSync(path)) return undefined;
  try {
    return LastRun.parse(JSON.parse(readFileSync(path, "utf8"))).opted_out_entities;
  } catch (cause) {
    // A memory that cannot be read must not pass for "nobody had opted out".
    throw new PipelineError("HOME_INVALID", `${LAST_RUN_FILE} in the home cannot be read`, {
      cause,
      hint: `Check the registry's opt-outs by hand, then delete ${LAST_RUN_FILE}.`,
    });
  }
}

/** Remembers the number of opted-out entities for the next run; throws `PipelineError` HOME_INVALID. */
export function rememberOptOuts(settings: Settings, count: number): void {
  const path = join(settings.homeDirectory, LAST_RUN_FILE);
  const text = `${JSON.stringify(LastRun.parse({ opted_out_entities: count }))}\n`;
  inHome(settings.homeDirectory, () => {
    writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  });
}

const OUTCOME_FILE = "last-outcome.json";

const Outcome = z.strictObject({
  ended_at: z.iso.datetime(),
  error: z.string().nullable(),
  gates: z.array(z.string()),
});

/** How the last `run` or `publish` of a home ended. */
export interface LastOutcome {
  readonly endedAt: string;
  /** The code of its error; `null` where it published. */
  readonly error: string | null;
  /** The gates that refused, by their codes. */
  readonly gates: readonly string[];
}

function note({ homeDirectory }: Settings, outcome: z.output<typeof Outcome>): void {
  const path = join(homeDirectory, OUTCOME_FILE);
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(Outcome.parse(outcome))}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // It is for people who look later: no run fails for it, and its own error is what counts.
  }
}

/** Does what publishes, and notes in the home how it ended; a run that found another at work is not the last one. */
export async function notingOutcome<Result>(
  settings: Settings,
  { nowMs }: Pick<RunEffects, "nowMs">,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await action();
    note(settings, { ended_at: timestampOf(nowMs()), error: null, gates: [] });
    return result;
  } catch (error) {
    const { code, gates } = error instanceof PipelineError ? error : { code: "UNEXPECTED", gates: [] };
    if (code !== "PUBLISH_LOCKED") {
      note(settings, { ended_at: timestampOf(nowMs()), error: code, gates: [...gates] });
    }
    throw error;
  }
}

/** What was noted; `undefined` where nothing was, or nothing that can be read. */
export function readLastOutcome({ homeDirectory }: Settings): LastOutcome | undefined {
  try {
    const { ended_at, error, gates } = Outcome.parse(
      JSON.parse(readFileSync(join(homeDirectory, OUTCOME_FILE), "utf8")),
    );
    return { endedAt: ended_at, error, gates };
  } catch {
    return undefined;
  }
}

/** The outcome in a few words, as `refused at 2026-11-21T19:26:00.000Z: VOTES_FELL`. */
export function outcomeWords({ endedAt, error, gates }: LastOutcome): string {
  if (error === null) return `published at ${endedAt}`;
  return gates.length > 0 ? `refused at ${endedAt}: ${gates.join(", ")}` : `failed at ${endedAt}: ${error}`;
}
