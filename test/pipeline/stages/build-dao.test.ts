import { describe, expect, it } from "vitest";
import type { DaoRow } from "../../../pipeline/documents/dao-row.ts";
import { certaintyOfRows, rowOf } from "../../../pipeline/documents/dao-row.ts";
import type { Standing } from "../../../pipeline/documents/scored-dao.ts";
import { type BuildTask, createDaoBuilding } from "../../../pipeline/stages/build-dao.ts";
import { readScored } from "../../../pipeline/stages/score-dao.ts";
import { contextsOf } from "../../../snapshots/format/agreement/check-documents.ts";
import type { PartContext } from "../../../snapshots/format/agreement/disagreement.ts";
import { topEntitiesOf } from "../../../snapshots/format/entity.ts";
import { LEAF, makeStands } from "../cli/stand.ts";
import { type PlannedVersion, withPlan, withScored } from "./planned-version.ts";

const { published } = await makeStands();
const stand = published();

interface Build {
  readonly planned: PlannedVersion;
  /** As a run hands it over, but for a change. */
  task(change?: Partial<BuildTask>, plan?: PlannedVersion["plan"]): BuildTask;
}

/** Works with what the documents of one DAO are built from. */
const withTask = <Result>(work: (build: Build) => Result): Promise<Result> =>
  withPlan(stand, async (planned) => {
    const task: Build["task"] = (change = {}, plan = planned.plan) => {
      const { asOfMs, lists, rows, standings, scratch } = plan;
      const row = rows.find(({ spaceId }) => spaceId === LEAF);
      if (row === undefined) throw new Error("the stand has that DAO");
      return {
        scratch,
        scored: row.scored,
        asOfMs,
        standing: standings.get(LEAF),
        certainty: certaintyOfRows(rows, standings).get(LEAF),
        topEntities: topEntitiesOf(lists.entities).get(LEAF) ?? [],
        context: contextsOf(lists)(LEAF),
        isRendered: true,
        ...change,
      };
    };
    return work({ planned, task });
  });

const codesOf = ({ gated }: ReturnType<ReturnType<typeof createDaoBuilding>>) => [
  ...new Set(gated.findings.map(({ code }) => code)),
];

describe("createDaoBuilding", () => {
  it("renders the documents of a DAO, and finds nothing in what was scored", () =>
    withTask(({ planned, task }) => {
      const built = createDaoBuilding(planned.registry)(task());
      expect([codesOf(built), built.gated.differences]).toEqual([[], []]);
      expect(built.rendered?.files.map(({ entry }) => entry.path)).toEqual(
        expect.arrayContaining([`daos/${LEAF}.json`, `evidence/${LEAF}.json`, `proposals/${LEAF}.ndjson`]),
      );
    }));

  it("answers what follows from the evidence alone: the scores, and nothing of who takes part", () =>
    withTask(({ planned: { registry, plan }, task }) => {
      const given = task();
      const { derived } = createDaoBuilding(registry)(given);
      const row = rowOf(readScored(plan.scratch, given.scored));
      // What 24 hours did is in no evidence.
      const comparable = ({ summary, ...rest }: DaoRow) => ({
        ...rest,
        summary: { ...summary, delta_24h: 0 },
        participations: [],
      });
      expect(derived && comparable(derived)).toEqual(comparable(row));
    }));

  it("renders nothing where nobody asked for it, and finds the same", () =>
    withTask(({ planned, task }) => {
      const build = createDaoBuilding(planned.registry);
      const [asked, unasked] = [build(task()), build(task({ isRendered: false }))];
      expect(unasked.rendered).toBeUndefined();
      expect(unasked.gated).toEqual(asked.gated);
    }));

  it("finds a score that does not follow from its evidence", () =>
    withTask(({ planned: { registry, plan }, task }) => {
      const forged = withScored(plan, ({ current, ...scored }) => ({
        ...scored,
        current: { ...current, completenessPct: 1 },
      }));
      const built = createDaoBuilding(registry)(task({}, forged));
      const paths = built.gated.differences.map(({ path }) => path);
      expect(paths).toContain(`daos/${LEAF}.json data_completeness`);
      expect(paths).toContain(`evidence/${LEAF}.json completeness_pct`);
    }));

  it.each<{
    why: string;
    change: (right: Standing, context: PartContext) => Partial<BuildTask>;
    want: string[];
  }>([
    {
      why: "a rank that the list does not have",
      change: (right) => ({ standing: { ...right, rank: right.rank + 1 } }),
      want: ["PARTS_DISAGREE"],
    },
    {
      why: "a total that the list does not have",
      change: (right) => ({ standing: { ...right, total: 9, categoryTotal: 9 } }),
      want: ["PARTS_DISAGREE"],
    },
    {
      why: "a DAO that no list has",
      change: (_, context) => ({ context: { ...context, listed: undefined } }),
      want: ["PARTS_DISAGREE"],
    },
    {
      why: "an entity among the strongest without its shape",
      change: () => ({
        topEntities: [
          {
            entity_id: "nobody",
            label: "Nobody",
            voting_power_share_pct: 101,
            proposals_voted: 1,
            proposals_known: 20,
            proposals_unknown: 0,
            participation_pct: 1,
            participation_interval_pct: [1, 1],
          },
        ],
      }),
      want: ["SHAPE_INVALID"],
    },
  ])("renders nothing of $why", ({ change, want }) =>
    withTask(({ planned: { registry, plan }, task }) => {
      const right = plan.standings.get(LEAF);
      if (right === undefined) throw new Error("that DAO has a score");
      const built = createDaoBuilding(registry)(task(change(right, task().context)));
      expect(codesOf(built)).toEqual(want);
      expect(built.rendered).toBeUndefined();
    }),
  );

  it("finds the name of an entity that opted out after the lists were made, and renders nothing of it", () =>
    withTask(({ planned: { registry }, task }) => {
      const given = task();
      const [named] = given.topEntities;
      if (named === undefined) throw new Error("somebody is named in the stand, or nothing is tested");
      const entities = registry.entities.map((entity) =>
        entity.entityId === named.entity_id ? { ...entity, isOptedOut: true } : entity,
      );
      const built = createDaoBuilding({ ...registry, entities })(given);
      expect(codesOf(built)).toEqual(["OPTED_OUT_NAMED"]);
      expect(built.rendered).toBeUndefined();
      expect(JSON.stringify(built.gated.findings)).not.toContain(named.label);
    }));
});
