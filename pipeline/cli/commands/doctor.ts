import { wrap } from "../../../snapshots/base/command-line/table.ts";
import type { Diagnosis } from "../../upkeep/doctor.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { maxAgeHoursOf } from "../options/parse-options.ts";
import { sourcesOfVariables } from "../options/source-options.ts";
import { EXIT } from "../terminal/exit-codes.ts";

const AREA_COLUMNS = 10;

function formatDiagnosis({ checks }: Diagnosis): string {
  const lines = checks.map(({ area, verdict, message, next }) => {
    const header = `${verdict.padEnd(4)}  ${area.padEnd(AREA_COLUMNS)}  `;
    const text = message
      .split("\n")
      .map((line, index) => wrap(line, index === 0 ? header : " ".repeat(header.length)))
      .join("");
    return next === undefined ? text : `${text}${wrap(next, `${" ".repeat(header.length)}-> `)}`;
  });
  const count = (wanted: string): number => checks.filter(({ verdict }) => verdict === wanted).length;
  return `${lines.join("")}\n${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail\n`;
}

export const doctorCommand = command({
  name: "doctor",
  description: "check everything a run needs and say what to do; exit 1 on a failure",
  details:
    "Checks Node, permissions, disk, registry, sources (one request to the hub and to each chain node), stores, the published version, the last run and the clock. Changes nothing.",
  example:
    "govdata doctor --max-age 26\n  govdata doctor --json | jq '.checks[] | select(.verdict != \"ok\")'",
  takes: (made) => made.option("--max-age <hours>", "highest allowed age of the current version"),
  async run({ settings, nowMs, environment }: CommandContext, flags: { maxAge?: string }) {
    const maxAgeHours = maxAgeHoursOf(flags);
    const { runDoctor } = await import("../../upkeep/doctor.ts");
    return runDoctor(settings, {
      nowMs: nowMs(),
      maxAgeHours,
      namedSources: () => sourcesOfVariables(environment),
    });
  },
  text: formatDiagnosis,
  exit: ({ worst }) => (worst === "fail" ? EXIT.failed : EXIT.done),
});
