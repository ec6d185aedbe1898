import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DatasetName } from "../../../../pipeline/tools/export/choices.ts";
import { DATASETS } from "../../../../pipeline/tools/export/datasets.ts";

/** A row as every reader must give it back: by name, moments and days in ISO 8601. */
export type PlainRow = Readonly<Record<string, unknown>>;

type Json = Readonly<Record<string, unknown>>;

function concentrationOf(concentration: ReturnType<typeof JSON.parse> | null | undefined): PlainRow {
  const cell = (name: string, end: string) => {
    const value = concentration?.[name][end] ?? null;
    return [end === "point" ? name : `${name}_${end}`, value === null ? null : Number(value.toFixed(2))];
  };
  return Object.fromEntries(
    ["nakamoto", "hhi_points", "gini"].flatMap((name) =>
      ["low", "point", "high"].map((end) => cell(name, end)),
    ),
  );
}

function certaintyOf(
  evidence: ReturnType<typeof JSON.parse> | undefined,
  place: ReturnType<typeof JSON.parse> | undefined,
): PlainRow {
  const fixed = (value: number | undefined, decimals = 2) =>
    value === undefined ? null : Number(value.toFixed(decimals));
  const isRanked = evidence !== undefined && place !== undefined;
  const source = isRanked ? evidence : { components: {} };
  const ends = (["low", "high"] as const).flatMap((end) => [
    [`gvs_${end}`, fixed(source.gvs?.[end])],
    ...["hpr", "dei", "pdi", "gpi"].map((key) => [`${key}_${end}`, fixed(source.components[key]?.[end])]),
    [`risk_${end}`, fixed(source.risk?.[end], 1)],
    [`presence_${end}`, fixed(source.presence?.[end])],
  ]);
  return {
    ...Object.fromEntries(ends),
    ...concentrationOf(source.concentration),
    known_share: fixed(source.known_share),
    rank_best: isRanked ? place.best : null,
    rank_worst: isRanked ? place.worst : null,
    not_known: source.not_known?.join(" ") ?? null,
  };
}

/** These values of an object that may be missing. */
const orNull = (values: Json | undefined, names: readonly string[]): PlainRow =>
  Object.fromEntries(names.map((name) => [name, values?.[name] ?? null]));

/** What the files of one version say, read without any code of ours. */
export function expectedRows(dataset: DatasetName, directory: string): readonly PlainRow[] {
  const textOf = (path: string) => readFileSync(join(directory, path), "utf8");
  const json = (path: string) => JSON.parse(textOf(path));
  const found = (path: string) => (existsSync(join(directory, path)) ? json(path) : undefined);
  const namesIn = (folder: string): readonly string[] =>
    existsSync(join(directory, folder)) ? readdirSync(join(directory, folder)) : [];
  const flat = ({ components, ...rest }: Json): PlainRow => ({ ...rest, ...(components as Json) });
  const rows: Record<DatasetName, () => readonly PlainRow[]> = {
    daos: () => {
      const places = json("rankings.json");
      return json("daos.json").map((dao: Json) => {
        const file = `${dao["space_id"]}.json`;
        const [evidence, risk] = [found(`evidence/${file}`), found(`risk/${file}`)];
        const place = places.find((other: Json) => other["space_id"] === dao["space_id"]);
        return {
          ...flat(dao),
          ...orNull(evidence?.links, ["website", "forum", "platform"]),
          data_completeness: json(`daos/${file}`).data_completeness,
          ...orNull(risk, ["risk_score", "risk_level"]),
          risk_trend: risk?.trend ?? null,
          ...orNull(risk?.factors, ["governance_capture_risk", "whale_control_pct", "active_voter_count"]),
          ...orNull(risk?.factors, ["delegate_centralization", "proposal_velocity", "checkpoint_voting_pct"]),
          ...certaintyOf(evidence, place),
        };
      });
    },
    tracked: () => [
      ...expectedRows("daos", directory).map((row) => ({ ...row, unscored: null, unscored_reason: null })),
      ...json("unscored.json").map((dao: ReturnType<typeof JSON.parse>) => {
        const evidence = found(`evidence/${dao.space_id}.json`);
        const intervals: [string, [number, number]][] = Object.entries({
          ...dao.interval,
          presence: dao.presence,
        });
        const ends = intervals.flatMap(([name, [low, high]]) => [
          [`${name}_low`, low],
          [`${name}_high`, high],
        ]);
        return {
          ...Object.fromEntries(DATASETS.tracked.columns.map(({ name }) => [name, null])),
          ...orNull(dao, ["space_id", "name", "category", "known_share", "data_completeness"]),
          ...(evidence?.links ?? dao.empty_frame?.links),
          ...Object.fromEntries(ends),
          ...concentrationOf(evidence?.concentration),
          last_calculated: dao.assessed_at,
          not_known: dao.not_known.map(({ id }: Json) => id).join(" "),
          unscored: dao.reason.code,
          unscored_reason: dao.reason.message,
        };
      }),
    ],
    indicators: () =>
      namesIn("evidence").flatMap((name) => {
        const { space_id, components } = json(`evidence/${name}`);
        return ["hpr", "dei", "pdi", "gpi"].flatMap((component) =>
          components[component].indicators.map((row: Json) => ({ space_id, component, ...row })),
        );
      }),
    entities: () =>
      namesIn("entities").flatMap((name) => {
        const { entity_id, label, dao_participations } = json(`entities/${name}`);
        return dao_participations.map(
          ({ participation_interval_pct: [low, high], ...row }: ReturnType<typeof JSON.parse>) => ({
            ...{ entity_id, label, ...row, participation_low_pct: low, participation_high_pct: high },
          }),
        );
      }),
    proposals: () =>
      namesIn("proposals").flatMap((name) => {
        const lines = textOf(`proposals/${name}`).trimEnd().split("\n");
        const space_id = name.replace(/\.ndjson$/, "");
        return lines.map((line) => ({ space_id, title: null, link: null, ...JSON.parse(line) }));
      }),
    // Small enough that the listing holds the whole ranking; larger ones are held to their total.
    delegates: () =>
      namesIn("delegates").flatMap((space_id) =>
        json(`delegates/${space_id}/latest.json`).delegates.map((item: Json) => {
          return { space_id, ens: null, ...item };
        }),
      ),
    dgi: () => {
      const { interval, ...dgi } = json("dgi.json");
      const [composite_low, composite_high] = interval?.composite ?? [null, null];
      const none = { composite_low: null, composite_high: null, dao_count: null, calculated_at: null };
      return [
        ...json("dgi-history.json").values.map((value: Json) => ({ point: "day", ...flat(value), ...none })),
        { point: "current", date: null, ...flat(dgi), composite_low, composite_high },
      ];
    },
    history: () =>
      namesIn("history").flatMap((name) => {
        const { space_id, points } = json(`history/${name}`);
        return points.map((point: Json) => ({ space_id, risk_score: null, ...flat(point) }));
      }),
  };
  return rows[dataset]();
}
