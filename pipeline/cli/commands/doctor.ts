import type { Command } from "commander";
import { runDoctor } from "../../run/doctor.ts";
import { contextOf, describedCommand, type ExitWith, type ProcessContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { formatDiagnosis } from "../format-diagnosis.ts";
import { parseWhole } from "../parse-options.ts";

/** `govdata doctor --max-age H` */
export function doctorCommand(process: ProcessContext, exitWith: ExitWith): Command {
  return describedCommand(
    "doctor",
    "look at everything a run needs, and say what to do; changes nothing, exit 1 on a fail",
    "govdata doctor --max-age 26\n  govdata doctor --json | jq '.checks[] | select(.verdict != \"ok\")'",
  )
    .option("--max-age <hours>", "how old the current version may be")
    .action(async (flags: { maxAge?: string }, self: Command) => {
      const context = contextOf(self, process);
      const maxAgeHours =
        flags.maxAge === undefined ? undefined : parseWhole("--max-age", flags.maxAge, 1, 100_000);
      const diagnosis = await runDoctor(context.settings, { nowMs: process.nowMs(), maxAgeHours });
      context.print(formatDiagnosis(diagnosis), diagnosis);
      if (diagnosis.worst === "fail") exitWith(EXIT.failed);
    });
}
