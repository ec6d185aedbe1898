import type { Markish, PlotOptions, ScaleOptions } from "@observablehq/plot";
import { type CsvCell, csvText } from "../../../snapshots/base/csv.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../../score/method/indicators.ts";
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

/** Of a score, where they are known. */
export type Ends = readonly [low: number, high: number] | undefined;

/** The scores of a DAO, each with its ends, as columns. */
export function scoreColumns(
  scores: Readonly<Record<string, number>>,
  interval: Readonly<Record<string, Ends>> | undefined,
): DataRow {
  const columns = Object.entries(scores).map(([key, score]) => {
    const [low, high] = interval?.[key] ?? [];
    return { [key]: score, [`${key}_low`]: low, [`${key}_high`]: high };
  });
  return Object.assign({}, ...columns);
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

/**
 * A chart for wide and for narrow columns (scaled text would be too small), its caption, and its data and picture in
 * files of this name.
 */
export function chart(
  studio: Studio,
  { file, ...text }: PictureText & { readonly file: string },
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

export const SCORES = { domain: [0, 10], label: null, ticks: [0, 2, 4, 6, 8, 10], tickSize: 0 };

/** A day of a year, with the ends of its scores where they are known. */
interface YearDay {
  readonly date: string;
  readonly score: number;
  readonly components: Readonly<Record<ComponentKey, number>>;
  readonly ends?: (Readonly<Partial<Record<ComponentKey, Ends>>> & { readonly gvs: Ends }) | undefined;
  /** What the score would be otherwise: a broken line. */
  readonly otherwise?: number;
  readonly row: DataRow;
}

/** What the charts of a year are called, how their files begin, and what is said of the band, if any, and of the line. */
interface YearText {
  readonly title: string;
  readonly componentsTitle: string;
  readonly file: string;
  readonly band: string;
  readonly note: string;
}

/** Days wider than this are drawn on the whole scale alone. */
const CUT_POINTS_MAX = 6;

/**
 * A year of scores: by day on the range of the data, with the whole scale behind a fold, and each component from 0 to 10 in
 * a small chart of its own; `undefined` for less than two days.
 */
export function yearCharts(
  studio: Studio,
  { title, componentsTitle, file, band, note }: YearText,
  days: readonly YearDay[],
): Html | undefined {
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined || days.length < 2) return undefined;
  const { marks } = studio;
  const hasBand = days.some(({ ends }) => ends !== undefined);
  const description = `From ${spell.score(first.score)} on ${first.date} to ${spell.score(last.score)} on ${last.date}.${hasBand ? band : ""}${note}`;
  const lineOn = (id: string, y: ScaleOptions & { readonly ticks: number | number[] }): Html =>
    chart(
      studio,
      { id, file: `${file}${id}`, title, description },
      days.map(({ row }) => row),
      (isWide) => ({
        x: { type: "utc", label: null, ticks: isWide ? 8 : 4, tickSize: 0 },
        y: { labelArrow: "none", tickSize: 0, ...y },
        marginTop: 24,
        marks: [
          marks.gridY({ ticks: y.ticks, stroke: INK.line, strokeOpacity: 1 }),
          ...scoreLine(
            marks,
            days.map(({ date, score, ends }) => ({ time: new Date(date), score, ends: ends?.gvs })),
          ),
          marks.lineY(days, {
            x: ({ date }: YearDay) => new Date(date),
            y: "otherwise",
            stroke: "currentColor",
            strokeWidth: 1.5,
            strokeDasharray: "4 4",
          }),
        ],
      }),
    );
  const values = days.flatMap(({ score, otherwise = score, ends }) => [
    score,
    otherwise,
    ...(ends?.gvs ?? []),
  ]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // At least half a point is drawn.
  const margin = Math.max(0.05 * (most - least), (0.5 - (most - least)) / 2);
  const [low, high] = [Math.max(0, least - margin), Math.min(10, most + margin)];
  const cut = { domain: [low, high], nice: true, ticks: 5, label: "points, a part of 0 to 10" };
  const whole = () => lineOn("scale", { ...SCORES, label: "points, 0 to 10" });
  const line =
    high - low > CUT_POINTS_MAX
      ? whole()
      : html`${lineOn("year", cut)}<details><summary>On the whole scale, 0 to 10</summary>
${whole()}</details>`;
  return html`${line}${componentLines(studio, componentsTitle, file, days)}`;
}

function componentLines(studio: Studio, title: string, file: string, days: readonly YearDay[]): Html {
  const { marks } = studio;
  const known = days.filter(({ ends }) => ends?.hpr !== undefined);
  const shown = known.length > 1 ? known : days;
  const description = `All on the same scale, by ${shown === days ? "day" : "week"}.`;
  return chart(
    studio,
    { id: "component-lines", file: `${file}components`, title, description },
    shown.map(({ row }) => row),
    (isWide) => ({
      height: isWide ? 150 : 300,
      marginTop: 24,
      x: { type: "utc", label: null, ticks: 3, tickSize: 0 },
      y: SCORES,
      fx: { axis: null, padding: 0.28 },
      fy: { axis: null, padding: 0.28 },
      marks: [
        // Below all else, once in each small chart.
        marks.gridY(SCORES.ticks, { stroke: INK.line, strokeOpacity: 1 }),
        ...COMPONENT_KEYS.flatMap((key, index) => {
          const columns = isWide ? 4 : 2;
          const facet = { fx: () => index % columns, fy: () => Math.floor(index / columns) };
          const place = { ...facet, frameAnchor: "top-left", dy: -16, fontWeight: 600 } as const;
          const points = shown.map(({ date, components, ends }) => {
            return { time: new Date(date), score: components[key], ends: ends?.[key] };
          });
          return [
            ...scoreLine(marks, points, facet),
            marks.text([spell.title(COMPONENT_TEXTS[key].name)], { ...place, text: (text: string) => text }),
          ];
        }),
      ],
    }),
  );
}

interface ScorePoint {
  readonly time: Date;
  readonly score: number;
  readonly ends: Ends;
}

/** What lines of scores are drawn of: a band between the ends, the line, and its last point. */
function scoreLine(marks: Marks, points: readonly ScorePoint[], facet: object = {}): Markish[] {
  const encoding = { x: "time", y: "score", ...facet };
  const band = points.flatMap(({ time, ends }) => (ends ? { time, low: ends[0], high: ends[1] } : []));
  return [
    marks.areaY(band, { x: "time", y1: "low", y2: "high", fill: INK.soft, ...facet }),
    marks.lineY(points, { ...encoding, stroke: "currentColor", strokeWidth: 1.5 }),
    marks.dot(points.slice(-1), { ...encoding, r: 3, fill: "currentColor" }),
    marks.text(points.slice(-1), {
      ...encoding,
      text: ({ score }: ScorePoint) => spell.score(score),
      textAnchor: "start",
      dx: 7,
      fontWeight: 600,
    }),
  ];
}
