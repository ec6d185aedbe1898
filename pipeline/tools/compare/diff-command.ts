import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { parseDay, parseNumber, parseWhole } from "../../cli/options/parse-options.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { versionOption } from "../tool-options.ts";
import type { RequestedDays } from "./diff-days.ts";

interface DiffFlags {
  readonly minDelta: string;
  readonly days?: string;
  readonly from?: string;
  readonly to?: string;
  readonly version?: string;
}

/** A history covers a year. */
const DAYS_MAX = 364;

/** The requested days; `undefined` for versions. Throws `BAD_OPTION`. */
function requestedDays(
  versions: readonly (string | undefined)[],
  { days, from, to, version }: DiffFlags,
): RequestedDays | undefined {
  const named = versions.filter((each) => each !== undefined).length;
  const isOfDays = days !== undefined || from !== undefined;
  const isClear = isOfDays
    ? named === 0 && (days === undefined || from === undefined)
    : named === 2 && to === undefined && version === undefined;
  if (!isClear) {
    throw pipelineFailure("BAD_OPTION", "diff compares two versions or two days", {
      hint: "Write `diff A B`, `diff --days 30`, or `diff --from DAY [--to DAY]`; --version selects the version whose history is used.",
    });
  }
  const last = to === undefined ? undefined : parseDay("--to", to);
  if (from !== undefined) return { from: parseDay("--from", from), to: last };
  return days === undefined ? undefined : { days: parseWhole("--days", days, 1, DAYS_MAX), to: last };
}

/** `govdata diff A B --min-delta X`, `govdata diff --days N`, `govdata diff --from DAY --to DAY` */
export const diffCommand = command({
  name: "diff",
  description: "print which scores moved between two versions or two days, by how much, and why",
  details:
    "Days are those of the history of one version, so no older version is needed. Their indicators are those of the proposals as that version measures them; what a component moved beyond them is `unexplained`.",
  example:
    "govdata diff --days 30\n  govdata diff previous current --min-delta 0.1\n  govdata diff previous current --json | jq '.daos[].spaceId'",
  takes: (made) =>
    made
      .argument("[from]", "a kept version, or `previous`")
      .argument("[to]", "a kept version, or `current`")
      .option("--days <n>", "the last day that has ended, against the one so many days before")
      .option("--from <day>", "a day of the history (YYYY-MM-DD), against --to")
      .option("--to <day>", "a later day (default: the last that has ended)")
      .addOption(versionOption())
      .option("--min-delta <points>", "only DAOs whose gvs moved by at least this many points", "0"),
  async run(
    { settings }: CommandContext,
    from: string | undefined,
    to: string | undefined,
    flags: DiffFlags,
  ) {
    const minDelta = parseNumber("--min-delta", flags.minDelta, 0, 10);
    const wanted = requestedDays([from, to], flags);
    const isOfDays = wanted !== undefined;
    if (isOfDays) {
      const { runDiffDays } = await import("./diff-days.ts");
      return { diff: await runDiffDays(settings, { wanted, minDelta, version: flags.version }), isOfDays };
    }
    const { runDiff } = await import("./diff.ts");
    return { diff: await runDiff(settings, { from: from ?? "", to: to ?? "", minDelta }), isOfDays };
  },
  text: async ({ diff, isOfDays }) => (await import("./format-diff.ts")).formatDiff(diff, isOfDays),
  json: ({ diff }) => diff,
});
