import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** A number, and what tells it apart from others of the same name. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** A number as it is told: what it is called and what it says. */
export interface ToldMetric {
  readonly name: string;
  readonly help: string;
}

/** One row of a histogram: how many in each class (one more than there are bounds), and their sum. */
export interface HistogramRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly perClass: readonly number[];
  readonly sum: number;
}

const KINDS = { counter: Counter, gauge: Gauge } as const;

/** Tells numbers that are counted elsewhere: they are read at each scrape, and what is not read then is absent. */
export function tellMetric(
  registry: Registry,
  kind: keyof typeof KINDS,
  { name, help }: ToldMetric,
  read: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
  const values = async () => (await read()).map(([value, labels = {}]) => ({ value, labels }));
  // The package's own counting hashes its labels at each call, which a request should not pay for.
  Object.assign(new KINDS[kind]({ name, help, registers: [registry] }), {
    get: async () => ({ name, help, type: kind, values: await values(), aggregator: "sum" }),
  });
}

/** The same for a histogram, whose classes become cumulative as Prometheus wants them. */
export function tellHistogram(
  registry: Registry,
  { name, help }: ToldMetric,
  bounds: readonly number[],
  read: () => readonly HistogramRow[],
): void {
  const told = async () => ({
    name,
    help,
    type: "histogram",
    values: read().flatMap((row) => samplesOf(name, bounds, row)),
    aggregator: "sum",
  });
  Object.assign(new Histogram({ name, help, registers: [registry] }), { get: told, getForPromString: told });
}

function samplesOf(name: string, bounds: readonly number[], { labels, perClass, sum }: HistogramRow) {
  let count = 0;
  const classes = perClass.map((inClass, at) => {
    count += inClass;
    const le = at < bounds.length ? String(bounds[at]) : "+Inf";
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  return [
    ...classes,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
