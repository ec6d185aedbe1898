import { type DoctorCheck, fine, warn } from "./doctor-check.ts";
import { outcomeWords, readLastOutcome } from "./last-outcome.ts";
import type { Settings } from "./settings.ts";

/** How the last run of the home ended: what is published may be whole and young, and the next run fail all the same. */
export function judgeLastRun(settings: Settings): DoctorCheck {
  const outcome = readLastOutcome(settings);
  if (outcome === undefined) return fine("last run", "none has ended in this home");
  const said = outcomeWords(outcome);
  if (outcome.error === null) return fine("last run", said);
  const next =
    outcome.gates.length > 0
      ? "`govdata publish` tells what was compared, and the name that lets it pass once you have looked."
      : "Look at its output; running again is always safe.";
  return warn("last run", said, next);
}
