import { describe, expect, it } from "vitest";
import { type Change, changeAt, changed } from "../../changed-set.ts";

describe("checkEntities", () => {
  it.each<{ why: string; change: Change; message: RegExp }>([
    {
      why: "an entity named that is not published",
      change: () => ({ entities: [] }),
      message: /top_entities names an entity that is not published/,
    },
    {
      why: "an entity named by another label",
      change: (set) => ({ entities: changeAt(set.entities, 0, (entity) => ({ ...entity, label: "Other" })) }),
      message: /by another label/,
    },
    {
      why: "an entity given twice",
      change: (set) => ({ entities: [...set.entities, ...set.entities] }),
      message: /entities: an entity_id occurs twice/,
    },
    {
      why: "a wallet given to two entities",
      change: (set) => ({
        entities: [...set.entities, { ...set.entities[0]!, entity_id: "ent_00000000000000000000second" }],
      }),
      message: /has a wallet that occurs before/,
    },
  ])("refuses $why", ({ change, message }) => {
    expect(changed(change)).toThrow(message);
  });

  it("names no wallet in what it refuses", () => {
    const twice: Change = (set) => ({
      entities: [...set.entities, { ...set.entities[0]!, entity_id: "ent_00000000000000000000second" }],
    });
    expect(changed(twice)).not.toThrow(/0x/);
  });
});
