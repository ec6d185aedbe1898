/** One line of Prometheus's text format. */
export interface PrometheusSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape holds: samples, and each family's type. */
export interface Scrape {
  readonly samples: readonly PrometheusSample[];
  readonly types: ReadonlyMap<string, string>;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = '([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\\\\n]|\\\\[\\\\"n])*)"';
const LINE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL})(?:,${LABEL})*)?\\})? (\\S+)$`);
const SUFFIX = /_(bucket|sum|count)$/;

/** Reads the text format by its grammar (version 0.0.4) and refuses whatever a scraper would; knows nothing of prom-client. */
export function parsePrometheus(text: string): Scrape {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const types = new Map<string, string>();
  const samples: PrometheusSample[] = [];
  const seen = new Set<string>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# HELP ")) continue;
    const type = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`).exec(line);
    if (type !== null) {
      if (types.has(type[1] ?? "")) throw new Error(`two types: ${line}`);
      types.set(type[1] ?? "", type[2] ?? "");
      continue;
    }
    const match = LINE.exec(line);
    if (match === null) throw new Error(`not a line: ${line}`);
    const [, name = "", labelText = ""] = match;
    const labels = Object.fromEntries(
      [...labelText.matchAll(new RegExp(LABEL, "g"))].map(([, label = "", value = ""]) => [label, value]),
    );
    const value = numberOf(match.at(-1) ?? "");
    const id = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(id)) throw new Error(`told twice: ${line}`);
    if (!types.has(name) && !types.has(name.replace(SUFFIX, ""))) throw new Error(`no type: ${line}`);
    seen.add(id);
    samples.push({ name, labels, value });
  }
  checkHistograms(samples, types);
  return { samples, types };
}

/** The value of the one sample with this name and these labels; undefined where there is none. */
export function sampleIn(
  { samples }: Scrape,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const matching = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (matching.length > 1) throw new Error(`${matching.length} samples are ${name}`);
  return matching[0]?.value;
}

function numberOf(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  if (text === "Nan" || text === "NaN") return Number.NaN;
  const value = Number(text);
  if (Number.isNaN(value)) throw new Error(`no number: ${text}`);
  return value;
}

/** Classes grow, the last is +Inf, and it is the count. */
function checkHistograms(samples: readonly PrometheusSample[], types: ReadonlyMap<string, string>): void {
  for (const [family, type] of types) {
    if (type !== "histogram") continue;
    const rows = new Map<string, { bounds: number[]; counts: number[] }>();
    for (const { name, labels, value } of samples) {
      if (name !== `${family}_bucket`) continue;
      const { le = "", ...rest } = labels;
      const row = rows.get(JSON.stringify(rest)) ?? { bounds: [], counts: [] };
      row.bounds.push(numberOf(le));
      row.counts.push(value);
      rows.set(JSON.stringify(rest), row);
    }
    for (const [labels, { bounds, counts }] of rows) {
      const isGrowing = (values: readonly number[]) =>
        values.every((value, index) => value >= (values[index - 1] ?? 0));
      const count = samples.find(
        (sample) => sample.name === `${family}_count` && JSON.stringify(sample.labels) === labels,
      );
      if (!isGrowing(bounds) || !isGrowing(counts)) throw new Error(`${family}${labels} does not grow`);
      if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${family}${labels} has no +Inf`);
      if (count?.value !== counts.at(-1)) throw new Error(`${family}${labels} counts otherwise`);
    }
  }
}
