import type { Markish, PlotOptions, ScaleOptions } from "@observablehq/plot";
import { type CsvCell, csvText } from "../../../snapshots/base/csv.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { type Draw, INK, type Marks, type PictureText, svgFile } from "../drawing.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";

/** What draws the charts of a page, and where their files go. */
export interface Studio {
  readonly draw: Draw;
  readonly marks: Marks;
  /** Where the numbers are from; stands below a picture that is passed on alone. */
  readonly source: string;
  /** Keeps a file at a path beside the page. */
  readonly keep: (path: string, text: string) => void;
}

/** The numbers behind a chart: a row is an object of columns. */
export type DataRow = Readonly<Record<string, CsvCell | undefined>>;

/** A chart as its page names it: `id` on the page, `file` for its files; the description is the caption. */
interface ChartText extends PictureText {
  readonly file: string;
}

/** Of a score, where they are known. */
export type Ends = readonly [low: number, high: number] | undefined;

/** The scores of a DAO, each with its ends, as columns. */
export function scoreColumns(
  scores: Readonly<Record<string, number>>,
  interval: Readonly<Record<string, Ends>> | undefined,
): DataRow {
  return Object.fromEntries(
    Object.entries(scores).flatMap(([key, score]) => {
      const [low, high] = interval?.[key] ?? [];
      return [[key, score] as const, [`${key}_low`, low] as const, [`${key}_high`, high] as const];
    }),
  );
}

/** Keeps the rows as a CSV beside the page, all columns or those that are named, and links to it. */
export function dataLink<Row extends DataRow>(
  studio: Studio,
  file: string,
  rows: readonly Row[],
  names: readonly (keyof Row & string)[] = Object.keys(rows[0] ?? {}),
): Html {
  const path = `charts/${file}.csv`;
  studio.keep(path, csvText([names, ...rows.map((row) => names.map((name) => row[name] ?? null))]));
  return html`<a href="${path}" download>Data (CSV)</a>`;
}

const FRAME = { marginTop: 10, marginRight: 44, marginBottom: 36, marginLeft: 36 };

/** A chart for wide and for narrow columns (scaled text would be too small), its caption, and its data and picture. */
export function chart(
  studio: Studio,
  { file, ...text }: ChartText,
  rows: readonly DataRow[],
  plot: (isWide: boolean, width: number) => PlotOptions,
): Html {
  const drawn = (isWide: boolean, width: number): Html =>
    studio.draw(
      { ...FRAME, width, height: isWide ? 210 : 200, ...plot(isWide, width) },
      { ...text, id: `${text.id}-${isWide ? "wide" : "narrow"}` },
    );
  const wide = drawn(true, 1000);
  const picture = `charts/${file}.svg`;
  studio.keep(picture, svgFile(wide, { title: text.title, source: studio.source }));
  return html`<figure><div class="wide">${wide}</div><div class="narrow">${drawn(false, 360)}</div>
<figcaption><b>${text.title}.</b> ${text.description} <span class="files">${dataLink(studio, file, rows)} · <a href="${picture}" download>Picture (SVG)</a></span></figcaption></figure>
`;
}

const SCORES = { domain: [0, 10], label: null, ticks: [0, 2, 4, 6, 8, 10], tickSize: 0 };

/** A day of a year, with the ends of its scores where they are known. */
interface YearDay {
  readonly date: string;
  readonly score: number;
  readonly components: Readonly<Record<ComponentKey, number>>;
  readonly ends?: (Readonly<Partial<Record<ComponentKey, Ends>>> & { readonly gvs: Ends }) | undefined;
  /** What the score would be otherwise: a broken line. */
  readonly otherwise?: number;
}

/** What the charts of a year are called, how their files begin, and what is in a row of their data. */
export interface YearText<Day> {
  readonly title: string;
  readonly componentsTitle: string;
  readonly file: string;
  readonly description: string;
  readonly names: Readonly<Record<ComponentKey, { readonly name: string }>>;
  readonly row: (day: Day) => DataRow;
}

/** Days wider than this are drawn on the whole scale alone. */
const CUT_POINTS_MAX = 6;

/** Around all that is drawn, at least half a point. */
function rangeOf(days: readonly YearDay[]): readonly [low: number, high: number] {
  const drawn = days.flatMap(({ score, otherwise = score, ends }) => [
    score,
    otherwise,
    ...(ends?.gvs ?? []),
  ]);
  const [low, high] = [Math.min(...drawn), Math.max(...drawn)];
  const margin = Math.max(0.05 * (high - low), (0.5 - (high - low)) / 2);
  return [Math.max(0, low - margin), Math.min(10, high + margin)];
}

/**
 * A year of scores: by day on the range of the data, with the whole scale behind a fold, and each component from 0 to 10 in
 * a small chart of its own.
 */
export function yearCharts<Day extends YearDay>(
  studio: Studio,
  { file, names, row, ...text }: YearText<Day>,
  days: readonly Day[],
): Html {
  const { marks } = studio;
  const known = days.filter(({ ends }) => ends?.hpr !== undefined);
  const shown = known.length > 1 ? known : days;
  const broken = {
    x: "time",
    y: "otherwise",
    stroke: "currentColor",
    strokeWidth: 1.5,
    strokeDasharray: "4 4",
  };
  const lineOn = (y: ScaleOptions & { readonly ticks: number | number[] }, id: string, title: string): Html =>
    chart(
      studio,
      { id, file: `${file}${id}`, title, description: text.description },
      days.map(row),
      (isWide) => ({
        x: { type: "utc", label: null, ticks: isWide ? 8 : 4, tickSize: 0 },
        y: { labelArrow: "none", tickSize: 0, ...y },
        marginTop: 24,
        marks: [
          marks.gridY({ ticks: y.ticks, stroke: INK.line, strokeOpacity: 1 }),
          ...scoreLine(
            marks,
            days.map(({ date, score, ends }) => ({ date, score, ends: ends?.gvs })),
          ),
          marks.lineY(
            days.map(({ date, otherwise }) => ({ time: timeOf(date), otherwise })),
            broken,
          ),
        ],
      }),
    );
  const [low, high] = rangeOf(days);
  const whole = () => lineOn({ ...SCORES, label: "points, 0 to 10" }, "scale", text.title);
  const cut = () =>
    lineOn(
      { domain: [low, high], nice: true, ticks: 5, label: "points, a part of 0 to 10" },
      "year",
      text.title,
    );
  const line =
    high - low > CUT_POINTS_MAX
      ? whole()
      : html`${cut()}<details><summary>On the whole scale, 0 to 10</summary>
${whole()}</details>`;
  const panels = chart(
    studio,
    {
      id: "component-lines",
      file: `${file}components`,
      title: text.componentsTitle,
      description: `All on the same scale, by ${shown === days ? "day" : "week"}.`,
    },
    shown.map(row),
    (isWide) => ({
      height: isWide ? 150 : 300,
      marginTop: 24,
      x: { type: "utc", label: null, ticks: 3, tickSize: 0 },
      y: SCORES,
      fx: { axis: null, padding: 0.28 },
      fy: { axis: null, padding: 0.28 },
      marks: [
        scoreGrid(marks),
        ...COMPONENT_KEYS.flatMap((key, index) => {
          const columns = isWide ? 4 : 2;
          const facet = { fx: () => index % columns, fy: () => Math.floor(index / columns) };
          const title = { ...facet, frameAnchor: "top-left", dy: -16, fontWeight: 600 } as const;
          const scores = shown.map(({ date, components, ends }) => ({
            date,
            score: components[key],
            ends: ends?.[key],
          }));
          return [
            ...scoreLine(marks, scores, facet),
            marks.text([spell.title(names[key].name)], { ...title, text: (text: string) => text }),
          ];
        }),
      ],
    }),
  );
  return html`${line}${panels}`;
}

interface ScoreDay {
  readonly date: string;
  readonly score: number;
  readonly ends: Ends;
}

const timeOf = (date: string): Date => new Date(`${date}T00:00:00.000Z`);

/** Lies below all else, once in each small chart. */
const scoreGrid = (marks: Marks): Markish =>
  marks.gridY(SCORES.ticks, { stroke: INK.line, strokeOpacity: 1 });

/** What lines of scores are drawn of: a band between the ends, the line, and its last point. */
function scoreLine(marks: Marks, days: readonly ScoreDay[], facet: object = {}): Markish[] {
  const points = days.map(({ date, ...day }) => ({ time: timeOf(date), ...day }));
  const encoding = { x: "time", y: "score", ...facet };
  const band = points.flatMap(({ time, ends }) =>
    ends === undefined ? [] : [{ time, low: ends[0], high: ends[1] }],
  );
  return [
    marks.areaY(band, { x: "time", y1: "low", y2: "high", fill: INK.soft, ...facet }),
    marks.lineY(points, { ...encoding, stroke: "currentColor", strokeWidth: 1.5 }),
    marks.dot(points.slice(-1), { ...encoding, r: 3, fill: "currentColor" }),
    marks.text(points.slice(-1), {
      ...encoding,
      text: ({ score }: ScoreDay) => spell.score(score),
      textAnchor: "start",
      dx: 7,
      fontWeight: 600,
    }),
  ];
}

/** What moved the index in a month (`YYYY-MM`). */
type MonthMove = Readonly<{
  month: string;
  index: number;
  by_scores: number;
  by_weights_and_members: number;
}>;

/** Moves by month as bars on a zero line: a strong part and a pale one, stacked where both go the same way. */
export function moveBars(studio: Studio, text: ChartText, moves: readonly MonthMove[]): Html {
  const { marks } = studio;
  const parts = moves.flatMap(({ month, by_scores: strong, by_weights_and_members: pale }) => [
    { month, points: strong, colour: INK.accent },
    { month, points: pale, colour: INK.soft },
  ]);
  return chart(studio, text, moves, (isWide) => ({
    height: isWide ? 200 : 170,
    marginRight: 12,
    marginLeft: 44,
    x: {
      domain: moves.map(({ month }) => month),
      label: null,
      tickSize: 0,
      padding: 0.3,
      // Of `2026-10` the month, where there is no room for more.
      tickFormat: (month: string) => (isWide ? month : month.slice(5)),
    },
    marginTop: 24,
    y: { label: "points", labelArrow: "none", ticks: 4, tickSize: 0, tickFormat: spell.change },
    color: { type: "identity" },
    marks: [
      marks.barY(parts, { x: "month", y: "points", fill: "colour" }),
      marks.ruleY([0], { stroke: "currentColor" }),
    ],
  }));
}

/** Scores as ticks from 0 to 10, each with a bar between its ends. */
export function scoreRanges(
  studio: Studio,
  text: ChartText,
  rows: readonly DataRow[],
  scores: readonly { readonly name: string; readonly score: number; readonly ends: Ends }[],
): Html {
  const { marks } = studio;
  const sure = scores.flatMap(({ name, ends }) =>
    ends === undefined ? [] : [{ name, low: ends[0], high: ends[1] }],
  );
  return chart(studio, text, rows, (isWide) => ({
    height: 26 * scores.length + 36,
    marginLeft: isWide ? 170 : 130,
    x: SCORES,
    y: { domain: scores.map(({ name }) => name), label: null, tickSize: 0, padding: 0.4 },
    marks: [
      marks.ruleX(SCORES.ticks, { stroke: INK.line }),
      marks.barX(sure, { x1: "low", x2: "high", y: "name", fill: INK.soft }),
      marks.tickX(scores, { x: "score", y: "name", stroke: "currentColor", strokeWidth: 2 }),
      marks.text(scores, {
        x: 10,
        y: "name",
        text: ({ score }: (typeof scores)[number]) => spell.score(score),
        textAnchor: "start",
        dx: 8,
        fontWeight: 600,
      }),
    ],
  }));
}

/** How much of the delegated power the largest delegates hold together. */
export function concentrationCurve(studio: Studio, text: ChartText, sharesPct: readonly number[]): Html {
  const { marks } = studio;
  let sum = 0;
  const points = [0, ...sharesPct].map((share, delegates) => {
    sum += share;
    return { delegates, together_pct: sum };
  });
  const quarters = [0, 25, 50, 75, 100];
  return chart(studio, text, points, () => ({
    marginLeft: 44,
    marginRight: 20,
    marginBottom: 40,
    x: {
      label: "delegates, the largest first",
      labelArrow: "none",
      labelAnchor: "center",
      ticks: 5,
      tickSize: 0,
    },
    y: {
      domain: [0, 100],
      label: null,
      ticks: quarters,
      tickSize: 0,
      tickFormat: (pct: number) => `${pct} %`,
    },
    marks: [
      marks.gridY(quarters, { stroke: INK.line, strokeOpacity: 1 }),
      marks.areaY(points, { x: "delegates", y: "together_pct", fill: INK.soft }),
      marks.lineY(points, { x: "delegates", y: "together_pct", stroke: INK.accent, strokeWidth: 2 }),
    ],
  }));
}

/** From the lowest to the highest of some values. */
export const spanOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

/** A line without axes, as high as a line of text and as `span` points; its numbers stand beside it. */
export function sparkline(
  { draw, marks }: Studio,
  values: readonly number[],
  span: number,
  text: PictureText,
): Html {
  const points = values.map((value, day) => ({ day, value }));
  const middle = (Math.min(...values) + Math.max(...values)) / 2;
  const encoding = { x: "day", y: "value" };
  return draw(
    {
      width: 90,
      height: 28,
      margin: 3,
      axis: null,
      y: { domain: [middle - span / 2, middle + span / 2] },
      marks: [
        marks.lineY(points, { ...encoding, stroke: INK.accent, strokeWidth: 1.5 }),
        marks.dot(points.slice(-1), { ...encoding, r: 2.5, fill: INK.accent }),
      ],
    },
    text,
  );
}
