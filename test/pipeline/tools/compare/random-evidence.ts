import fc from "fast-check";
import { INDICATORS } from "../../../../pipeline/score/method/indicators.ts";
import { componentOf, type Mark, vitalityInterval } from "../../../../pipeline/score/method/marks.ts";
import type { Evidence } from "../../../../snapshots/format/evidence.ts";
import { COMPONENT_KEYS, type ComponentKey } from "../../../../snapshots/format/value-sets.ts";

/** Between which ends each indicator lies, in their order; one that is left out is not known. */
export type Marks = readonly (Mark | undefined)[];

/** What evidence says of scores that are made of these marks, and no more than a comparison asks. */
export function evidenceOf(
  spaceId: string,
  marks: Marks,
  { presence = [1, 1], weight = 30 }: { presence?: Mark; weight?: number } = {},
): Evidence {
  const rows = INDICATORS.map(({ id, component }, index) => ({
    id,
    component,
    mark: marks[index] ?? [0, 1],
  }));
  const scoreOf = (key: ComponentKey) => {
    const componentRows = rows.filter(({ component }) => component === key);
    return {
      ...componentOf(
        presence,
        componentRows.map(({ mark }) => mark as Mark),
      ),
      indicators: componentRows.map(({ id, mark: [low = 0, high = 1] }) => ({
        id,
        low,
        high,
        weight,
        points: (10 * presence[0] * low) / componentRows.length,
      })),
    };
  };
  const components = Object.fromEntries(COMPONENT_KEYS.map((key) => [key, scoreOf(key)]));
  const whole: unknown = {
    space_id: spaceId,
    as_of: "2026-04-30T23:59:59.999Z",
    components,
    gvs: vitalityInterval(components as Evidence["components"]),
    presence: { low: presence[0], high: presence[1] },
    known_share: 0.5,
    not_known: rows.flatMap(({ id }, index) => (marks[index] === undefined ? [id] : [])),
    rank: null,
    risk: null,
    frame: { members: 3 },
    measures: { fetched_at: "2026-04-01T12:00:00.000Z" },
  };
  return whole as Evidence;
}

/** The same mark for every indicator. */
export const everywhere = (mark: Mark | undefined): Marks => INDICATORS.map(() => mark);

const anyMark = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([one, other]): Mark => (one < other ? [one, other] : [other, one]));

/** Marks as they may come, some of them unknown. */
export const anyMarks: fc.Arbitrary<Marks> = fc.array(fc.option(anyMark, { nil: undefined, freq: 5 }), {
  minLength: INDICATORS.length,
  maxLength: INDICATORS.length,
});
