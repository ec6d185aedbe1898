import { type CompareResult, runCompare } from "../../readers/compare/compare-daos.ts";
import { type CommandContext, command } from "../options/command-context.ts";
import { versionOption } from "../options/parse-options.ts";
import { type Column, formatTable, wrap } from "../terminal/table.ts";
import { formatChange, spoken } from "./explain-scores.ts";

type Side = CompareResult["daos"][number];
type Pair = CompareResult["pairs"][number];
type Span = Side["gvs"];

/** One line of the table: a number of each DAO, and of two DAOs their difference. */
interface Line {
  readonly name: string;
  readonly of: (side: Side) => string;
  readonly difference: (pair: Pair) => string;
}

/** So many DAOs fit side by side in 80 columns. */
const ABREAST = 3;

/** `govdata compare A B [C …] --version V` */
export const compareCommand = command({
  name: "compare",
  description: "compare DAOs: which is ahead, and can the data tell",
  details:
    "Puts components, indicators and risk side by side, each with its interval, and says what leaves the order open.",
  example:
    "govdata compare aave.eth uniswap\n  govdata compare aave.eth uniswap --json | jq '.pairs[].sentence'",
  takes: (made) =>
    made
      .argument("<space>")
      .argument("<other>")
      .argument("[more...]", "more DAOs; each is compared with each other")
      .addOption(versionOption()),
  run: (
    { settings }: CommandContext,
    space: string,
    other: string,
    more: readonly string[],
    { version }: { readonly version?: string },
  ) => runCompare(settings, { spaceIds: [space, other, ...more], version }),
  text: formatComparison,
});

/** The answers first, then the numbers that they rest on. */
function formatComparison({ version, asOf, methodologyVersion, ranked, daos, pairs }: CompareResult): string {
  const letters = new Map(daos.map(({ spaceId }, place) => [spaceId, letterOf(place)]));
  const heads = daos.map(({ spaceId, name }) => wrap(`${name} (${spaceId})`, `${letters.get(spaceId)}  `));
  const answers = pairs.map((pair) => wrap(`${pair.sentence}${formatClear(pair, daos)}`));
  const [only] = pairs;
  const difference = pairs.length === 1 ? only : undefined;
  const lines = linesOf(daos, ranked);
  const tables: string[] = [];
  for (let from = 0; from < daos.length; from += ABREAST) {
    tables.push(formatSides(daos.slice(from, from + ABREAST), lines, letters, difference));
  }
  return [
    `${heads.join("")}${wrap(`as of ${asOf.slice(0, 16).replace("T", " ")} UTC, method ${methodologyVersion}, version ${version}`)}`,
    ...answers,
    ...tables,
    wrap(
      "In brackets, between which ends each lies. A difference lies between the lowest of the one less the highest of the other and the reverse, as nothing is assumed of what is not known. Marks of indicators are in %.",
    ),
  ].join("\n");
}

const letterOf = (place: number): string => String.fromCharCode("A".charCodeAt(0) + place);

/** The components that leave no doubt, whatever the whole does. */
function formatClear({ components, a, b }: Pair, daos: readonly Side[]): string {
  const nameOf = (id: string): string => daos.find(({ spaceId }) => spaceId === id)?.name ?? id;
  const named = (isClear: (span: { low: number; high: number }) => boolean): string =>
    components
      .filter(isClear)
      .map(({ key }) => daos[0]?.components.find((each) => each.key === key)?.name ?? key)
      .join(", ");
  const told = [
    { id: a, names: named(({ low }) => low > 0) },
    { id: b, names: named(({ high }) => high < 0) },
  ].flatMap(({ id, names }) =>
    names === "" ? [] : [` Whatever is not known, ${nameOf(id)} has more ${names}.`],
  );
  return told.join("");
}

function linesOf(daos: readonly Side[], ranked: number): readonly Line[] {
  const scores: Line = { name: "gvs", of: ({ gvs }) => span(gvs), difference: ({ gvs }) => change(gvs) };
  const rank: Line = {
    name: `rank of ${ranked}`,
    of: ({ rank: own }) => (own === undefined ? "-" : `${own.rank} [${own.best}-${own.worst}]`),
    difference: () => "",
  };
  const parts = (daos[0]?.components ?? []).flatMap(({ key, name, indicators }): readonly Line[] => [
    {
      name: `${key} ${name}`,
      of: ({ components }) => of(components, ({ key: other }) => other === key, span),
      difference: ({ components }) => of(components, ({ key: other }) => other === key, change),
    },
    ...indicators.map(({ id }) => ({
      name: `  ${spoken(id)}`,
      of: ({ components }: Side) =>
        of(
          components.flatMap((each) => each.indicators),
          (row) => row.id === id,
          mark,
        ),
      difference: ({ components }: Pair) =>
        of(
          components.flatMap((each) => each.indicators),
          (row) => row.id === id,
          markChange,
        ),
    })),
  ]);
  const risk: Line = {
    name: "risk",
    of: (side) => (side.risk === undefined ? "not assessed" : span(side.risk, 1)),
    difference: (pair) => (pair.risk === undefined ? "" : change(pair.risk, 1)),
  };
  const known: Line = {
    name: "known",
    of: ({ knownShare }) => `${percent(knownShare)} %`,
    difference: () => "",
  };
  const proposals: Line = {
    name: "proposals",
    of: ({ proposals: members }) => String(members),
    difference: () => "",
  };
  return [scores, rank, ...parts, risk, known, proposals];
}

function of<Item>(
  items: readonly Item[],
  isIt: (item: Item) => boolean,
  write: (item: Item) => string,
): string {
  const found = items.find(isIt);
  return found === undefined ? "-" : write(found);
}

const percent = (share: number): string => `${Math.round(100 * share)}`;

function span({ low, point, high }: Span, decimals = 2): string {
  return `${point?.toFixed(decimals) ?? "-"} [${low.toFixed(decimals)}-${high.toFixed(decimals)}]`;
}

function change({ low, point, high }: Span, decimals = 2): string {
  const ends = `[${formatEnds(formatChange(low, decimals), formatChange(high, decimals), " to ")}]`;
  return point === undefined ? `- ${ends}` : `${formatChange(point, decimals)} ${ends}`;
}

const formatEnds = (low: string, high: string, between: string): string =>
  low === high ? low : `${low}${between}${high}`;

const mark = ({ low, high, isKnown }: { low: number; high: number; isKnown: boolean }): string =>
  isKnown ? `[${formatEnds(percent(low), percent(high), "-")}]` : "not known";

const markChange = ({ low, high }: { low: number; high: number }): string =>
  `[${formatEnds(formatChange(100 * low, 0), formatChange(100 * high, 0), " to ")}]`;

function formatSides(
  sides: readonly Side[],
  lines: readonly Line[],
  letters: ReadonlyMap<string, string>,
  difference: Pair | undefined,
): string {
  const columns: readonly Column<Line>[] = [
    { heading: "", of: ({ name }) => name },
    ...sides.map((side) => ({
      heading: letters.get(side.spaceId) ?? "",
      of: (line: Line) => line.of(side),
    })),
    ...(difference === undefined
      ? []
      : [{ heading: "A - B", of: (line: Line) => line.difference(difference) }]),
  ];
  return formatTable(columns, lines);
}
