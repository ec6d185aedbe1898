import { runDiff, type VersionDiff } from "../../readers/compare/diff.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { parsePoints } from "../options/parse-options.ts";
import { formatTable, indented, wrap } from "../terminal/table.ts";
import { formatChange, shortId, spoken } from "./explain-scores.ts";

type Dao = VersionDiff["daos"][number];
type Moved = Dao["gvs"];
type Component = Dao["components"][number];

/** So many proposals of a kind are named. */
const NAMED = 3;
const SPACE_COLUMNS = 26;

const shortSpace = (id: string): string =>
  id.length <= SPACE_COLUMNS ? id : `${id.slice(0, SPACE_COLUMNS - 1)}…`;

function moved({ before, after }: Moved, decimals: number): string {
  const written = (value: number | undefined): string => value?.toFixed(decimals) ?? "-";
  const [old, now] = [written(before), written(after)];
  return old === now ? now : `${old} to ${now}`;
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
  return formatTable<Dao>(
    [
      { heading: "space", of: ({ spaceId }) => shortSpace(spaceId) },
      { heading: "gvs", of: ({ gvs }) => moved(gvs, 2) },
      { heading: "change", of: changeOf, align: "right" },
      { heading: "rank", of: ({ rank }) => moved(rank, 0) },
      { heading: "risk", of: ({ risk }) => moved(risk, 1) },
    ],
    daos,
  );
}

function formatIndicators({ indicators, notKnown }: Component): string {
  const told = indicators
    .filter(({ points }) => Math.abs(points) >= 0.005)
    .map(({ id, points }) => `${spoken(id)} ${formatChange(points)}`);
  const rest = Math.abs(notKnown) < 0.005 ? [] : [`${formatChange(notKnown)} for what is not known`];
  return [...told, ...rest].join(", ");
}

function formatComponent(component: Component): string {
  const { key, before, after, gvsPoints } = component;
  if (before === after && component.indicators.length === 0) return "";
  const inGvs = gvsPoints === undefined ? "" : `, ${formatChange(gvsPoints)} in gvs`;
  const why = formatIndicators(component);
  const isSame = before?.toFixed(2) === after?.toFixed(2);
  if (isSame) return "";
  return wrap(`${key} ${moved({ before, after }, 2)}${inGvs}${why === "" ? "" : `: ${why}`}`, "  ");
}

/** Proposals by what is to be said of them, a few of each named. */
function named<Item extends { readonly id: string }>(
  head: string,
  items: readonly Item[],
  note: (item: Item) => string,
): string {
  const notes = [...new Set(items.map(note))];
  const lines = notes.map((each) => {
    const ids = items.filter((item) => note(item) === each).map(({ id }) => shortId(id));
    const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : "";
    return wrap(`${head} (${each}): ${ids.slice(0, NAMED).join(", ")}${more}`, "  ");
  });
  const shown = lines.slice(0, NAMED).join("");
  const rest = notes.slice(NAMED);
  const others = items.filter((item) => rest.includes(note(item))).length;
  return `${shown}${others === 0 ? "" : wrap(`${head} otherwise: ${others}`, "  ")}`;
}

const columnsOf = (columns: readonly string[]): string =>
  columns.length > NAMED
    ? `${columns.slice(0, NAMED).map(spoken).join(", ")} and ${columns.length - NAMED} more`
    : columns.map(spoken).join(", ");

function formatWhy(dao: Dao): string {
  const { spaceId, components, frame, completeness } = dao;
  const sections = [
    ...components.map(formatComponent),
    named("entered the frame", frame.entered, ({ other }) => `was ${other}`),
    named("left the frame", frame.left, ({ other }) => `now ${other}`),
    named("measured otherwise", frame.remeasured, ({ columns }) => columnsOf(columns)),
    completeness.before?.toFixed(1) === completeness.after?.toFixed(1)
      ? ""
      : wrap(`data complete: ${moved(completeness, 1)} %`, "  "),
  ].join("");
  return sections === "" ? "" : `\n${spaceId} ${changeOf(dao)}\n${sections}`;
}

function formatSide(
  name: string,
  { version, asOf, methodologyVersion, scored, unscored }: VersionDiff["to"],
): string {
  const moment = `${asOf.slice(0, 16).replace("T", " ")} UTC`;
  return wrap(
    `${name} ${version} as of ${moment}, method ${methodologyVersion}: ${scored} DAOs scored, ${unscored} unscored`,
  );
}

/** What a reader could take for something else: sums of rounded parts, and numbers that moved though nobody counted anew. */
function formatNotes(daos: readonly Dao[]): string {
  const hasParts = daos.some(({ components }) => components.some(({ gvsPoints }) => gvsPoints !== undefined));
  const isRemeasured = daos.some(({ frame }) => frame.remeasured.length > 0);
  const notes = [
    ...(hasParts
      ? [
          "Each change is rounded by itself, so that parts may miss their sum by .01 or so; --json has them whole. An indicator moves also when a gap beside it comes or goes, as its weight does.",
        ]
      : []),
    ...(isRemeasured
      ? [
          "Measured otherwise need not be counted otherwise: a proposal's heads are weighed over the whole frame, its attention by the usual power and its batch votes against earlier proposals, so that they move with other proposals too.",
        ]
      : []),
  ];
  return notes.length === 0 ? "" : `\n${notes.map((note) => wrap(note)).join("")}`;
}

/** Two versions: what moved in a table, and below it why, DAO by DAO. */
function formatDiff(diff: VersionDiff): string {
  const { from, to, constants, daos, hidden, unchanged } = diff;
  const changed = constants.map(({ name, before, after }) =>
    wrap(`${name}: ${before ?? "none"} to ${after ?? "none"}`, "  "),
  );
  const small = hidden === 0 ? "" : `, ${hidden} moved by less`;
  return [
    formatSide("from", from),
    formatSide("to  ", to),
    changed.length === 0 ? "" : `constants that differ\n${changed.join("")}`,
    daos.length === 0 ? "" : `\n${indented(formatDaos(daos))}`,
    ...daos.map(formatWhy),
    formatNotes(daos),
    `\n${daos.length} changed${small}, ${unchanged} unchanged\n`,
  ].join("");
}

/** `govdata diff A B --min-delta X` */
export const diffCommand = command({
  name: "diff",
  description: "print which scores moved between two versions, by how much, and why",
  example:
    "govdata diff previous current --min-delta 0.1\n  govdata diff previous current --json | jq '.daos[].spaceId'",
  takes: (made) =>
    made
      .argument("<from>", "a kept version, or `previous`")
      .argument("<to>", "a kept version, or `current`")
      .option("--min-delta <points>", "only DAOs whose gvs moved by at least this many points", "0"),
  run: ({ settings }: CommandContext, from: string, to: string, flags: { minDelta: string }) =>
    runDiff(settings, { from, to, minDelta: parsePoints("--min-delta", flags.minDelta) }),
  text: formatDiff,
});
