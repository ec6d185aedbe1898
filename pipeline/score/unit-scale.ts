import { unitScale } from "./attention.ts";
import { METHODOLOGY } from "./methodology.ts";

/** The power of one unit's proposals as they come and go, and the scale it is measured on. */
export interface UnitScale {
  add(power: number): void;
  remove(power: number): void;
  /** `undefined` where nobody ever cast any power. */
  scale(): number | undefined;
}

/** A unit without proposals. Only its largest powers make its scale, which is looked for anew when one of them changes. */
export function createUnitScale(): UnitScale {
  /** Largest first. */
  const powers: number[] = [];
  let isKnown = true;
  let known: number | undefined;

  /** Where a power stands, or would stand before its equals. */
  const placeOf = (power: number): number => {
    let low = 0;
    let high = powers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((powers[middle] ?? 0) > power) low = middle + 1;
      else high = middle;
    }
    if (low < METHODOLOGY.frame.scaleProposals) isKnown = false;
    return low;
  };
  return {
    add(power) {
      powers.splice(placeOf(power), 0, power);
    },
    remove(power) {
      powers.splice(placeOf(power), 1);
    },
    scale() {
      if (!isKnown) known = unitScale(powers.slice(0, METHODOLOGY.frame.scaleProposals));
      isKnown = true;
      return known;
    },
  };
}
