import { formatTable, indented, right, wrap } from "../../../snapshots/base/command-line/table.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { parseDay, parseNumber, parseWhole } from "../../cli/options/parse-options.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { formatChange, inBrackets, POINTS_SHOWN_MIN, rangeText, shortId, spell } from "../spell.ts";
import { versionOption } from "../tool-options.ts";
import type { VersionDiff } from "./diff.ts";
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
  const named = versions.filter((version) => version !== undefined).length;
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
      const { diffDays, readDays } = await import("./diff-days.ts");
      const { whole, days } = await readDays(settings, wanted, flags.version);
      return { diff: diffDays(whole, days, minDelta), isOfDays };
    }
    const { runDiff } = await import("./diff.ts");
    return { diff: await runDiff(settings, { from: from ?? "", to: to ?? "", minDelta }), isOfDays };
  },
  text: ({ diff, isOfDays }) => formatDiff(diff, isOfDays),
  json: ({ diff }) => diff,
});

type Dao = VersionDiff["daos"][number];
type Component = Dao["components"][number];

const NAMED = 3;
const SPACE_COLUMNS = 22;

const shortSpace = (id: string): string =>
  id.length <= SPACE_COLUMNS ? id : `${id.slice(0, SPACE_COLUMNS - 1)}…`;

function moved({ before, after }: Dao["gvs"], decimals: number): string {
  const written = (value: number | undefined): string => value?.toFixed(decimals) ?? "-";
  return rangeText(written(before), written(after), " to ");
}

const FATES: Readonly<Record<Dao["fate"], string>> = {
  appeared: "new",
  vanished: "gone",
  scored: "scored now",
  unscored: "no score now",
  moved: "",
};

function changeOf({ fate, gvs }: Dao): string {
  if (fate !== "moved") return FATES[fate];
  return gvs.before === undefined || gvs.after === undefined ? "-" : formatChange(gvs.after - gvs.before);
}

function formatDaos(daos: readonly Dao[]): string {
  return formatTable(daos, [
    { heading: "space", cell: ({ spaceId }) => shortSpace(spaceId) },
    {
      heading: "gvs",
      cell: ({ gvs, interval }) => `${moved(gvs, 2)}${interval ? ` ${inBrackets(...interval)}` : ""}`,
    },
    right("change", changeOf),
    { heading: "rank", cell: ({ rank }) => moved(rank, 0) },
    { heading: "risk", cell: ({ risk }) => moved(risk, 1) },
  ]);
}

const isShown = (points: number): boolean => Math.abs(points) >= POINTS_SHOWN_MIN;

function formatComponent({ key, before, after, gvsPoints, ...causes }: Component): string {
  if (before.toFixed(2) === after.toFixed(2)) return "";
  const inGvs = gvsPoints === undefined ? "" : `, ${formatChange(gvsPoints)} in gvs`;
  const known = [{ id: "presence", points: causes.presence }, ...causes.indicators]
    .filter(({ points }) => isShown(points))
    .map(({ id, points }) => `${spell.word(id)} ${formatChange(points)}`);
  const rest = [
    { points: causes.notKnown, what: "from unknown data" },
    { points: causes.unexplained, what: "not explained by any proposal" },
  ].flatMap(({ points, what }) => (isShown(points) ? [`${formatChange(points)} ${what}`] : []));
  const why = [...known, ...rest].join(", ");
  return wrap(`${key} ${moved({ before, after }, 2)}${inGvs}${why === "" ? "" : `: ${why}`}`, "  ");
}

const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}`;

/** Proposals grouped by their note, a few of each group listed. */
function named<Item extends { readonly id: string }>(
  header: string,
  items: readonly Item[],
  note: (item: Item) => string,
): string {
  const notes = [...new Set(items.map(note))];
  const lines = notes.slice(0, NAMED).map((line) => {
    const ids = items.filter((item) => note(item) === line).map(({ id }) => shortId(id));
    return wrap(`${header} (${line}): ${firstOf(ids)}`, "  ");
  });
  const rest = notes.slice(NAMED);
  const others = items.filter((item) => rest.includes(note(item))).length;
  return `${lines.join("")}${others === 0 ? "" : wrap(`${header} otherwise: ${others}`, "  ")}`;
}

function formatWhy(dao: Dao): string {
  const { spaceId, presence, components, frame, completeness } = dao;
  const inGvs = presence?.gvsPoints === undefined ? "" : `, ${formatChange(presence.gvsPoints)} in gvs`;
  const sections = [
    presence === undefined || presence.before.toFixed(2) === presence.after.toFixed(2)
      ? ""
      : wrap(`presence ${moved(presence, 2)}${inGvs}, through all components`, "  "),
    ...components.map(formatComponent),
    named("entered the frame", frame.entered, ({ other }) => `was ${other}`),
    named("left the frame", frame.left, ({ other }) => `now ${other}`),
    named("measured otherwise", frame.remeasured, ({ columns }) => firstOf(columns.map(spell.word))),
    completeness.before === undefined ||
    completeness.after === undefined ||
    completeness.before.toFixed(1) === completeness.after.toFixed(1)
      ? ""
      : wrap(`data complete: ${moved(completeness, 1)} %`, "  "),
  ].join("");
  return sections === "" ? "" : `\n${spaceId} ${changeOf(dao)}\n${sections}`;
}

function formatSide(
  name: string,
  { version, asOf, methodologyVersion, scored, unscored }: VersionDiff["to"],
  isOfDays: boolean,
): string {
  const ending = isOfDays ? `${asOf.slice(0, 10)}, its end` : `${version} as of ${spell.moment(asOf)}`;
  return wrap(`${name} ${ending}, method ${methodologyVersion}: ${scored} DAOs scored, ${unscored} unscored`);
}

/** Explains what could be misread: sums of rounded parts, and numbers that moved without new votes. */
function formatNotes(daos: readonly Dao[], isOfDays: boolean): string {
  const hasParts = daos.some(({ components }) => components.some(({ gvsPoints }) => gvsPoints !== undefined));
  const isRemeasured = daos.some(({ frame }) => frame.remeasured.length > 0);
  const notes = [
    {
      holds: isOfDays && hasParts,
      note: "Scores, ranks and risk are those of the history. Indicators are computed from the proposals as measured now. The rest of a component's change is unexplained: later votes also reveal wallets that vote alike, and authors are published only for the current state.",
    },
    {
      holds: hasParts,
      note: "Each change is rounded separately, so parts may differ from their sum by about .01; --json has the exact values. An indicator also moves when another one becomes known or unknown, as its weight changes.",
    },
    {
      holds: isRemeasured,
      note: "A proposal can be measured otherwise although its votes are the same: voters who vote alike are found over the whole frame, its attention depends on the usual power, and its batch votes on earlier proposals.",
    },
  ].flatMap(({ holds, note }) => (holds ? [wrap(note)] : []));
  return notes.length === 0 ? "" : `\n${notes.join("")}`;
}

function formatDiff({ from, to, constants, daos, ...counts }: VersionDiff, isOfDays: boolean): string {
  const changed = constants.map(({ name, before, after }) => wrap(`${name}: ${before} to ${after}`, "  "));
  const small = counts.hidden === 0 ? "" : `, ${counts.hidden} moved by less`;
  return [
    isOfDays ? wrap(`the history of version ${to.version}`) : "",
    formatSide("from", from, isOfDays),
    formatSide("to  ", to, isOfDays),
    changed.length === 0 ? "" : `constants that differ\n${changed.join("")}`,
    daos.length === 0 ? "" : `\n${indented(formatDaos(daos))}`,
    ...daos.map(formatWhy),
    formatNotes(daos, isOfDays),
    `\n${daos.length} changed${small}, ${counts.unchanged} unchanged\n`,
  ].join("");
}
