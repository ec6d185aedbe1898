import { roundedConcentration } from "../../../snapshots/format/concentration.ts";
import { type FileKind, type FileValues, identifyFile } from "../../../snapshots/format/documents.ts";
import type { Entity } from "../../../snapshots/format/entity.ts";
import { type Certainty, certaintyOf } from "../../../snapshots/format/envelope.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import { bareRow, type HiddenNames } from "../../../snapshots/format/hidden-entities.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import type { LocatedVersion } from "../../../snapshots/store/read/locate-version.ts";
import { findDocument, parseDocument, readDocument } from "../../../snapshots/store/read/parse-document.ts";
import { readVerified } from "../../../snapshots/store/read/verified-file.ts";
import { type Cell, type Column, concentrationCells, type Row } from "../../documents/columns.ts";
import { invariant } from "../../facts/errors.ts";
import type { DatasetName } from "./choices.ts";
import { DATASETS, filesOfKinds, VERSION_COLUMNS } from "./datasets.ts";

type HiddenOf = (located: LocatedVersion) => HiddenNames;
type Records = (located: LocatedVersion, hiddenOf: HiddenOf) => Iterable<object>;

function* daoRecords(located: LocatedVersion): Generator<object> {
  const rankings = readDocument(located, "rankings");
  const rankingOf = new Map(rankings.map((place) => [place.space_id, place]));
  for (const dao of readDocument(located, "daos")) {
    const detail = readDocument(located, "dao", dao.space_id);
    const risk = findDocument(located, "risk", dao.space_id);
    const evidence = findDocument(located, "evidence", dao.space_id);
    const ranking = rankingOf.get(dao.space_id);
    const certainty = evidence && ranking && certaintyOf(evidence, ranking);
    yield {
      ...dao,
      ...dao.components,
      data_completeness: detail.data_completeness,
      ...(risk && { ...risk.factors, ...risk, risk_trend: risk.trend }),
      ...(certainty && certaintyRecord(certainty)),
      ...evidence?.links,
    };
  }
}

function certaintyRecord(certainty: Certainty): object {
  const { interval, known_share, rank_range, presence, not_known, concentration } = certainty;
  const [rank_best, rank_worst] = rank_range;
  return {
    ...endCells({ ...interval, presence }),
    ...concentrationCells(concentration),
    ...{ known_share, rank_best, rank_worst, not_known: not_known.join(" ") },
  };
}

const endCells = (pairs: Readonly<Record<string, readonly [number, number] | undefined>>): object =>
  Object.fromEntries(
    Object.entries(pairs).flatMap(([name, pair]) => [
      [`${name}_low`, pair?.[0]],
      [`${name}_high`, pair?.[1]],
    ]),
  );

function* trackedRecords(located: LocatedVersion): Generator<object> {
  yield* daoRecords(located);
  for (const dao of readDocument(located, "unscored")) {
    const evidence = findDocument(located, "evidence", dao.space_id);
    const concentration = evidence?.concentration;
    yield {
      ...dao,
      ...endCells({ ...dao.interval, presence: dao.presence }),
      ...concentrationCells(concentration && roundedConcentration(concentration)),
      ...(evidence?.links ?? dao.empty_frame?.links),
      not_known: dao.not_known.map(({ id }) => id).join(" "),
      last_calculated: dao.assessed_at,
      unscored: dao.reason.code,
      unscored_reason: dao.reason.message,
    };
  }
}

export function* indicatorsOf({ space_id, components }: Evidence): Generator<object> {
  for (const component of COMPONENT_KEYS)
    for (const row of components[component].indicators) yield { space_id, component, ...row };
}

function* participationsOf({ entity_id, label, dao_participations }: Entity): Generator<object> {
  for (const row of dao_participations) {
    const [participation_low_pct, participation_high_pct] = row.participation_interval_pct;
    yield { entity_id, label, ...row, participation_low_pct, participation_high_pct };
  }
}

/** The records of a dataset that each file of one kind has by itself; `namesOf` gives the names to hide. */
function ofFiles<Kind extends FileKind>(
  kind: Kind,
  recordsOf: (value: FileValues[Kind], id: string, namesOf: () => HiddenNames) => Iterable<object>,
): Records {
  return function* records(located, hiddenOf) {
    let names: HiddenNames | undefined;
    const namesOf = () => (names ??= hiddenOf(located));
    for (const file of filesOfKinds([kind], located.manifest)) {
      const value = parseDocument(kind, file.path, readVerified(located.directory, file));
      yield* recordsOf(value, identifyFile(file.path)?.id ?? "", namesOf);
    }
  };
}

function* governanceIndexRecords(located: LocatedVersion): Generator<object> {
  const history = findDocument(located, "dgiHistory");
  for (const value of history?.values ?? []) {
    const [composite_low, composite_high] = value.interval ?? [null, null];
    yield { point: "day", ...value, ...value.components, composite_low, composite_high };
  }
  const dgi = findDocument(located, "dgi");
  if (dgi === undefined) return;
  const [composite_low, composite_high] = dgi.interval?.composite ?? [null, null];
  yield { point: "current", ...dgi, ...dgi.components, composite_low, composite_high };
}

/** The records of each dataset, one DAO in memory at a time; throws `SnapshotFailure` for a damaged file. */
export const RECORDS: Readonly<Record<DatasetName, Records>> = {
  daos: daoRecords,
  tracked: trackedRecords,
  indicators: ofFiles("evidence", indicatorsOf),
  entities: ofFiles("entity", (entity, id, namesOf) =>
    namesOf().ids.has(id) ? [] : participationsOf(entity),
  ),
  proposals: ofFiles("proposals", (lines, space_id) => lines.map((line) => ({ space_id, ...line }))),
  delegates: ofFiles("wholeListing", (items, space_id, namesOf) =>
    items.map((item) => ({ space_id, ...bareRow(item, namesOf()) })),
  ),
  dgi: governanceIndexRecords,
  history: ofFiles("history", ({ space_id, points }) =>
    points.map((point) => ({ space_id, ...point, ...point.components })),
  ),
};

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: Iterable<Row>;
}

/** The value of a column in a record; a missing one is `null`, which is only allowed in a nullable column. */
export function cellOf(record: object, { name, isNullable }: Column): Cell {
  const value: unknown = Reflect.get(record, name) ?? null;
  const isCell = value === null || ["string", "number", "boolean"].includes(typeof value);
  invariant(isCell, `column ${name} is not one value`);
  invariant(value !== null || isNullable, `column ${name} has no value`);
  return value as Cell;
}

/** Rows of the given versions, in order; with `withVersion`, each row begins with its version. */
export function rowsOfVersions(
  dataset: DatasetName,
  versions: readonly LocatedVersion[],
  hiddenOf: HiddenOf,
  { withVersion }: { readonly withVersion: boolean },
): Table {
  const { columns } = DATASETS[dataset];
  const all = withVersion ? [...VERSION_COLUMNS, ...columns] : columns;
  function* rows(): Generator<Row> {
    for (const located of versions) {
      const { version: name, manifest } = located;
      const about = { version: name, sequence: manifest.sequence, as_of: manifest.as_of };
      for (const record of RECORDS[dataset](located, hiddenOf)) {
        const whole = withVersion ? { ...record, ...about } : record;
        yield all.map((column) => cellOf(whole, column));
      }
    }
  }
  return { columns: all, rows: { [Symbol.iterator]: rows } };
}
