import type { Ranking } from "../../../snapshots/format/rankings.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { chooseExplained, type VersionOptions } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { COMPONENT_TEXTS } from "../../score/method/indicators.ts";
import { readExplained, refuseUnknown } from "../read-explained.ts";
import { gvsSlope } from "./diff-scores.ts";
import { type ComparedDao, differenceOf, spanOf, tellApart } from "./tell-apart.ts";

export type CompareResult = Awaited<ReturnType<typeof runCompare>>;

/** Every pair is compared, so more DAOs would fill pages. */
const COMPARED_MAX = 10;

/** `govdata compare`: compares DAOs of one version, from its files only. Throws `PipelineFailure`. */
export async function runCompare(
  settings: Settings,
  { spaceIds, ...options }: VersionOptions & { readonly spaceIds: readonly string[] },
) {
  const twice = spaceIds.find((spaceId, index) => spaceIds.indexOf(spaceId) !== index);
  if (twice !== undefined) throw pipelineFailure("BAD_OPTION", `${twice} is given twice`);
  if (spaceIds.length > COMPARED_MAX) {
    throw pipelineFailure("BAD_OPTION", `${spaceIds.length} DAOs are too many: at most ${COMPARED_MAX}`);
  }
  const chosen = await chooseExplained(settings, options);
  const { version, manifest } = chosen;
  return withStore(() => {
    const documents = readPublishedDocuments(settings.snapshotsDirectory, version);
    const unscored = new Map(documents.unscored().map((dao) => [dao.space_id, dao]));
    const names = new Map(documents.daos.map((dao) => [dao.space_id, dao.name]));
    const daos = spaceIds.map((spaceId) => {
      const withoutScore = unscored.get(spaceId);
      const evidence = readExplained(chosen, spaceId, withoutScore)?.evidence;
      if (evidence === undefined) return refuseUnknown(spaceId, documents);
      const name = names.get(spaceId) ?? withoutScore?.name ?? spaceId;
      return { name, evidence, unscored: withoutScore?.reason, ranking: documents.rankings.get(spaceId) };
    });
    return {
      version,
      asOf: manifest.as_of,
      methodologyVersion: manifest.methodology_version,
      ranked: documents.daos.length,
      daos: daos.map(sideOf),
      /** Each with each that follows it; numbers are not rounded. */
      pairs: daos.flatMap((a, index) => daos.slice(index + 1).map((b) => pairOf(a, b))),
    };
  });
}

function sideOf({ ranking, ...dao }: ComparedDao & { readonly ranking: Ranking | undefined }) {
  const { evidence, name, unscored } = dao;
  const { risk, frame, measures } = evidence;
  return {
    spaceId: evidence.space_id,
    name,
    unscored,
    gvs: spanOf(evidence.gvs, dao),
    rank: ranking && { rank: ranking.rank, best: ranking.best, worst: ranking.worst },
    components: COMPONENT_KEYS.map((key) => ({
      key,
      name: COMPONENT_TEXTS[key].name,
      ...spanOf(evidence.components[key], dao),
      indicators: evidence.components[key].indicators.map(({ id, low, high }) => ({
        id,
        isKnown: !evidence.not_known.includes(id),
        low,
        high,
      })),
    })),
    risk: risk === null ? undefined : spanOf(risk, dao),
    knownShare: evidence.known_share,
    proposals: frame.members,
    fetchedAt: measures.fetched_at ?? undefined,
  };
}

function pairOf(a: ComparedDao, b: ComparedDao) {
  const [one, other] = [a.evidence, b.evidence];
  return {
    a: one.space_id,
    b: other.space_id,
    ...tellApart(a, b),
    components: COMPONENT_KEYS.map((key) => {
      const [ofOne, ofOther] = [one.components[key], other.components[key]];
      const gvsPerPoint = gvsSlope(key, other, one);
      const rows = new Map(ofOther.indicators.map((row) => [row.id, row]));
      return {
        key,
        ...differenceOf(spanOf(ofOne, a), spanOf(ofOther, b)),
        /** Points of the gvs; the sum over all components is the difference. */
        gvsPoints: gvsPerPoint && gvsPerPoint * (ofOne.point - ofOther.point),
        indicators: ofOne.indicators.flatMap(({ id, low, high }) => {
          const row = rows.get(id);
          return row === undefined ? [] : [{ id, low: low - row.high, high: high - row.low }];
        }),
      };
    }),
    risk: one.risk && other.risk ? differenceOf(spanOf(one.risk, a), spanOf(other.risk, b)) : undefined,
  };
}
