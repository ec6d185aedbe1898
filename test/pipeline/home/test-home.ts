import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEffects, Settings } from "../../../pipeline/home/settings.ts";
import { PACKAGE_DIRECTORY } from "../cli/stand.ts";

/** Settings with a home of their own that contains these files; it is removed with the folder of the test run. */
export function testHome(
  files: Readonly<Record<string, string>> = {},
  change: Partial<Settings> = {},
): Settings {
  const root = mkdtempSync(join(tmpdir(), "govdata-home-"));
  const homeDirectory = join(root, "home");
  mkdirSync(homeDirectory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(homeDirectory, name), text);
  return {
    homeDirectory,
    snapshotsDirectory: join(root, "published"),
    registryPath: undefined,
    packageDirectory: PACKAGE_DIRECTORY,
    ...change,
  };
}

/** Effects of a run, and what it reports through them. */
export function recordedEffects(change: Partial<RunEffects> = {}) {
  const steps: unknown[][] = [];
  const ticks: unknown[][] = [];
  const warnings: string[] = [];
  const causes: unknown[] = [];
  const effects: RunEffects = {
    nowMs: () => 7,
    runId: "0123456789abcdef",
    progress: {
      step: (...step) => void steps.push(step),
      tick: (...tick) => void ticks.push(tick),
      warn(message, cause) {
        warnings.push(message);
        causes.push(cause);
      },
    },
    ...change,
  };
  return { effects, steps, ticks, warnings, causes };
}
