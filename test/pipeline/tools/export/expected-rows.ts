import { readdirSync, readFileSync } from "node:fs";
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

/** What the files of one version say, read without any code of ours. */
export function expectedRows(dataset: DatasetName, directory: string): readonly PlainRow[] {
  const json = (path: string) => JSON.parse(readFileSync(join(directory, path), "utf8"));
  const filesIn = (folder: string) => readdirSync(join(directory, folder), { withFileTypes: true });
  const has = (folder: string, name: string) => filesIn(folder).some((file) => file.name === name);
  const flat = ({ components, ...rest }: Json): PlainRow => ({ ...rest, ...(components as Json) });
  const indexOf = ({ interval, ...rest }: Json): PlainRow => {
    const { composite: [low, high] = [null, null] } = (interval ?? {}) as { composite?: readonly number[] };
    return { ...flat(rest), composite_low: low, composite_high: high };
  };
  const folderHas = (folder: string) => readdirSync(directory).includes(folder);
  const rows: Record<DatasetName, () => readonly PlainRow[]> = {
    daos: () =>
      json("daos.json").map((dao: Json) => {
        const file = `${dao["space_id"]}.json`;
        const links = filesIn(".").some(({ name }) => name === "evidence")
          ? json(`evidence/${file}`).links
          : undefined;
        const risk = has("risk", file) ? json(`risk/${file}`) : undefined;
        return {
          ...flat(dao),
          website: links?.website ?? null,
          forum: links?.forum ?? null,
          platform: links?.platform ?? null,
          data_completeness: json(`daos/${file}`).data_completeness,
          risk_score: risk?.risk_score ?? null,
          risk_level: risk?.risk_level ?? null,
          risk_trend: risk?.trend ?? null,
          governance_capture_risk: risk?.factors.governance_capture_risk ?? null,
          whale_control_pct: risk?.factors.whale_control_pct ?? null,
          active_voter_count: risk?.factors.active_voter_count ?? null,
          delegate_centralization: risk?.factors.delegate_centralization ?? null,
          proposal_velocity: risk?.factors.proposal_velocity ?? null,
          checkpoint_voting_pct: risk?.factors.checkpoint_voting_pct ?? null,
          ...certaintyOf(
            folderHas("evidence") && has("evidence", file) ? json(`evidence/${file}`) : undefined,
            json("rankings.json").find((place: Json) => place["space_id"] === dao["space_id"]),
          ),
        };
      }),
    tracked: () => [
      ...expectedRows("daos", directory).map((row) => ({ ...row, unscored: null, unscored_reason: null })),
      ...json("unscored.json").map((dao: ReturnType<typeof JSON.parse>) => {
        const file = `${dao.space_id}.json`;
        const evidence = folderHas("evidence") && has("evidence", file) ? json(`evidence/${file}`) : {};
        const links = evidence.links ?? dao.empty_frame?.links ?? {};
        const ends = Object.entries({ ...dao.interval, presence: dao.presence }).flatMap(([name, pair]) => {
          const [low, high] = pair as readonly number[];
          return [
            [`${name}_low`, low],
            [`${name}_high`, high],
          ];
        });
        return {
          ...Object.fromEntries(DATASETS.tracked.columns.map(({ name }) => [name, null])),
          ...{ space_id: dao.space_id, name: dao.name, category: dao.category, known_share: dao.known_share },
          ...{ last_calculated: dao.assessed_at, data_completeness: dao.data_completeness ?? null, ...links },
          ...Object.fromEntries(ends),
          ...concentrationOf(evidence.concentration),
          not_known: dao.not_known.map(({ id }: Json) => id).join(" "),
          ...{ unscored: dao.reason.code, unscored_reason: dao.reason.message },
        };
      }),
    ],
    indicators: () =>
      folderHas("evidence")
        ? filesIn("evidence").flatMap(({ name }) => {
            const { space_id, components } = json(`evidence/${name}`);
            return ["hpr", "dei", "pdi", "gpi"].flatMap((component) =>
              components[component].indicators.map((row: Json) => ({ space_id, component, ...row })),
            );
          })
        : [],
    entities: () =>
      filesIn("entities").flatMap(({ name }) => {
        const { entity_id, label, dao_participations } = json(`entities/${name}`);
        return dao_participations.map(
          ({ participation_interval_pct: [low, high], ...row }: ReturnType<typeof JSON.parse>) => ({
            ...{ entity_id, label, ...row, participation_low_pct: low, participation_high_pct: high },
          }),
        );
      }),
    proposals: () =>
      readdirSync(directory).includes("proposals")
        ? filesIn("proposals").flatMap(({ name }) =>
            readFileSync(join(directory, "proposals", name), "utf8")
              .trimEnd()
              .split("\n")
              .map((line) => ({
                space_id: name.replace(/\.ndjson$/, ""),
                title: null,
                link: null,
                ...JSON.parse(line),
              })),
          )
        : [],
    // Small enough that the listing holds the whole ranking; larger ones are held to their total.
    delegates: () =>
      filesIn("delegates").flatMap(({ name }) =>
        json(`delegates/${name}/latest.json`).delegates.map((item: Json) => ({
          space_id: name,
          ens: null,
          ...item,
        })),
      ),
    dgi: () => [
      ...json("dgi-history.json").values.map((value: Json) => ({
        point: "day",
        ...flat(value),
        composite_low: null,
        composite_high: null,
        dao_count: null,
        calculated_at: null,
      })),
      {
        point: "current",
        date: null,
        ...indexOf(json("dgi.json")),
      },
    ],
    history: () =>
      filesIn("history").flatMap(({ name }) => {
        const { space_id, points } = json(`history/${name}`);
        return points.map((point: Json) => ({ space_id, risk_score: null, ...flat(point) }));
      }),
  };
  return rows[dataset]();
}
