import { type Draw, INK, inBothWidths, type Marks, type PictureText } from "../drawing.ts";
import { type Html, html, spell } from "../html.ts";
import { foldedTable, nameColumn, numberColumn, type TableColumn } from "./page.ts";

/** What draws, and of what. */
export interface Studio {
  readonly draw: Draw;
  readonly marks: Marks;
}

/** Scores from nothing to ten. */
const SCORES = { domain: [0, 10], label: null, ticks: [0, 2, 4, 6, 8, 10], tickSize: 0 };

/** A line without axes, as high as a line of text; its numbers stand beside it. */
export function sparkline({ draw, marks }: Studio, values: readonly number[], label: PictureText): Html {
  const points = values.map((value, place) => ({ place, value }));
  const low = Math.min(...values);
  const high = Math.max(...values);
  // A tenth of a point must not look like a landslide.
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, 0.25);
  return draw(
    {
      width: 110,
      height: 28,
      margin: 3,
      axis: null,
      y: { domain: [middle - half, middle + half] },
      marks: [
        marks.lineY(points, { x: "place", y: "value", stroke: INK.accent, strokeWidth: 1.5 }),
        marks.dot(points.slice(-1), { x: "place", y: "value", r: 2.5, fill: INK.accent }),
      ],
    },
    label,
  );
}

/** A score by day, and beside it what it would be otherwise, as a broken line. */
export interface ScoreSeries<Point> {
  readonly heading: string;
  readonly of: (point: Point) => number;
  readonly otherwise?: { readonly says: string; readonly of: (point: Point) => number };
  /** Between which ends the last of them lies; earlier days have none. */
  readonly lastBetween?: readonly [low: number, high: number] | undefined;
}

/** Scores by day, as a line from nothing to ten and as numbers; nothing where there are not two. */
export function scoreHistory<Point extends { readonly date: string }>(
  studio: Studio,
  label: Omit<PictureText, "description">,
  points: readonly Point[],
  score: ScoreSeries<Point>,
  columns: readonly TableColumn<Point>[],
): Html | undefined {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < 2) return undefined;
  const at = (point: Point): string => `${spell.score(score.of(point))} on ${point.date}`;
  const values = points.map((point) => ({
    time: new Date(`${point.date}T00:00:00.000Z`),
    value: score.of(point),
    otherwise: score.otherwise?.of(point),
  }));
  const broken = score.otherwise === undefined ? "" : ` Broken line: ${score.otherwise.says}.`;
  const ends = score.lastBetween;
  const whisker = ends === undefined ? "" : ` Whisker: now between ${ends.map(spell.score).join(" and ")}.`;
  const description = `From ${at(first)} to ${at(last)}.${whisker}${broken}`;
  return html`${scoreLine(studio, values, ends, { ...label, description })}
${foldedTable(`The numbers of ${points.length} days`, points.toReversed(), [
  nameColumn("Day", ({ date }) => date),
  numberColumn(score.heading, (point) => spell.score(score.of(point))),
  ...columns,
])}`;
}

function scoreLine(
  { draw, marks }: Studio,
  points: readonly { readonly time: Date; readonly value: number; readonly otherwise: number | undefined }[],
  ends: readonly [low: number, high: number] | undefined,
  label: PictureText,
): Html {
  const hasOtherwise = points.some(({ otherwise }) => otherwise !== undefined);
  const broken = marks.lineY(points, {
    x: "time",
    y: "otherwise",
    stroke: "currentColor",
    strokeWidth: 1.5,
    strokeDasharray: "4 4",
  });
  const [last] = points.slice(-1);
  const whisker =
    last === undefined || ends === undefined ? [] : [{ time: last.time, low: ends[0], high: ends[1] }];
  return inBothWidths(draw, label, (width, isWide) => ({
    width,
    height: isWide ? 240 : 200,
    marginTop: 10,
    marginLeft: 28,
    marginBottom: 40,
    marginRight: 38,
    x: { type: "utc", label: null, ticks: isWide ? 8 : 4, tickSize: 0 },
    y: SCORES,
    marks: [
      marks.gridY(SCORES.ticks, { stroke: INK.line, strokeOpacity: 1 }),
      marks.areaY(points, { x: "time", y: "value", fill: INK.soft }),
      ...(hasOtherwise ? [broken] : []),
      marks.lineY(points, { x: "time", y: "value", stroke: INK.accent, strokeWidth: 2 }),
      marks.ruleX(whisker, { x: "time", y1: "low", y2: "high", stroke: "currentColor", strokeWidth: 2 }),
      marks.dot(points.slice(-1), { x: "time", y: "value", r: 3.5, fill: INK.accent }),
      marks.text(points.slice(-1), {
        x: "time",
        y: "value",
        text: (point: { value: number }) => spell.score(point.value),
        textAnchor: "start",
        dx: 7,
        fontWeight: 600,
      }),
    ],
  }));
}

/** Moves by month (`YYYY-MM`) as bars on a zero line: a strong part and a pale one, stacked where both go the same way. */
export function moveBars(
  { draw, marks }: Studio,
  moves: readonly { readonly month: string; readonly strong: number; readonly pale: number }[],
  label: PictureText,
): Html {
  const parts = moves.flatMap(({ month, strong, pale }) => [
    { month, points: strong, colour: INK.accent },
    { month, points: pale, colour: INK.line },
  ]);
  return inBothWidths(draw, label, (width, isWide) => ({
    width,
    height: isWide ? 200 : 170,
    marginTop: 10,
    marginLeft: 40,
    marginBottom: 30,
    marginRight: 10,
    // Of `2026-10` the month: there is no room for more.
    x: {
      domain: moves.map(({ month }) => month),
      label: null,
      tickSize: 0,
      padding: 0.3,
      tickFormat: (month: string) => month.slice(5),
    },
    y: { label: null, ticks: 4, tickSize: 0, tickFormat: spell.change },
    color: { type: "identity" },
    marks: [
      marks.barY(parts, { x: "month", y: "points", fill: "colour" }),
      marks.ruleY([0], { stroke: "currentColor" }),
    ],
  }));
}

/** The components as bars from nothing to ten, with a whisker for what is not sure. */
export function componentBars(
  { draw, marks }: Studio,
  bars: readonly {
    readonly name: string;
    readonly score: number;
    readonly interval: readonly [low: number, high: number] | undefined;
  }[],
  label: PictureText,
): Html {
  const sure = bars.flatMap(({ name, interval }) =>
    interval === undefined ? [] : [{ name, low: interval[0], high: interval[1] }],
  );
  return inBothWidths(draw, label, (width) => ({
    width,
    height: 40 * bars.length + 12,
    marginTop: 4,
    marginLeft: 112,
    marginRight: 44,
    x: SCORES,
    y: { domain: bars.map(({ name }) => name), label: null, tickSize: 0, padding: 0.45 },
    marks: [
      marks.ruleX(SCORES.ticks, { stroke: INK.line }),
      marks.barX(bars, { x: "score", y: "name", fill: INK.bar }),
      marks.ruleY(sure, { x1: "low", x2: "high", y: "name", stroke: "currentColor", strokeWidth: 2 }),
      marks.tickX(sure, { x: "low", y: "name", stroke: "currentColor", insetTop: 5, insetBottom: 5 }),
      marks.tickX(sure, { x: "high", y: "name", stroke: "currentColor", insetTop: 5, insetBottom: 5 }),
      marks.text(bars, {
        x: 10,
        y: "name",
        text: ({ score }: (typeof bars)[number]) => spell.score(score),
        textAnchor: "start",
        dx: 8,
        fontWeight: 600,
      }),
    ],
  }));
}

/** How much of the delegated power the strongest delegates hold together. */
export function concentrationCurve(
  { draw, marks }: Studio,
  sharesPct: readonly number[],
  label: PictureText,
): Html {
  let sum = 0;
  const points = [{ delegates: 0, pct: 0 }];
  for (const [place, share] of sharesPct.entries()) {
    sum += share;
    points.push({ delegates: place + 1, pct: sum });
  }
  return inBothWidths(draw, label, (width, isWide) => ({
    width,
    height: isWide ? 240 : 200,
    marginTop: 10,
    marginLeft: 44,
    marginRight: 20,
    marginBottom: 40,
    x: {
      label: "delegates, the strongest first",
      labelArrow: "none",
      labelAnchor: "center",
      ticks: 5,
      tickSize: 0,
    },
    y: {
      domain: [0, 100],
      label: null,
      ticks: [0, 25, 50, 75, 100],
      tickSize: 0,
      tickFormat: (pct: number) => `${pct} %`,
    },
    marks: [
      marks.gridY([0, 25, 50, 75, 100], { stroke: INK.line, strokeOpacity: 1 }),
      marks.areaY(points, { x: "delegates", y: "pct", fill: INK.soft }),
      marks.lineY(points, { x: "delegates", y: "pct", stroke: INK.accent, strokeWidth: 2 }),
    ],
  }));
}
