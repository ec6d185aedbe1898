import { formatTable, wrap } from "../../../snapshots/base/command-line/table.ts";
import { inBatches } from "../../../snapshots/base/concurrency.ts";
import { type CommandContext, command } from "../../cli/options/command-context.ts";
import { formatChange, inBrackets, rangeText, spell } from "../spell.ts";
import { versionOption } from "../tool-options.ts";
import type { CompareResult } from "./compare-daos.ts";

export const compareCommand = command({
  name: "compare",
  description: "compare DAOs: which is ahead, and whether the data can tell",
  details:
    "Puts components, indicators and risk side by side, each with its interval, and explains what leaves the order unclear.",
  example:
    "govdata compare aave.eth uniswap\n  govdata compare aave.eth uniswap --json | jq '.pairs[].sentence'",
  takes: (made) =>
    made
      .argument("<space>")
      .argument("<other>")
      .argument("[more...]", "more DAOs; each is compared with each other")
      .addOption(versionOption()),
  run: async (
    { settings }: CommandContext,
    space: string,
    other: string,
    more: readonly string[],
    { version }: { readonly version?: string },
  ) => {
    const { runCompare } = await import("./compare-daos.ts");
    return runCompare(settings, { spaceIds: [space, other, ...more], version });
  },
  text: formatComparison,
});

type Side = CompareResult["daos"][number];
type Pair = CompareResult["pairs"][number];
type Span = Side["gvs"];

/** Number columns that fit side by side in 80 columns. */
const ABREAST = 3;

const AND = new Intl.ListFormat("en-GB");

function formatComparison({ version, asOf, methodologyVersion, ranked, daos, pairs }: CompareResult): string {
  const headers = daos.map(({ spaceId, name }, index) =>
    wrap(`${name} (${spaceId})`, `${letterOf(index)}  `),
  );
  const answers = pairs.map((pair) => wrap(`${pair.sentence}${formatClear(pair, daos)}`));
  const [first] = daos;
  const [only, ...others] = pairs;
  const names = first === undefined ? [] : namesOf(first, ranked);
  const columns = [
    ...daos.map((side, index) => ({ heading: letterOf(index), cells: cellsOf(side) })),
    ...(only === undefined || others.length > 0 ? [] : [{ heading: "A - B", cells: differencesOf(only) }]),
  ];
  const tables = Array.from(inBatches(columns, ABREAST), (abreast) =>
    formatTable(
      [...names.keys()],
      [{ heading: "", cells: names }, ...abreast].map(({ heading, cells }) => ({
        heading,
        cell: (line) => cells[line] ?? "",
      })),
    ),
  );
  return [
    `${headers.join("")}${wrap(`as of ${spell.moment(asOf)}, method ${methodologyVersion}, version ${version}`)}`,
    ...answers,
    ...tables,
    wrap(
      "Brackets contain the possible range of a number. A difference ranges from A's lowest minus B's highest to A's highest minus B's lowest, as nothing is assumed about unknown values. Indicators are in %.",
    ),
  ].join("\n");
}

const letterOf = (index: number): string => String.fromCharCode("A".charCodeAt(0) + index);

/** The components in which one of the two is ahead for all possible values of unknown data. */
function formatClear({ components, a, b }: Pair, daos: readonly Side[]): string {
  const nameOf = (id: string): string => daos.find(({ spaceId }) => spaceId === id)?.name ?? id;
  const names = new Map(daos[0]?.components.map(({ key, name }) => [key, name]));
  const clear = [
    { id: a, parts: components.filter(({ low }) => low > 0) },
    { id: b, parts: components.filter(({ high }) => high < 0) },
  ].filter(({ parts }) => parts.length > 0);
  return clear
    .map(({ id, parts }) => {
      const list = AND.format(parts.map(({ key }) => names.get(key) ?? key));
      return ` Whatever the unknown values are, ${nameOf(id)} is ahead in ${list}.`;
    })
    .join("");
}

/** The row labels of the table; `cellsOf` and `differencesOf` follow the same order. */
function namesOf({ components }: Side, ranked: number): readonly string[] {
  return [
    "gvs",
    `rank of ${ranked}`,
    ...components.flatMap(({ key, name, indicators }) => [
      `${key} ${name}`,
      ...indicators.map(({ id }) => `  ${spell.word(id)}`),
    ]),
    "risk",
    "known",
    "proposals",
  ];
}

function cellsOf({ gvs, rank, components, risk, knownShare, proposals }: Side): readonly string[] {
  return [
    formatSpan(gvs),
    rank === undefined ? "-" : `${rank.rank} [${rank.best}-${rank.worst}]`,
    ...components.flatMap((component) => [formatSpan(component), ...component.indicators.map(formatMark)]),
    risk === undefined ? "not assessed" : formatSpan(risk, 1),
    `${percent(knownShare)} %`,
    String(proposals),
  ];
}

function differencesOf({ gvs, components, risk }: Pair): readonly string[] {
  return [
    formatDifference(gvs),
    "",
    ...components.flatMap((component) => [
      formatDifference(component),
      ...component.indicators.map(({ low, high }) => changeEnds(100 * low, 100 * high, 0)),
    ]),
    risk === undefined ? "" : formatDifference(risk, 1),
    "",
    "",
  ];
}

const percent = (share: number): string => `${Math.round(100 * share)}`;

function formatSpan({ low, point, high }: Span, decimals = 2): string {
  return `${point?.toFixed(decimals) ?? "-"} ${inBrackets(low, high, decimals)}`;
}

function formatMark({ low, high, isKnown }: Side["components"][number]["indicators"][number]): string {
  return isKnown ? `[${rangeText(percent(low), percent(high), "-")}]` : "not known";
}

function formatDifference({ low, point, high }: Span, decimals = 2): string {
  const change = point === undefined ? "-" : formatChange(point, decimals);
  return `${change} ${changeEnds(low, high, decimals)}`;
}

const changeEnds = (low: number, high: number, decimals: number): string =>
  `[${rangeText(formatChange(low, decimals), formatChange(high, decimals), " to ")}]`;
