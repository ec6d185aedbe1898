import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import type { RunEffects } from "./effects.ts";
import type { Settings } from "./settings.ts";

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

/** What a refusal names at the beginning of its lines. */
const GATE_LINE = /^ {2}([A-Z][A-Z_]+): /gm;

function gatesOf(error: unknown): readonly string[] {
  if (!(error instanceof PipelineError && error.code === "GATE_REFUSED")) return [];
  return [...new Set([...error.message.matchAll(GATE_LINE)].map(([, code = ""]) => code))];
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
    const code = error instanceof PipelineError ? error.code : "UNEXPECTED";
    if (code !== "PUBLISH_LOCKED") {
      note(settings, { ended_at: timestampOf(nowMs()), error: code, gates: [...gatesOf(error)] });
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
