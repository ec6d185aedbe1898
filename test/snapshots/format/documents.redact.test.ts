import { describe, expect, it } from "vitest";
import {
  DOCUMENTS,
  documentsOfDaos,
  documentsOfLists,
  type FileRow,
} from "../../../snapshots/format/documents.ts";
import { topEntitiesOf } from "../../../snapshots/format/entity.ts";
import { hiddenNames } from "../../../snapshots/format/hidden-entities.ts";
import { withGraph } from "../../support/delegation-graph.ts";
import { publishedSet, walletOf } from "../../support/published-set.ts";

const set = withGraph(publishedSet());
const documents = [...documentsOfLists(set), ...documentsOfDaos(set)];

const redacted = (kind: keyof typeof DOCUMENTS, value: unknown, wallets: readonly string[]) =>
  (DOCUMENTS[kind] as FileRow).redact?.(value, {
    hidden: hiddenNames([{ entityId: "nobody", label: "Nobody Here", wallets }]),
    topEntities: topEntitiesOf(set.entities),
    entitiesCount: set.entities.length,
  });

describe("a document without somebody who is hidden", () => {
  it.each(["dao", "latestListing", "delegateMonth", "graph", "entity"] as const)(
    "is the very same where it does not name them: %s",
    (kind) => {
      const own = documents.filter((document) => document.kind === kind);
      expect(own).not.toEqual([]);
      for (const { value } of own) expect(redacted(kind, value, [])).toBe(value);
    },
  );

  it("is another where one day of a month names them", () => {
    const month = documents.find(({ kind }) => kind === "delegateMonth")?.value;
    const shown = redacted("delegateMonth", month, [walletOf(1)]);
    expect(shown).not.toBe(month);
    expect(JSON.stringify(month)).toContain("delegate-1.example");
    expect(JSON.stringify(shown)).not.toContain("delegate-1.example");
  });
});
