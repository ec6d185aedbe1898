import { PATHS } from "../paths.ts";
import { allDifferent, type Disagreement, unless } from "./disagreement.ts";
import type { DocumentSet } from "./document-set.ts";

/** Entities: ids and wallets once each, and no DAO detail that names an entity which is not published. */
export function checkEntities(set: DocumentSet): readonly Disagreement[] {
  const labels = new Map(set.entities.map((entity) => [entity.entity_id, entity.label]));
  const owners = new Map<string, string>();
  const problems = [
    ...unless(labels.size === set.entities.length, "entities", "an entity_id is given twice"),
  ];
  for (const entity of set.entities) {
    const path = PATHS.entity(entity.entity_id);
    const spaces = entity.dao_participations.map((each) => each.space_id);
    problems.push(...unless(allDifferent(spaces), path, "takes part in a DAO twice"));
    for (const wallet of entity.wallets) {
      // The wallet itself stays out of the message: messages reach logs, and wallets must not.
      problems.push(...unless(!owners.has(wallet), path, "holds a wallet that was given before"));
      owners.set(wallet, entity.entity_id);
    }
  }
  for (const detail of set.details) {
    const path = PATHS.dao(detail.space_id);
    const ids = detail.top_entities.map((each) => each.entity_id);
    problems.push(...unless(allDifferent(ids), path, "top_entities names an entity twice"));
    problems.push(
      // An entity named here but published nowhere is most likely one that opted out.
      ...unless(
        detail.top_entities.every((each) => labels.get(each.entity_id) === each.label),
        path,
        "top_entities names an entity that is not published, or by another label",
      ),
    );
  }
  return problems;
}
