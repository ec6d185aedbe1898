import type { Evidence } from "../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS } from "../../snapshots/format/value-sets.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";

type NotAssessed = Evidence["not_assessed"];

/** What could not be looked at, and why: whole scores, indicators, and what only lowers or says less. */
export function notAssessed({ measures, scored }: DaoEvidence): NotAssessed {
  const { components, gvs, risk, delegateCentralization } = scored;
  const gaps = COMPONENT_KEYS.flatMap((id): NotAssessed => {
    const { before } = components[id];
    return before.kind === "gap" ? [{ id, reason: before.reason }] : [];
  });
  const indicators = COMPONENT_KEYS.flatMap((key) =>
    components[key].indicators
      .filter(({ raw }) => raw === undefined)
      .map(({ id }) => ({ id: `${key}_${id}`, reason: "NOT_KNOWN" })),
  );
  return [
    ...(gvs.kind === "gap" ? [{ id: "gvs", reason: gvs.reason }] : []),
    ...(risk.kind === "gap" ? [{ id: "risk", reason: risk.reason }] : []),
    ...gaps,
    ...indicators,
    ...(measures.isCoordinationAssessed ? [] : [{ id: "coordination", reason: "TOO_FEW_TIMED_VOTES" }]),
    ...(delegateCentralization === "unknown"
      ? [{ id: "delegation", reason: measures.delegation === undefined ? "NO_DATED_LIST" : "LIST_TOO_OLD" }]
      : []),
  ];
}
